package registration_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/oceanway/outbox/internal/schema"
	"github.com/oceanway/outbox/internal/schema/registration"
)

func file(name, rest string) *fstest.MapFile {
	return &fstest.MapFile{Data: fmt.Appendf(nil, `{
"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:oceanway:contracts:%s", "title": "%s",
"description": "For this test.", "x-nfc": true, %s}`, name, name, rest)}
}

func rows(t *testing.T, folder fstest.MapFS) []registration.Row {
	t.Helper()
	set, err := schema.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	list, err := registration.Schemas(set)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// object is a schema of an object with one member.
func object(member string) string {
	return `"type": "object", "properties": {"a": ` + member + `}, "required": [], "additionalProperties": false`
}

func TestReferencesAreResolvedAndDefinitionsHaveNoRow(t *testing.T) {
	list := rows(t, fstest.MapFS{
		"Apple@1.json":  file("Apple@1", object(`{"$ref": "urn:oceanway:contracts:Types@1#/$defs/colour"}`)),
		"Basket@1.json": file("Basket@1", object(`{"$ref": "urn:oceanway:contracts:Apple@1"}`)),
		"Types@1.json":  file("Types@1", `"$defs": {"hue": {"enum": ["red"]}, "colour": {"$ref": "#/$defs/hue", "description": "A colour."}}`),
	})
	if len(list) != 2 || list[0].What != "Apple@1" || list[1].What != "Basket@1" {
		t.Fatalf("got %v", list)
	}
	const apple = `{"additionalProperties":false,"properties":{"a":{"enum":["red"]}},"required":[],"type":"object"}`
	const basket = `{"additionalProperties":false,"properties":{"a":` + apple + `},"required":[],"type":"object"}`
	for i, want := range []string{apple, basket} {
		if !strings.HasPrefix(list[i].Rest, "$json$"+want+"$json$,\n$path$") {
			t.Errorf("want %s, got %s", want, list[i].Rest)
		}
		if !strings.Contains(list[i].Identity, `"$ref":"urn:`) {
			t.Errorf("the document is not the file: %s", list[i].Identity)
		}
	}
}

func TestWhatWouldEndALiteralIsEscaped(t *testing.T) {
	row := rows(t, fstest.MapFS{"Apple@1.json": file("Apple@1", object(`{"enum": ["$json$json$", "\\$json$", "$path$path$"]}`))})[0]
	text := row.Identity + row.Rest
	documents, check, _ := strings.Cut(text, "$path$strict ")
	if strings.Count(documents, "$json") != 4 || strings.Count(check, "$path") != 1 {
		t.Errorf("a literal ends early:\n%s", text)
	}
	if !strings.Contains(documents, `["\u0024json\u0024json$","\\\u0024json$","$path$path$"]`) {
		t.Errorf("the values are others:\n%s", documents)
	}
}

func TestAQuickCheckThatIsTooLongIsLeftOut(t *testing.T) {
	row := rows(t, fstest.MapFS{"Apple@1.json": file("Apple@1", object(`{"const": "`+strings.Repeat("a", 1<<16)+`"}`))})[0]
	if !strings.HasSuffix(row.Rest, "$json$,\nnull)") {
		t.Errorf("it is there: …%s", row.Rest[len(row.Rest)-100:])
	}
}

func TestTemplateSyntaxIsRefusedByName(t *testing.T) {
	list := rows(t, fstest.MapFS{
		"Apple@1.json": file("Apple@1", object(`{"const": "{"}`)), "Pear@1.json": file("Pear@1", object(`{"const": "{{"}`)),
	})
	_, err := registration.Migration("For this test.", registration.Table{Into: registration.SchemaColumns, Rows: list})
	if err == nil || err.Error() != "Pear@1 holds {{, which tern reads as its own" {
		t.Errorf("got %v", err)
	}
	list = rows(t, fstest.MapFS{"Apple@1.json": file("Apple@1", object(`{"const": "---- create above / drop below ----"}`))})
	_, err = registration.Migration("For this test.", registration.Table{Into: registration.SchemaColumns, Rows: list})
	if err == nil || err.Error() != "Apple@1 holds ---- create above / drop below ----, which tern reads as its own" {
		t.Errorf("got %v", err)
	}
}
