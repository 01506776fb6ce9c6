package contracts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/goldens"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// repeated is an array of as many items.
func repeated(count int, item func(i int) string) string {
	items := make([]string, count)
	for i := range items {
		items[i] = item(i)
	}
	return "[" + strings.Join(items, ",") + "]"
}

// object is an object of as many members.
func object(count int, value func(i int) string) string {
	members := make([]string, count)
	for i := range members {
		members[i] = fmt.Sprintf(`"k%d":%s`, i, value(i))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// TestLargeDocumentsAreJudgedInTime: work grows with the document, not with its square, whatever the document is made of. The
// limit is far above what any of them takes, and far below what the square would.
func TestLargeDocumentsAreJudgedInTime(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.Exec(t, db, "set statement_timeout = '90 s'")
	registry, err := contracts.Load()
	if err != nil {
		t.Fatal(err)
	}
	const many = 100_000
	number := func(i int) string { return fmt.Sprint(i) }
	for name, payload := range map[string]string{
		"many members":      object(many, number),
		"many numbers":      `{"a":` + repeated(many, number) + "}",
		"many texts":        `{"a":` + repeated(many, func(i int) string { return fmt.Sprintf("%q", fmt.Sprint("text ", i)) }) + "}",
		"many objects":      `{"a":` + repeated(many, func(int) string { return `{"b":{}}` }) + "}",
		"many astral names": object(many/4, func(int) string { return `{"😀￮":1}` }),
	} {
		t.Run(name, func(t *testing.T) {
			document := envelope(payload)
			if found := violations(t, db, []judged{{"EventEnvelope@1", document}})[0]; len(found) > 0 {
				t.Errorf("not valid: %+v", found)
			}
			canonical, err := contracts.Canonical([]byte(document))
			if err != nil {
				t.Fatal(err)
			}
			if canonicalise(t, db, []string{document})[0] != string(canonical) {
				t.Error("another canonical form")
			}
		})
	}
	t.Run("many unknown members", func(t *testing.T) {
		if found := violations(t, db, []judged{{"SettlementEconomicIdentity@1", `{"kind":"credits",` + object(many, number)[1:]}})[0]; len(found) != many {
			t.Errorf("%d violations", len(found))
		}
	})
	t.Run("an array that is too long is not judged further", func(t *testing.T) {
		document := `{"applicableEvents":` + repeated(many, func(int) string { return "{}" }) + `,"members":` + repeated(many, number) + "}"
		want := []goldens.Violation{{Path: "/applicableEvents", Rule: "array_length_within_bounds"}, {Path: "/members", Rule: "array_length_within_bounds"}}
		inArrays := func(found []goldens.Violation) []goldens.Violation {
			return slices.DeleteFunc(found, func(v goldens.Violation) bool { return v.Rule == "member_is_present" })
		}
		if found := inArrays(violations(t, db, []judged{{"DeliverySetDefinition@1", document}})[0]); !slices.Equal(found, want) {
			t.Errorf("the database: %+v", found)
		}
		said, err := registry.Validate("DeliverySetDefinition@1", []byte(document))
		if err != nil {
			t.Fatal(err)
		}
		var found []goldens.Violation
		for _, v := range said {
			found = append(found, goldens.Violation{Path: v.Path, Rule: v.Rule})
		}
		if found = inArrays(found); !slices.Equal(found, want) {
			t.Errorf("Go: %+v", found)
		}
	})
	t.Run("a definition as long as one may be", func(t *testing.T) {
		document := `{"applicableEvents":` + repeated(10_000, func(i int) string {
			return fmt.Sprintf(`{"eventType":"e%05d@1","eventSchemaVersion":"1"}`, i)
		}) + "}"
		for _, v := range violations(t, db, []judged{{"DeliverySetDefinition@1", document}})[0] {
			tap.Ok(t, v.Rule == "member_is_present", "nothing is wrong with its events: "+v.Path+" "+v.Rule)
		}
	})
}

// envelope is a valid envelope around a payload.
func envelope(payload string) string {
	return `{"envelopeSchemaVersion":"1","eventId":"01234567-89ab-4def-8123-456789abcdef","eventType":"run.created@2.0","eventSchemaVersion":"2.0",
		"aggregateId":"a","aggregateRevision":1,"tenantKind":"organization","tenantId":"t","workspaceId":"w","correlationId":"c","operationId":"o",
		"occurredAt":"2026-11-30T12:00:00Z","payload":` + payload + "}"
}

// TestLargeDocumentsAreToldWithoutAPlace: above 256 KiB neither side looks for the place, and both say the same rule.
func TestLargeDocumentsAreToldWithoutAPlace(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.Exec(t, db, "set statement_timeout = '60 s'")
	registry, err := contracts.Load()
	if err != nil {
		t.Fatal(err)
	}
	filler := `"filler":"` + strings.Repeat("é", 1<<17) + `"`
	deep := func(levels int, inner string) string {
		return strings.Repeat(`{"a":[`, levels/2) + inner + strings.Repeat(`]}`, levels/2)
	}
	for rule, payload := range map[string]string{
		"no_nul_character":     `{` + filler + `,"x":{"y":"\u0000"}}`,
		"no_lone_surrogate":    `{` + filler + `,"x":{"y":"\ud800"}}`,
		"no_duplicate_key":     `{` + filler + `,"x":{"y":1,"y":2}}`,
		"text_is_nfc":          "{" + filler + `,"x":"e` + "\u0301" + `"}`,
		"number_is_exact":      `{` + filler + `,"x":[9007199254740993]}`,
		"nesting_within_limit": `{` + filler + `,"x":` + deep(100, "9007199254740993") + `}`,
	} {
		document, want := envelope(payload), []goldens.Violation{{Path: "", Rule: rule}}
		if found := violations(t, db, []judged{{"EventEnvelope@1", document}})[0]; !slices.Equal(found, want) {
			t.Errorf("%s: the database says %+v", rule, found)
		}
		said, err := registry.Validate("EventEnvelope@1", []byte(document))
		if err != nil || len(said) != 1 || said[0].Path != "" || said[0].Rule != rule {
			t.Errorf("%s: Go says %+v, %v", rule, said, err)
		}
	}
	// A nest around much costs no look at each level.
	nested := strings.Repeat("[", 120) + strings.Repeat(`"é",`, 2000) + `{"a":1,"a":2}` + strings.Repeat("]", 120)
	tap.Exec(t, db, "set statement_timeout = '10 s'")
	if found := violations(t, db, []judged{{"EventEnvelope@1", nested}})[0]; len(found) != 1 || found[0].Rule != "no_duplicate_key" ||
		found[0].Path != strings.Repeat("/0", 119)+"/2000/a" {
		t.Errorf("nested: %+v", found)
	}
}
