package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes a small repository: two schemas, one namespace and a migration for tables.
func tree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	head := func(name string) string {
		return `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:oceanway:contracts:` + name +
			`", "title": "` + name + `", "description": "It's for a test.", "x-nfc": true, `
	}
	write(t, root, "contracts/schemas/CommonTypes@1.json", head("CommonTypes@1")+`"$defs": {"name": {"type": "string", "pattern": "^[^\u007f\\\\]+$"}}}`)
	write(t, root, "contracts/schemas/Apple@1.json", head("Apple@1")+`
		"x-digest": {"algorithmVersion": "jcs-sha256-v1", "member": "digest", "excludes": ["digest", "time"]},
		"type": "object", "required": ["digest", "name"], "additionalProperties": false, "properties": {
			"digest": {"type": "string"}, "time": {"type": "string"}, "name": {"$ref": "urn:oceanway:contracts:CommonTypes@1#/$defs/name"}}}`)
	write(t, root, "contracts/schemas/DeliverySetDefinition@1.json", head("DeliverySetDefinition@1")+`
		"type": "object", "required": [], "additionalProperties": false, "properties": {"name": {"type": "string"}}}`)
	write(t, root, "contracts/namespaces.json", `[{"namespace": "apple", "namespaceId": "81227f4d-6881-4601-8254-88c2bd8edfa4",
		"candidateSchema": "Apple@1", "description": "An apple's name."}]`)
	write(t, root, "sql/migrations/001_tables.sql", "create table t ();")
	return root
}

func write(t *testing.T, root, path, text string) {
	t.Helper()
	target := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// read gives the text of a file, "" when there is none.
func read(t *testing.T, root, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

func mustGenerate(t *testing.T, root string) {
	t.Helper()
	if err := generate(root, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := generate(root, &out, io.Discard); err != nil || out.Len() > 0 {
		t.Fatalf("generating leaves something to do: %v %s", err, &out)
	}
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("got %v, want an error with %q", err, part)
	}
}

func TestTheRepositoryIsCurrent(t *testing.T) {
	root := copied(t)
	var out, warnings bytes.Buffer
	if err := generate(root, &out, &warnings); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 || warnings.Len() > 0 {
		t.Errorf("run `make generate`:\n%s%s", &out, &warnings)
	}
}

func TestTheDigestOfAGoldenIsFilledInAndNothingElseChanges(t *testing.T) {
	root := tree(t)
	const folder = "contracts/goldens/Apple@1/"
	write(t, root, folder+"red.json", "{ \"time\":\"now\",\n  \"digest\" :\"\", \"name\": \"\\u00e9\" }\n")
	write(t, root, folder+"invalid.json", `[{"name": "no member", "base": "red"}]`)
	mustGenerate(t, root)
	const canonical = `{"name":"é"}`
	if got := read(t, root, folder+"red.canonical"); got != canonical {
		t.Errorf("the candidate is %s", got)
	}
	digest := strings.Fields(read(t, root, folder+"red.sha256"))[0]
	if got, want := read(t, root, folder+"red.json"), "{ \"time\":\"now\",\n  \"digest\" :\""+digest+"\", \"name\": \"\\u00e9\" }\n"; got != want {
		t.Errorf("the document became %s", got)
	}
	command := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "red.sha256")
	command.Dir = filepath.Join(root, folder)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("sha256sum: %v: %s", err, out)
	}
	if read(t, root, folder+"invalid.canonical") != "" {
		t.Error("invalid.json was taken for a document")
	}
}

func TestAGoldenWithoutADigestHasItsWholeCanonicalForm(t *testing.T) {
	root := tree(t)
	write(t, root, "contracts/delivery-sets/first.json", `{"name": "b"}`)
	mustGenerate(t, root)
	if got := read(t, root, "contracts/delivery-sets/first.canonical"); got != `{"name":"b"}` {
		t.Errorf("the canonical form is %s", got)
	}
	if read(t, root, "contracts/delivery-sets/first.sha256") != "" {
		t.Error("it was given a digest")
	}
}

