package contracts_test

import (
	"slices"
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/goldens"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// own is a schema as another team would register it, with the keywords that no object of this release uses.
const own = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:oceanway:contracts:CatalogueChanged@1", "title": "CatalogueChanged@1",
	"description": "A catalogue that changed.", "x-nfc": true, "type": "object",
	"properties": {
		"prices": {
			"type": "array", "minItems": 1, "maxItems": 3, "x-sorted-by": ["sku", "region"], "x-unique-by": ["sku"],
			"items": {
				"type": "object", "required": ["sku", "region"], "additionalProperties": false,
				"properties": {"sku": {"type": "string"}, "region": {"type": "string"}, "delta": {"type": "string", "x-decimal": {"precision": 5, "scale": 2, "signed": true}}}
			}
		},
		"flags": {"type": "array", "maxItems": 9, "items": {"type": "boolean"}},
		"final": {"type": "boolean"}, "level": {"type": "integer", "minimum": -5, "maximum": 5}, "same": {"const": true}
	},
	"required": ["prices"], "additionalProperties": false, "x-equal": {"/final": "/same"}
}`

// register adds a schema that has no references, as a release migration of another team would.
func register(t *testing.T, db tap.Querier, schema, document string) {
	t.Helper()
	tap.Exec(t, db, "insert into contracts.schemas (schema, document, resolved) values ($1, $2::text::jsonb, $2::text::jsonb)", schema, document)
}

func TestSchemaOfAnotherTeamIsJudgedWithoutACompiledCheck(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	register(t, d.As(t, "outbox_owner"), "CatalogueChanged@1", own)
	db := d.As(t, "outbox_producer")
	for document, want := range map[string][]goldens.Violation{
		`{"prices":[{"sku":"a","region":"x"},{"sku":"b","region":"a","delta":"-1.5"}]}`:  nil,
		`{"prices":[{"sku":"\ud83d\ude00","region":"x"},{"sku":"\uffee","region":"a"}]}`: nil, // UTF-16 order, not that of code points
		`{"prices":[{"sku":"\uffee","region":"x"},{"sku":"\ud83d\ude00","region":"a"}]}`: {{Path: "/prices/1", Rule: "array_is_sorted"}},
		`{"prices":[]}`: {{Path: "/prices", Rule: "array_length_within_bounds"}},
		`{"prices":[{"sku":"a","region":"x"},{"sku":"b","region":"x"},{"sku":"c","region":"x"},{"sku":"d","region":"x"}]}`: {{Path: "/prices", Rule: "array_length_within_bounds"}},
		`{"prices":[{"sku":"a","region":"y"},{"sku":"a","region":"x"}]}`: {
			{Path: "/prices/1", Rule: "array_has_no_duplicate"}, {Path: "/prices/1", Rule: "array_is_sorted"},
		},
		`{"prices":[{"sku":"a","region":"y"},{"sku":1,"region":"x"},{"sku":"a","region":"x"}]}`: {
			{Path: "/prices/1/sku", Rule: "type_is_right"}, {Path: "/prices/2", Rule: "array_has_no_duplicate"}, {Path: "/prices/2", Rule: "array_is_sorted"},
		},
		`{"prices":[1,null,{"sku":"a","region":"y"}]}`: {
			{Path: "/prices/0", Rule: "type_is_right"}, {Path: "/prices/1", Rule: "type_is_right"},
		},
		// Too long: not judged further.
		`{"prices":[1,"x",null,{}]}`:                                      {{Path: "/prices", Rule: "array_length_within_bounds"}},
		`{"prices":[{"sku":"a","region":"y","delta":"-0"}]}`:              {{Path: "/prices/0/delta", Rule: "decimal_is_canonical"}},
		`{"prices":[{"sku":"a","region":"y","delta":"1000"}]}`:            {{Path: "/prices/0/delta", Rule: "decimal_is_canonical"}},
		`{"prices":[{"sku":"a","region":"y","delta":"999.99"}]}`:          nil,
		`{"prices":[{"sku":"a","region":"y","delta":"999.999"}]}`:         {{Path: "/prices/0/delta", Rule: "decimal_is_canonical"}},
		`{"prices":[{"sku":"a","region":"y"}],"flags":[true,0]}`:          {{Path: "/flags/1", Rule: "type_is_right"}},
		`{"prices":[{"sku":"a","region":"y"}],"final":1}`:                 {{Path: "/final", Rule: "type_is_right"}},
		`{"prices":[{"sku":"a","region":"y"}],"final":false,"same":true}`: {{Path: "/final", Rule: "members_are_equal"}},
		`{"prices":[{"sku":"a","region":"y"}],"same":"true"}`:             {{Path: "/same", Rule: "value_is_expected"}},
		`{"prices":[{"sku":"a","region":"y"}],"level":-6}`:                {{Path: "/level", Rule: "number_within_bounds"}},
		`{"prices":[{"sku":"a","region":"y"}],"level":5.0}`:               nil,
		`{"prices":[{"sku":"a","region":"y"}],"level":5e-1}`:              {{Path: "/level", Rule: "type_is_right"}},
		`{"prices":{}}`: {{Path: "/prices", Rule: "type_is_right"}},
		`[]`:            {{Path: "", Rule: "type_is_right"}},
		`null`:          {{Path: "", Rule: "type_is_right"}},
	} {
		if have := violations(t, db, []judged{{"CatalogueChanged@1", document}})[0]; !slices.Equal(have, want) {
			t.Errorf("%s\n  have: %+v\n  want: %+v", document, have, want)
		}
	}
}

func TestEventTypeOfAnotherTeamHasItsPayloadJudged(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db, owner := d.Conn(t), d.As(t, "outbox_owner")
	register(t, owner, "CatalogueChanged@1", own)
	tap.Exec(t, owner, `
		insert into contracts.event_types (event_type, event_schema_version, producer, payload_schema)
		values ('catalogue.changed@1', '1', 'catalogue', 'CatalogueChanged@1')`)
	pair := fixture.Pair{EventType: "catalogue.changed@1", SchemaVersion: "1"}
	definition := fixture.Definition("with-catalogue", fixture.AddEvent(pair))
	fixture.Register(t, db, definition)
	fixture.Activate(t, db, definition)
	producer := d.As(t, "outbox_producer")
	fixture.AppendNew(t, producer, fixture.Type(pair), fixture.Payload(`{"prices":[{"sku":"a","region":"x"}]}`))
	report := tap.Throws(t, producer, "OX001", "array_length_within_bounds", "select outbox.append_event($1::json)",
		fixture.Envelope(fixture.Type(pair), fixture.Payload(`{"prices":[]}`)))
	if report != nil && report.Detail != "/payload/prices" {
		t.Errorf("the path is %s", report.Detail)
	}
}
