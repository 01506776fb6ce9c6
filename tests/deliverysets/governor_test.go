package deliverysets_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestSettingsChangeOneByOneAndAreRecorded(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	db := d.Login(t, "outbox_governor")
	const row = "select max_envelope_bytes, max_nesting, max_append_events, max_settle_outcomes, max_attempts from outbox.settings"
	tap.RowEq(t, db, tap.Row{1048576, 64, 1000, 1000, nil}, row)
	for _, c := range []struct {
		change string
		want   tap.Row
	}{
		{`{"max_nesting":32}`, tap.Row{1048576, 32, 1000, 1000, nil}},
		{`{"max_attempts":5,"max_append_events":1e1}`, tap.Row{1048576, 32, 10, 1000, 5}},
		{`{"max_settle_outcomes":500.0,"max_envelope_bytes":2048}`, tap.Row{2048, 32, 10, 500, 5}},
		{`{"max_attempts":null}`, tap.Row{2048, 32, 10, 500, nil}},
	} {
		tap.Exec(t, db, "select outbox.change_settings($1::json, 'a test')", c.change)
		tap.RowEq(t, db, c.want, row)
	}
	who := tap.Value[string](t, db, "select current_user::text")
	tap.RowEq(t, d.Conn(t), tap.Row{4, "a test", who, true}, `
		select count(*), min(reason), min(acted_by::text), bool_and(detail::jsonb <> '{}') from outbox.operator_actions where action = 'change_settings'`)
}

func TestSettingsAreRefusedWholeOrTakenWhole(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	db := d.As(t, "outbox_governor")
	const sql = "select outbox.change_settings($1::json, 'a test')"
	for change, detail := range map[string]string{
		`{"max_nesting":32,"max_depth":1}`:        "p_settings/max_depth",
		`{"max_nesting":"32"}`:                    "p_settings/max_nesting",
		`{"max_nesting":1.5}`:                     "p_settings/max_nesting",
		`{"max_nesting":0}`:                       "p_settings/max_nesting",
		`{"max_nesting":null}`:                    "p_settings/max_nesting",
		`{"max_nesting":2147483648}`:              "p_settings/max_nesting",
		`{"max_attempts":0}`:                      "p_settings/max_attempts",
		`{"singleton":false}`:                     "p_settings/singleton",
		`{"a/b":1}`:                               "p_settings/a~1b",
		`{"` + strings.Repeat("x", 1000) + `":1}`: "p_settings/" + strings.Repeat("x", 64),
	} {
		tap.ThrowsLike(t, db, "OX023", "setting_is_known", detail, sql, change)
	}
	for _, change := range []any{nil, `null`, `[]`, `1`, `{"max_nesting":2,"max_nesting":3}`, `{"max_nesting":1e400}`, `{"\u0000":1}`} {
		tap.ThrowsLike(t, db, "OX023", "settings_are_object", "p_settings", sql, change)
	}
	tap.Throws(t, db, "23514", "max_nesting_is_sane", sql, `{"max_append_events":5,"max_nesting":65}`)
	tap.RowEq(t, db, tap.Row{64, 1000}, "select max_nesting, max_append_events from outbox.settings")
	tap.IsEmpty(t, d.Conn(t), "select from outbox.operator_actions")
}

func TestPeopleSayWhy(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	governor, operator := d.As(t, "outbox_governor"), d.As(t, "outbox_operator")
	for _, reason := range []any{nil, "", strings.Repeat("x", 1001)} {
		tap.ThrowsLike(t, governor, "OX023", "reason_is_given", "p_reason", "select outbox.change_settings('{}', $1)", reason)
		tap.ThrowsLike(t, governor, "OX023", "reason_is_given", "p_reason", "select outbox.advance_lease_tokens(1, $1)", reason)
		tap.ThrowsLike(t, operator, "OX023", "reason_is_given", "p_reason", "select outbox.pause_destination('core_operations', $1)", reason)
		tap.ThrowsLike(t, operator, "OX023", "reason_is_given", "p_reason", "select outbox.resume_destination('core_operations', $1)", reason)
	}
	tap.IsEmpty(t, d.Conn(t), "select from outbox.operator_actions")
	tap.LivesOK(t, operator, "select outbox.pause_destination('core_operations', $1)", strings.Repeat("x", 1000))
}

func TestPausesAreRecorded(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	operator := d.Login(t, "outbox_operator")
	tap.RowEq(t, operator, tap.Row{"paused"}, "select outbox.pause_destination('core_operations', 'deploying')")
	tap.RowEq(t, operator, tap.Row{"resumed"}, "select outbox.resume_destination('core_operations', 'deployed')")
	for _, destination := range []any{nil, "", "nowhere", "CORE_OPERATIONS"} {
		tap.ThrowsLike(t, operator, "OX023", "destination_is_registered", "p_destination", "select outbox.pause_destination($1, 'x')", destination)
	}
	who := tap.Value[string](t, operator, "select current_user::text")
	tap.ResultsEq(t, d.As(t, "outbox_reader"), tap.Rows{
		{"pause", "core_operations", "deploying", who}, {"resume", "core_operations", "deployed", who},
	}, "select action, destination, reason, acted_by::text from outbox.operator_actions order by action_id")
}

