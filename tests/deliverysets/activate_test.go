package deliverysets_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestActivationNeedsARegisteredDefinition(t *testing.T) {
	t.Parallel()
	d, first, _ := twoSets(t)
	db := d.As(t, "outbox_governor")
	for _, version := range []any{"third", "FIRST", "", nil} {
		parameters := fixture.Quadruple(first, "1 s")
		parameters[0] = version
		tap.ThrowsLike(t, db, "OX010", "definition_is_registered", "p_delivery_set_version", fixture.ActivateSQL, parameters...)
	}
	activeIs(t, db, "first")
}

func TestActivationNeedsTheWholeQuadruple(t *testing.T) {
	t.Parallel()
	d, first, second := twoSets(t)
	db := d.As(t, "outbox_governor")
	for _, c := range []struct {
		at     int
		value  any
		detail string
	}{
		{1, "2", "p_schema_version"},
		{1, nil, "p_schema_version"},
		{2, "jcs-sha256-v2", "p_digest_algorithm_version"},
		{2, nil, "p_digest_algorithm_version"},
		{3, first["deliverySetDefinitionDigest"], "p_digest"},
		{3, "00", "p_digest"},
		{3, nil, "p_digest"},
	} {
		parameters := fixture.Quadruple(second, "1 s")
		parameters[c.at] = c.value
		tap.ThrowsLike(t, db, "OX011", "quadruple_matches", c.detail, fixture.ActivateSQL, parameters...)
	}
	activeIs(t, db, "first")
	tap.RowEq(t, db, tap.Row{1}, "select count(*) from outbox.delivery_set_activations")
}

func TestActivationIsRecorded(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	governor := d.Login(t, "outbox_governor")
	first := fixture.Definition("first")
	fixture.Register(t, governor, first)
	fixture.Activate(t, governor, first)
	who := tap.Value[string](t, governor, "select current_user::text")
	db := d.Conn(t)
	tap.RowEq(t, db, tap.Row{"first", who, true, true}, `
		select x.delivery_set_version, x.activated_by::text, x.activated_at between now() - interval '1 minute' and clock_timestamp(),
			x.activation_id = a.activation_id
		from outbox.delivery_set_activations x, outbox.active_delivery_set a`)
	tap.RowEq(t, db, tap.Row{"activate", "first", who, "first activation"}, `
		select action, delivery_set_version, acted_by::text, reason from outbox.operator_actions where action = 'activate'`)
}

func TestActivatingTheActiveSetAgainChangesNothing(t *testing.T) {
	t.Parallel()
	d, first, _ := twoSets(t)
	db := d.As(t, "outbox_governor")
	tap.RowEq(t, db, tap.Row{"already_active"}, fixture.ActivateSQL, fixture.Quadruple(first, "1 s")...)
	tap.RowEq(t, d.Conn(t), tap.Row{1, 1}, `
		select count(*), (select count(*) from outbox.operator_actions where action = 'activate') from outbox.delivery_set_activations`)
}

func TestReactivationOfAnOlderSetIsRecorded(t *testing.T) {
	t.Parallel()
	d, first, second := twoSets(t)
	db := d.As(t, "outbox_governor")
	fixture.Activate(t, db, second)
	fixture.Activate(t, db, first)
	activeIs(t, db, "first")
	tap.ResultsEq(t, db, tap.Rows{
		{"first", "first activation"}, {"second", "cutover from first"}, {"first", "re-activation from second"},
	}, "select delivery_set_version, reason from outbox.delivery_set_activations order by activation_id")
	tap.RowEq(t, db, tap.Row{3, 3}, "select max(activation_id) - min(activation_id) + 1, count(*) from outbox.delivery_set_activations")
	tap.IsEmpty(t, d.Conn(t), "select * from outbox.verify()")
}

func TestStatusFollowsFromActivations(t *testing.T) {
	t.Parallel()
	d, first, second := twoSets(t)
	db := d.As(t, "outbox_governor")
	const sql = "select delivery_set_version, status from outbox.delivery_set_overview order by 1"
	tap.ResultsEq(t, db, tap.Rows{{"first", "active"}, {"second", "registered"}}, sql)
	fixture.Activate(t, db, second)
	tap.ResultsEq(t, db, tap.Rows{{"first", "retired"}, {"second", "active"}}, sql)
	fixture.Activate(t, db, first)
	tap.ResultsEq(t, db, tap.Rows{{"first", "active"}, {"second", "retired"}}, sql)
}

func TestRolledBackActivationChangesNothing(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	tx := begin(t, d.As(t, "outbox_governor"), pgx.ReadCommitted)
	fixture.Activate(t, tx, second)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	db := d.Conn(t)
	activeIs(t, db, "first")
	tap.RowEq(t, db, tap.Row{1}, "select count(*) from outbox.delivery_set_activations")
	frozenBy(t, db, fixture.AppendNew(t, db), "first")
}

func TestActivationWorksWithImmediateConstraints(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	tx := begin(t, d.Login(t, "outbox_governor"), pgx.ReadCommitted)
	tap.Exec(t, tx, "set constraints all immediate")
	fixture.Activate(t, tx, second)
	commit(t, tx)
	activeIs(t, d.Conn(t), "second")
}

