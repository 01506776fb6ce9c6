package deliverysets_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestRegisteredDefinitionIsStoredRowByRow(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	fixture.Register(t, d.Login(t, "outbox_governor"), fixture.Definition("first"))
	canonical, err := contracts.Canonical([]byte(fixture.JSON(fixture.Definition("first"))))
	if err != nil {
		t.Fatal(err)
	}
	db := d.Conn(t)
	tap.RowEq(t, db, tap.Row{"first", "1", "jcs-sha256-v1", fixture.Definition("first")["deliverySetDefinitionDigest"], string(canonical), "test"}, `
		select delivery_set_version, delivery_set_definition_schema_version, delivery_set_definition_digest_algorithm_version,
			encode(delivery_set_definition_digest, 'hex'), definition, source_release
		from outbox.delivery_set_versions`)
	var whole struct {
		ApplicableEvents []struct{ EventType, EventSchemaVersion string }
		Members          []struct {
			EventType, EventSchemaVersion, Destination, ConsumerName string
			ExpectedReceiptType, ExpectedReceiptSchemaVersion        string
			ProjectionTarget                                         struct{ State, ProjectionName, ProjectionVersion string }
			Mandatory                                                bool
		}
	}
	if err := json.Unmarshal(canonical, &whole); err != nil {
		t.Fatal(err)
	}
	events, members := tap.Rows{}, tap.Rows{}
	for _, e := range whole.ApplicableEvents {
		events = append(events, tap.Row{"first", e.EventType, e.EventSchemaVersion})
	}
	for _, m := range whole.Members {
		projection := tap.Row{nil, nil}
		if m.ProjectionTarget.State == "required" {
			projection = tap.Row{m.ProjectionTarget.ProjectionName, m.ProjectionTarget.ProjectionVersion}
		}
		members = append(members, append(tap.Row{
			"first", m.EventType, m.EventSchemaVersion, m.Destination, m.ConsumerName, m.Mandatory, m.ExpectedReceiptType,
			m.ExpectedReceiptSchemaVersion, m.ProjectionTarget.State,
		}, projection...))
	}
	tap.BagEq(t, db, events, "select delivery_set_version, event_type, event_schema_version from outbox.delivery_set_applicable_events")
	tap.BagEq(t, db, members, `
		select delivery_set_version, event_type, event_schema_version, destination, consumer_name, mandatory, expected_receipt_type,
			expected_receipt_schema_version, projection_target_state, projection_name, projection_version
		from outbox.delivery_set_members`)
}

func TestSameDefinitionAgainIsIdentical(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	db := d.As(t, "outbox_governor")
	first := fixture.JSON(fixture.Definition("first"))
	tap.RowEq(t, db, tap.Row{"inserted"}, registerSQL, first)
	indented, err := json.MarshalIndent(fixture.Definition("first"), " ", "\t")
	if err != nil {
		t.Fatal(err)
	}
	respelled := strings.Replace(first, `"applicableEventCount":13`, `"applicableEventCount":1.3e1`, 1)
	for _, again := range []string{first, string(indented), respelled} {
		tap.RowEq(t, db, tap.Row{"identical"}, "select outbox.register_delivery_set($1::json, 'a later release')", again)
	}
	tap.RowEq(t, d.Conn(t), tap.Row{1, "test", 13, 14}, `
		select count(*), min(source_release), (select count(*) from outbox.delivery_set_applicable_events),
			(select count(*) from outbox.delivery_set_members)
		from outbox.delivery_set_versions`)
	tap.RowEq(t, d.Conn(t), tap.Row{1}, "select count(*) from outbox.operator_actions")
}

func TestAnotherDefinitionUnderAKnownVersionIsRefused(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	db := d.As(t, "outbox_governor")
	fixture.Register(t, db, fixture.Definition("first"))
	smaller := fixture.Definition("first", fixture.DropEvent(fixture.WalletReserved))
	tap.ThrowsLike(t, db, "OX011", "definition_is_immutable", "/deliverySetVersion", registerSQL, fixture.JSON(smaller))
	tap.RowEq(t, d.Conn(t), tap.Row{1, 13, 14, 1}, `
		select count(*), (select count(*) from outbox.delivery_set_applicable_events), (select count(*) from outbox.delivery_set_members),
			(select count(*) from outbox.operator_actions)
		from outbox.delivery_set_versions`)
}

func TestRegistrationIsRecorded(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	governor := d.Login(t, "outbox_governor")
	fixture.Register(t, governor, fixture.Definition("first"))
	who := tap.Value[string](t, governor, "select current_user::text")
	tap.RowEq(t, d.Conn(t), tap.Row{"register", "first", who, true, who}, `
		select a.action, a.delivery_set_version, a.acted_by::text, a.acted_at between now() - interval '1 minute' and clock_timestamp(), v.registered_by::text
		from outbox.operator_actions a join outbox.delivery_set_versions v using (delivery_set_version)`)
}

func TestReleaseOfADefinitionIsNamed(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).As(t, "outbox_governor")
	for _, release := range []any{nil, "", strings.Repeat("x", 257)} {
		tap.ThrowsLike(t, db, "OX023", "source_release_is_named", "p_source_release", "select outbox.register_delivery_set($1::json, $2)",
			fixture.JSON(fixture.Definition("first")), release)
	}
	tap.RowEq(t, db, tap.Row{"inserted"}, "select outbox.register_delivery_set($1::json, $2)", fixture.JSON(fixture.Definition("first")), strings.Repeat("x", 256))
}

func TestConcurrentRegistrationsOfOneVersion(t *testing.T) {
	t.Parallel()
	same := fixture.JSON(fixture.Definition("first"))
	other := fixture.JSON(fixture.Definition("first", fixture.DropEvent(fixture.WalletReserved)))
	for name, c := range map[string]struct {
		second   string
		rollback bool
		check    func(t *testing.T, err error)
	}{
		"the same is identical":                {same, false, lives},
		"another is refused":                   {other, false, func(t *testing.T, err error) { t.Helper(); tap.Raised(t, err, "OX011", "definition_is_immutable") }},
		"another wins when the first gives up": {other, true, lives},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := testdb.New(t)
			first, second := d.As(t, "outbox_governor"), d.As(t, "outbox_governor")
			tx := begin(t, first, pgx.ReadCommitted)
			tap.Exec(t, tx, registerSQL, same)
			done := inBackground(t.Context(), second, registerSQL, c.second)
			d.AwaitBlocked(t, second, first)
			if c.rollback {
				if err := tx.Rollback(t.Context()); err != nil {
					t.Fatal(err)
				}
			} else {
				commit(t, tx)
			}
			c.check(t, <-done)
			tap.RowEq(t, d.Conn(t), tap.Row{1, true}, `
				select count(*), min(jsonb_array_length(definition::jsonb -> 'members')) = (select count(*) from outbox.delivery_set_members)
				from outbox.delivery_set_versions`)
		})
	}
}

func lives(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