func TestLeaseTokensMoveForwardOnly(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	governor, db := d.As(t, "outbox_governor"), d.Conn(t)
	before := fixture.AppendAndClaim(t, db, fixture.Operations).LeaseToken
	tap.RowEq(t, governor, tap.Row{5000}, "select outbox.advance_lease_tokens(5000, 'restored')")
	tap.Is(t, fixture.AppendAndClaim(t, db, fixture.Operations).LeaseToken, 5001, "the next token")
	higher := tap.Value[int64](t, governor, "select outbox.advance_lease_tokens(10, 'asked again')")
	tap.Ok(t, higher > 5001, "the sequence does not move back")
	after := fixture.AppendAndClaim(t, db, fixture.Operations).LeaseToken
	tap.Ok(t, before < 5000 && after > higher, "tokens rise")
	tap.RowEq(t, db, tap.Row{2}, "select count(*) from outbox.operator_actions where action = 'advance_lease_tokens' and reason is not null")
	for _, beyond := range []any{nil, 0, -1, int64(9223372036854775807)} {
		tap.ThrowsLike(t, governor, "OX023", "token_is_positive", "p_beyond", "select outbox.advance_lease_tokens($1, 'x')", beyond)
	}
}

func TestLeaseTokensDoNotMoveWhileAClaimIsInFlight(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	dispatching, governor := d.Login(t, "outbox_dispatcher"), d.As(t, "outbox_governor")
	fixture.AppendNew(t, d.Conn(t))
	claim := begin(t, dispatching, pgx.ReadCommitted)
	fixture.ClaimOne(t, claim, fixture.Operations)
	done := inBackground(t.Context(), governor, "select outbox.advance_lease_tokens(5000, 'restored')")
	d.AwaitBlocked(t, governor, dispatching)
	commit(t, claim)
	lives(t, <-done)
}

// TestRegisteredDefinitionIsNotExtendedByHand tries as the owner what only outbox.register_delivery_set may do.
func TestRegisteredDefinitionIsNotExtendedByHand(t *testing.T) {
	t.Parallel()
	d, _, _ := twoSets(t)
	owner := d.As(t, "outbox_owner")
	for name, sql := range map[string]string{
		"another member": `
			insert into outbox.delivery_set_members
			select delivery_set_version, event_type, event_schema_version, 'metering_input_processor', 'metering_input_processor_consumer', mandatory,
				'MeteringInputProcessorConsumerReceipt', '1', 'not_applicable', null, null
			from outbox.delivery_set_members where delivery_set_version = 'first' and event_type = 'run.created@2.0'`,
		"a text of its own": `
			insert into outbox.delivery_set_versions values ('third', '1', 'jcs-sha256-v1', sha256('{}'), '{}', 'x', now(), current_user)`,
		"no text at all": `
			insert into outbox.delivery_set_versions values ('third', '1', 'jcs-sha256-v1', sha256('{}'), 'not json', 'x', now(), current_user)`,
		"another version's text": `
			insert into outbox.delivery_set_versions
			select 'third', delivery_set_definition_schema_version, delivery_set_definition_digest_algorithm_version, delivery_set_definition_digest, definition,
				source_release, now(), current_user
			from outbox.delivery_set_versions where delivery_set_version = 'first'`,
		"half of a definition": `
			with text as (
				select jsonb_set(definition::jsonb - 'deliverySetDefinitionDigest', '{deliverySetVersion}', '"third"') as body
				from outbox.delivery_set_versions where delivery_set_version = 'first'
			), digest as (
				select body, sha256(convert_to(contracts.jcs(body::text::json), 'UTF8')) as sha256 from text
			)
			insert into outbox.delivery_set_versions
			select 'third', '1', 'jcs-sha256-v1', sha256,
				contracts.jcs((body || jsonb_build_object('deliverySetDefinitionDigest', encode(sha256, 'hex')))::text::json), 'x', now(), current_user
			from digest`,
	} {
		t.Run(name, func(t *testing.T) { tap.Throws(t, owner, "OX010", "definition_matches_rows", sql) })
	}
	smaller := fixture.Definition("smaller", fixture.DropEvent(fixture.WalletReserved))
	fixture.Register(t, d.As(t, "outbox_governor"), smaller)
	tap.Throws(t, owner, "OX010", "definition_matches_rows", "insert into outbox.delivery_set_applicable_events values ('smaller', 'wallet.reserved@2.0', '2.0')")
	tap.IsEmpty(t, d.Conn(t), "select * from outbox.verify()")
}