func TestActivationIsRefusedInATransactionThatAppended(t *testing.T) {
	t.Parallel()
	for _, level := range levels {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			d, _, second := twoSets(t)
			tx := begin(t, d.Login(t, "outbox_producer", "outbox_governor"), level)
			fixture.AppendNew(t, tx)
			tap.Throws(t, tx, "OX013", "activation_appends_nothing", fixture.ActivateSQL, fixture.Quadruple(second, "1 s")...)
			commit(t, tx)
			activeIs(t, d.Conn(t), "first")
		})
	}
}

func TestActivationIsRefusedTwiceInOneTransaction(t *testing.T) {
	t.Parallel()
	d, first, second := twoSets(t)
	tx := begin(t, d.As(t, "outbox_governor"), pgx.ReadCommitted)
	fixture.Activate(t, tx, second)
	tap.Throws(t, tx, "OX013", "activation_appends_nothing", fixture.ActivateSQL, fixture.Quadruple(first, "1 s")...)
	commit(t, tx)
	activeIs(t, d.Conn(t), "second")
}

func TestActivationIsAllowedAfterAnAppendThatWasRolledBack(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	tx := begin(t, d.Login(t, "outbox_producer", "outbox_governor"), pgx.ReadCommitted)
	tap.Exec(t, tx, "savepoint here")
	fixture.AppendNew(t, tx)
	tap.Exec(t, tx, "rollback to here")
	fixture.Activate(t, tx, second)
	after := fixture.AppendNew(t, tx)
	commit(t, tx)
	frozenBy(t, d.Conn(t), after, "second")
}

func TestAnotherTransactionsAppendIsNoReasonToRefuse(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	both := d.Login(t, "outbox_producer", "outbox_governor")
	fixture.AppendNew(t, both) // committed by itself
	fixture.Activate(t, both, second)
}

func TestCutoverTimesOutWhileAProducerIsInFlight(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	db, governor := d.Conn(t), d.As(t, "outbox_governor")
	producer := begin(t, d.Login(t, "outbox_producer"), pgx.ReadCommitted)
	event := fixture.AppendNew(t, producer)
	tap.Exec(t, governor, "set statement_timeout = '60s'") // of which it must not need much
	for _, wait := range []string{"0", "300 ms"} {
		tap.Throws(t, governor, "OX012", "cutover_is_exclusive", fixture.ActivateSQL, fixture.Quadruple(second, wait)...)
	}
	activeIs(t, db, "first")
	tap.RowEq(t, db, tap.Row{1}, "select count(*) from outbox.delivery_set_activations")
	commit(t, producer)
	frozenBy(t, db, event, "first")
	fixture.Activate(t, governor, second)
}

func TestCutoverTimesOutWhileAProducerIsPrepared(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	db, governor := d.Conn(t), d.As(t, "outbox_governor")
	if tap.Value[string](t, db, "select current_setting('max_prepared_transactions')") == "0" {
		t.Skip("the server has max_prepared_transactions = 0")
	}
	producer := d.Conn(t)
	tap.Exec(t, producer, "begin")
	event := fixture.AppendNew(t, producer)
	tap.Exec(t, producer, "prepare transaction '"+d.Name+"'")
	tap.Throws(t, governor, "OX012", "cutover_is_exclusive", fixture.ActivateSQL, fixture.Quadruple(second, "200 ms")...)
	tap.Exec(t, db, "commit prepared '"+d.Name+"'")
	frozenBy(t, db, event, "first")
	fixture.Activate(t, governor, second)
	frozenBy(t, db, fixture.AppendNew(t, db), "second")
}

func TestWaitOfACutoverIsBounded(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	db := d.As(t, "outbox_governor")
	for _, wait := range []any{"-1 ms", "1 hour 1 us", "1 month -29 days", "1 month -30 days 1 min", "178000000 years", "-178000000 years", nil} {
		tap.ThrowsLike(t, db, "OX023", "wait_is_bounded", "p_wait", "select outbox.lock_cutover($1::text::interval)", wait)
		parameters := fixture.Quadruple(second, "")
		parameters[4] = wait
		tap.ThrowsLike(t, db, "OX023", "wait_is_bounded", "p_wait", fixture.ActivateSQL, parameters...)
	}
	tap.LivesOK(t, db, "select outbox.lock_cutover('1 hour')")
	tap.LivesOK(t, db, "select outbox.lock_cutover('0')")
}

func TestCutoverLockLeavesTheSessionsTimeoutAsItWas(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	producer := begin(t, d.As(t, "outbox_producer"), pgx.ReadCommitted)
	governor := d.As(t, "outbox_governor")
	tap.Exec(t, governor, "set lock_timeout = '77s'")
	tx := begin(t, governor, pgx.ReadCommitted)
	fixture.Activate(t, tx, second)
	tap.RowEq(t, tx, tap.Row{"77s"}, "select current_setting('lock_timeout')")
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	fixture.AppendNew(t, producer)
	tx = begin(t, governor, pgx.ReadCommitted)
	tap.Throws(t, tx, "OX012", "cutover_is_exclusive", "select outbox.lock_cutover('100 ms')")
	tap.RowEq(t, tx, tap.Row{"77s"}, "select current_setting('lock_timeout')")
	commit(t, producer)
	tap.LivesOK(t, tx, "select outbox.lock_cutover('5 s')")
	tap.RowEq(t, tx, tap.Row{"77s"}, "select current_setting('lock_timeout')")
}
