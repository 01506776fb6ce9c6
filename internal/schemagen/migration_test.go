package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// release pins the migrations that are there.
func release(t *testing.T, root string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "sql/migrations/*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	var pins strings.Builder
	for _, file := range files {
		pins.WriteString(strings.Repeat("0", 64) + "  " + filepath.Base(file) + "\n")
	}
	write(t, root, "sql/migrations/released.sha256", pins.String())
}

// addSchema copies Apple@1 to another name.
func addSchema(t *testing.T, root, name string) {
	t.Helper()
	text := strings.ReplaceAll(read(t, root, "contracts/schemas/Apple@1.json"), "Apple@1", name)
	write(t, root, "contracts/schemas/"+name+".json", text)
}

func wantRegistered(t *testing.T, root, migration string, names ...string) {
	t.Helper()
	text := read(t, root, "sql/migrations/"+migration)
	at := 0
	for _, name := range names {
		found := strings.Index(text[at:], "\n('"+name+"',")
		if found < 0 {
			t.Errorf("%s does not register %s, or not in the order of %v", migration, name, names)
			continue
		}
		at += found
	}
	if got := strings.Count(text, "\n('"); got != len(names) {
		t.Errorf("%s registers %d things, not %v", migration, got, names)
	}
}

func TestSchemasAreRegisteredAfterThoseTheyUse(t *testing.T) {
	root := tree(t)
	mustGenerate(t, root)
	wantRegistered(t, root, "002_contract_schemas.sql", "Apple@1", "DeliverySetDefinition@1", "apple")
	text := read(t, root, "sql/migrations/002_contract_schemas.sql")
	for _, part := range []string{
		"set local lock_timeout = '5s';\nset local search_path = pg_catalog, pg_temp;\nset local role outbox_owner;\n",
		`"pattern":"^[^\u007f\\\\]+$"`,
		"'An apple''s name.');\n\n-- Autovacuum never", "analyze contracts.schemas;\nanalyze contracts.namespaces;\n\nreset role;\n",
		"('Apple@1',\n$json${\"$id\"",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the migration does not hold %s", part)
		}
	}
}

func TestAFreeNumberIsTaken(t *testing.T) {
	root := tree(t)
	write(t, root, "sql/migrations/003_registries.sql", "insert …")
	write(t, root, "sql/migrations/004_install_code.sql", "install …")
	mustGenerate(t, root)
	wantRegistered(t, root, "002_contract_schemas.sql", "Apple@1", "DeliverySetDefinition@1", "apple")
}

func TestTheUnreleasedInstallMigrationIsNoObstacle(t *testing.T) {
	root := tree(t)
	write(t, root, "sql/migrations/002_install_code.sql", "install …")
	mustGenerate(t, root)
	wantRegistered(t, root, "002_contract_schemas.sql", "Apple@1", "DeliverySetDefinition@1", "apple")
}

func TestTheReleasedInstallMigrationIs(t *testing.T) {
	root := tree(t)
	write(t, root, "sql/migrations/002_install_code.sql", "install …")
	release(t, root)
	mustGenerate(t, root)
	wantRegistered(t, root, "003_contract_schemas.sql", "Apple@1", "DeliverySetDefinition@1", "apple")
}

func TestNewSchemasGoIntoANewMigration(t *testing.T) {
	root := tree(t)
	mustGenerate(t, root)
	write(t, root, "sql/migrations/003_install_code.sql", "install …")
	release(t, root)
	released := read(t, root, "sql/migrations/002_contract_schemas.sql")
	mustGenerate(t, root)
	if read(t, root, "sql/migrations/004_contract_schemas.sql") != "" {
		t.Error("a migration registers nothing")
	}
	addSchema(t, root, "Apple@2")
	mustGenerate(t, root)
	wantRegistered(t, root, "004_contract_schemas.sql", "Apple@2")
	addSchema(t, root, "Banana@1")
	mustGenerate(t, root)
	wantRegistered(t, root, "004_contract_schemas.sql", "Apple@2", "Banana@1")
	if read(t, root, "sql/migrations/002_contract_schemas.sql") != released {
		t.Error("the released migration changed")
	}
	for _, name := range []string{"Apple@2", "Banana@1"} {
		if err := os.Remove(filepath.Join(root, "contracts/schemas", name+".json")); err != nil {
			t.Fatal(err)
		}
	}
	mustGenerate(t, root)
	if read(t, root, "sql/migrations/004_contract_schemas.sql") != "" {
		t.Error("the migration stays that registers nothing any more")
	}
}

func TestWhatIsReleasedCannotChange(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(root string)
		problem string
	}{
		"another schema": {func(root string) {
			write(t, root, "contracts/schemas/Apple@1.json", strings.Replace(read(t, root, "contracts/schemas/Apple@1.json"), "It's", "It is", 1))
		}, "Apple@1 is released and cannot change: give the new one a new version"},
		"another namespace": {func(root string) {
			write(t, root, "contracts/namespaces.json", strings.Replace(read(t, root, "contracts/namespaces.json"), "81227f4d", "81227f4e", 1))
		}, "namespace apple is released and cannot change"},
		"no schema": {func(root string) {
			write(t, root, "contracts/namespaces.json", strings.Replace(read(t, root, "contracts/namespaces.json"), "Apple@1", "DeliverySetDefinition@1", 1))
			if err := os.Remove(filepath.Join(root, "contracts/schemas/Apple@1.json")); err != nil {
				t.Fatal(err)
			}
		}, "released and cannot"},
		"no namespace": {func(root string) { write(t, root, "contracts/namespaces.json", "[]") }, "namespace apple is released and cannot be removed"},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t)
			mustGenerate(t, root)
			c.change(root)
			mustGenerate(t, root) // nothing is released
			root = tree(t)
			mustGenerate(t, root)
			release(t, root)
			c.change(root)
			wantError(t, generate(root, io.Discard, io.Discard), c.problem)
		})
	}
}

func TestTheLayoutOfAReleasedSchemaMayChange(t *testing.T) {
	root := tree(t)
	mustGenerate(t, root)
	release(t, root)
	write(t, root, "contracts/schemas/Apple@1.json", read(t, root, "contracts/schemas/Apple@1.json")+"\n\n")
	mustGenerate(t, root)
}

func TestTemplateSyntaxIsRefused(t *testing.T) {
	root := tree(t)
	write(t, root, "contracts/namespaces.json", strings.Replace(read(t, root, "contracts/namespaces.json"), "An apple", "{{", 1))
	wantError(t, generate(root, io.Discard, io.Discard), "which tern reads as its own")
}
