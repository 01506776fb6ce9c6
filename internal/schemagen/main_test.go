package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// copied is a copy of what the repository generates from.
func copied(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, folder := range []string{"contracts", "sql/migrations"} {
		if err := os.CopyFS(filepath.Join(root, folder), os.DirFS("../../"+folder)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func wantWarning(t *testing.T, root, warning string) {
	t.Helper()
	var warnings bytes.Buffer
	if err := generate(root, io.Discard, &warnings); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(warnings.String(), warning) || warning == "" && warnings.Len() > 0 {
		t.Errorf("warned of %q, wanted %q", &warnings, warning)
	}
}

func TestNothingIsWrittenBeforeEverythingIsInOrder(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(root string){
		"a released schema": func(root string) {
			mustGenerate(t, root)
			release(t, root)
			write(t, root, "contracts/schemas/Apple@1.json", strings.Replace(read(t, root, "contracts/schemas/Apple@1.json"), "It's", "It is", 1))
		},
		"a type name":     func(root string) { withSchema(t, root, "Name@1", closed("", "")) },
		"a golden":        func(root string) { write(t, root, "contracts/goldens/Apple@1/b.json", `{}`) },
		"a namespace":     func(root string) { write(t, root, "contracts/goldens/derive.json", `[{"namespace": "pear"}]`) },
		"template syntax": func(root string) { addSchema(t, root, "Pear@1"); spoilNamespace(t, root) },
	} {
		root := tree(t)
		spoil(root)
		write(t, root, "contracts/goldens/Apple@1/a.json", `{"digest": "", "name": "a"}`)
		write(t, root, "contracts/wire/gone_gen.go", "package wire")
		var out bytes.Buffer
		if err := generate(root, &out, io.Discard); err == nil {
			t.Errorf("%s: is accepted", name)
		}
		if out.Len() > 0 || read(t, root, "contracts/goldens/Apple@1/a.canonical") != "" || read(t, root, "contracts/wire/gone_gen.go") == "" {
			t.Errorf("%s: files were changed: %s", name, &out)
		}
	}
}

func spoilNamespace(t *testing.T, root string) {
	t.Helper()
	write(t, root, "contracts/namespaces.json", strings.Replace(read(t, root, "contracts/namespaces.json"), "An apple", "{{", 1))
}

func TestAGoldenThatItsSchemaRefusesIsRefused(t *testing.T) {
	t.Parallel()
	root := copied(t)
	const file = "contracts/goldens/SettlementEconomicIdentity@1/money.json"
	text := read(t, root, file)
	write(t, root, file, strings.Replace(text, "{", `{"color": "red", `, 1))
	wantError(t, generate(root, io.Discard, io.Discard), `money.json is not valid by SettlementEconomicIdentity@1: "/color" member_is_known`)
	write(t, root, file, text)
	const derive = "contracts/goldens/derive.json"
	write(t, root, derive, strings.Replace(read(t, root, derive), `"candidate": {`, `"candidate": {"color": "red", `, 1))
	wantError(t, generate(root, io.Discard, io.Discard), `derive.json /0/candidate is not valid by`)
}

func TestGoldensThatAreMissedAreNamed(t *testing.T) {
	t.Parallel()
	root := tree(t)
	const warning = "write contracts/goldens/Apple@1/<case>.json for each kind of document that is valid, and contracts/goldens/Apple@1/invalid.json"
	wantWarning(t, root, warning)
	write(t, root, "contracts/goldens/Apple@1/invalid.json", `[]`)
	wantWarning(t, root, warning)
	write(t, root, "contracts/goldens/Apple@1/a.json", `{"digest": "", "name": "a"}`)
	write(t, root, "contracts/goldens/Apple@1/b.json", `{"digest": "", "name": "b"}`)
	wantWarning(t, root, "DeliverySetDefinition@1 is not complete")
	for _, file := range []string{"a.json", "invalid.json"} {
		write(t, root, "contracts/goldens/DeliverySetDefinition@1/"+file, `{}`)
	}
	wantWarning(t, root, "")
	if err := os.Remove(filepath.Join(root, "contracts/goldens/Apple@1/invalid.json")); err != nil {
		t.Fatal(err)
	}
	wantWarning(t, root, warning)
}

func TestASnapshotThatHasToMoveIsTold(t *testing.T) {
	t.Parallel()
	const warning = "002_install_code.sql has to become 003_install_code.sql: run make snapshot\n"
	root := tree(t)
	write(t, root, "sql/migrations/002_install_code.sql", "install …")
	wantWarning(t, root, warning)
	wantWarning(t, root, warning) // until it has moved
	const install = "sql/migrations/00%_install_code.sql"
	if err := os.Rename(filepath.Join(root, strings.Replace(install, "%", "2", 1)), filepath.Join(root, strings.Replace(install, "%", "3", 1))); err != nil {
		t.Fatal(err)
	}
	var warnings bytes.Buffer
	if err := generate(root, io.Discard, &warnings); err != nil || strings.Contains(warnings.String(), "snapshot") {
		t.Errorf("it has moved: %v, %s", err, &warnings)
	}
}
