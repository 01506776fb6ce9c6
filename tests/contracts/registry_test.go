package contracts_test

import (
	"testing"

	"github.com/oceanway/outbox/tests/goldens"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestUnknownSchemaIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, schema := range []any{"Unknown@1", "EventEnvelope", "EventEnvelope@2", "eventEnvelope@1", "CommonTypes@1", "", nil} {
		tap.Throws(t, db, "OX023", "schema_is_registered", "select contracts.validate($1, '{}')", schema)
	}
	tap.Throws(t, db, "OX023", "schema_is_registered", "select contracts.digest('Unknown@1', '{}')")
}

func TestSchemaWithoutDigestRuleHasNoDigest(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.Throws(t, db, "OX023", "schema_has_digest_rule", "select contracts.digest('SettlementEconomicIdentity@1', '{\"kind\":\"credits\"}')")
}

func TestDigestNeedsAnObjectWithACanonicalForm(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, document := range []any{"[]", "null", `"x"`, "1", nil} {
		tap.Throws(t, db, "OX001", "type_is_right", "select contracts.digest('EventEnvelope@1', $1::text::json)", document)
	}
	tap.Throws(t, db, "OX001", "no_duplicate_key", `select contracts.digest('EventEnvelope@1', '{"a":1,"a":2}')`)
	tap.Throws(t, db, "OX002", "number_within_range", `select contracts.digest('EventEnvelope@1', '{"a":1e999}')`)
}

func TestDigestLeavesOutExactlyWhatTheRuleSays(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.RowEq(t, db, tap.Row{true, true}, `
		select contracts.digest('DeliverySetDefinition@1', '{"b":1,"deliverySetDefinitionDigest":"x","a":2}') = sha256('{"a":2,"b":1}'),
			contracts.digest('EventEnvelope@1', '{"b":1,"deliverySetDefinitionDigest":"x"}') = sha256('{"b":1,"deliverySetDefinitionDigest":"x"}')`)
}

func TestNullIsNotValid(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.RowEq(t, db, tap.Row{"", "type_is_right"}, "select path, rule from contracts.validate('EventEnvelope@1', null)")
}

func TestDerivedGoldens(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	holdDerived(t, db)
	namespaces := map[string]bool{}
	for _, d := range goldens.ReadDerived(t, goldenDir) {
		namespaces[d.Namespace] = true
	}
	for _, namespace := range tap.Column[string](t, db, "select namespace from contracts.namespaces") {
		tap.Ok(t, namespaces[namespace], namespace+" has goldens")
	}
}

// holdDerived asserts that a session derives every golden as its file says.
func holdDerived(t *testing.T, db tap.Querier) {
	t.Helper()
	for _, d := range goldens.ReadDerived(t, goldenDir) {
		tap.RowEq(t, db, tap.Row{d.ID, d.Key},
			"select contracts.derive_id($1, $2::pg_catalog.text::pg_catalog.json)::pg_catalog.text, contracts.derive_key($1, $2::pg_catalog.text::pg_catalog.json)", d.Namespace, string(d.Candidate))
	}
}

func TestUnknownNamespaceIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, call := range []string{"derive_id('nowhere', '{}')", "derive_key('nowhere', '{}')", "derive_id(null, '{}')", "derive_key('', '{}')"} {
		tap.Throws(t, db, "OX023", "namespace_is_registered", "select contracts."+call)
	}
}

func TestCandidateThatItsSchemaRefusesGivesNoIdentifier(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, c := range []struct{ candidate, rule, path string }{
		{`{"billingReservationId":"r","runStepId":"s","executionAttemptId":"a"}`, "member_is_present", "/chargeDimensionKey"},
		{`{"billingReservationId":"r","runStepId":"s","executionAttemptId":"a","chargeDimensionKey":"c","more":1}`, "member_is_known", "/more"},
		{`{"billingReservationId":"r","runStepId":"s","executionAttemptId":"a","chargeDimensionKey":1}`, "type_is_right", "/chargeDimensionKey"},
		{`{"billingReservationId":"r","runStepId":"s","executionAttemptId":"a","chargeDimensionKey":"c","chargeDimensionKey":"d"}`, "no_duplicate_key", "/chargeDimensionKey"},
		{`[]`, "type_is_right", "(whole document)"},
	} {
		for _, function := range []string{"derive_id", "derive_key"} {
			report := tap.Throws(t, db, "OX001", c.rule, "select contracts."+function+"('settlement_dimension', $1::text::json)", c.candidate)
			if report != nil && report.Detail != c.path {
				t.Errorf("%s: %s, not %s", c.candidate, report.Detail, c.path)
			}
		}
	}
	tap.Throws(t, db, "OX001", "type_is_right", "select contracts.derive_id('settlement_dimension', null)")
}

func TestOrderOfMembersDoesNotChangeAnIdentifier(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.RowEq(t, db, tap.Row{true, true, "8"}, `
		select a.id = b.id, a.id <> c.id, substr(a.id::text, 15, 1)
		from contracts.derive_id('settlement_dimension', '{"billingReservationId":"r","runStepId":"s","executionAttemptId":"a","chargeDimensionKey":"c"}') as a(id),
			contracts.derive_id('settlement_dimension', '{"chargeDimensionKey":"c", "executionAttemptId":"\u0061","runStepId":"s","billingReservationId":"r"}') as b(id),
			contracts.derive_id('settlement_dimension', '{"billingReservationId":"s","runStepId":"r","executionAttemptId":"a","chargeDimensionKey":"c"}') as c(id)`)
}