func TestGoldensOfNoDocumentAreRemoved(t *testing.T) {
	root := tree(t)
	const folder = "contracts/goldens/Apple@1/"
	write(t, root, folder+"gone.canonical", "{}")
	write(t, root, folder+"gone.sha256", "0")
	write(t, root, folder+"README.md", "kept")
	write(t, root, "contracts/goldens/DeliverySetDefinition@1/one.json", "{}")
	write(t, root, "contracts/goldens/DeliverySetDefinition@1/one.sha256", "no longer digested")
	mustGenerate(t, root)
	if read(t, root, folder+"gone.canonical")+read(t, root, folder+"gone.sha256") != "" || read(t, root, folder+"README.md") == "" {
		t.Error("goldens without a document stay, or something else went")
	}
	if read(t, root, "contracts/goldens/DeliverySetDefinition@1/one.sha256") != "" {
		t.Error("a digest stays that the schema no longer has")
	}
}

func TestGoldensThatCannotBeCompleted(t *testing.T) {
	for text, problem := range map[string]string{
		`{"name": "b"}`:                         `/digest is missing`,
		`{"digest": "", "name": "b", "name":1}`: "no canonical form",
		`["digest"]`:                            "read the document",
	} {
		root := tree(t)
		write(t, root, "contracts/goldens/Apple@1/a.json", text)
		wantError(t, generate(root, io.Discard, io.Discard), problem)
	}
	root := tree(t)
	write(t, root, "contracts/goldens/Pear@1/a.json", "{}")
	wantError(t, generate(root, io.Discard, io.Discard), "no schema Pear@1")
}

func TestDerivedIdentifiers(t *testing.T) {
	root := tree(t)
	write(t, root, "contracts/goldens/derive.json", "[{\"namespace\": \"apple\",\n\"candidate\": {\"name\": \"b\", \"a\": 1.0}, \"id\": \"\", \"key\": \"\"}]")
	mustGenerate(t, root)
	// printf '\x81\x22\x7f\x4d\x68\x81\x46\x01\x82\x54\x88\xc2\xbd\x8e\xdf\xa4{"a":1,"name":"b"}' | sha256sum
	const want = "[{\"namespace\": \"apple\",\n\"candidate\": {\"name\": \"b\", \"a\": 1.0}, " +
		`"id": "d0e92fb5-5f60-87f3-8616-aec914cf8998", "key": "apple:d0e92fb55f60d7f38616aec914cf89985221b0f8f1f3c16c6aacd64f44ff2b5a"}]`
	if got := read(t, root, "contracts/goldens/derive.json"); got != want {
		t.Errorf("derived %s", got)
	}
	write(t, root, "contracts/goldens/derive.json", `[{"namespace": "pear", "candidate": {}, "id": "", "key": ""}]`)
	wantError(t, generate(root, io.Discard, io.Discard), `no namespace "pear"`)
	write(t, root, "contracts/goldens/derive.json", `[{"namespace": "apple", "candidate": {}, "id": ""}]`)
	wantError(t, generate(root, io.Discard, io.Discard), "/0/key is missing")
}

func TestNamespacesThatAreNotInOrder(t *testing.T) {
	const sound = `{"namespace": "apple", "namespaceId": "81227f4d-6881-4601-8254-88c2bd8edfa4", "candidateSchema": "Apple@1", "description": "x"}`
	for old, c := range map[string][2]string{
		`"apple"`:     {`"Apple"`, "lower case"},
		`81227f4d`:    {`81227F4D`, "UUID in lower case"},
		`Apple@1`:     {`Apple@2`, "no schema"},
		`"x"`:         {`""`, "description is missing"},
		`"namespace"`: {`"name"`, "unknown field"},
		`}`:           {`},` + sound, "comes twice"},
	} {
		root := tree(t)
		write(t, root, "contracts/namespaces.json", "["+strings.Replace(sound, old, c[0], 1)+"]")
		wantError(t, generate(root, io.Discard, io.Discard), c[1])
	}
}
