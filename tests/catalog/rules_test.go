package catalog_test

import (
	"testing"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// ours selects the schemas of the product.
const ours = "n.nspname in ('contracts', 'outbox', 'inbox')"

func TestEverythingBelongsToTheOwner(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.IsEmpty(t, db, "select n.nspname from pg_namespace n where "+ours+" and n.nspowner <> 'outbox_owner'::regrole")
	tap.IsEmpty(t, db, "select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace where "+ours+" and c.relowner <> 'outbox_owner'::regrole")
	tap.IsEmpty(t, db, "select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace where "+ours+" and p.proowner <> 'outbox_owner'::regrole")
	tap.IsEmpty(t, db, "select t.oid::regtype::text from pg_type t join pg_namespace n on n.oid = t.typnamespace where "+ours+" and t.typowner <> 'outbox_owner'::regrole")
}

func TestRolesCannotLogInAndHoldNoPower(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, role := range roles {
		tap.HasRole(t, db, role)
	}
	tap.IsEmpty(t, db, `
		select rolname from pg_roles
		where rolname like 'outbox@_%' escape '@' and rolname = any ($1)
			and (rolcanlogin or rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls or rolconfig is not null)`, roles)
	tap.IsEmpty(t, db, `
		select r.rolname, m.rolname from pg_auth_members a join pg_roles r on r.oid = a.roleid join pg_roles m on m.oid = a.member
		where m.rolname = any ($1)`, roles) // no role of ours is a member of another
}

func TestDefinersPinTheirSearchPathWithTemporaryObjectsLast(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.IsEmpty(t, db, "select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace where "+ours+`
		and p.prosecdef and not coalesce('search_path=pg_catalog, pg_temp' = any (p.proconfig), false)`)
	// Trigger functions and whatever somebody may call too, with its owner's rights or not.
	tap.IsEmpty(t, db, "select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace where "+ours+`
		and (p.prorettype = 'trigger'::regtype or exists (select from aclexplode(p.proacl) a where a.grantee <> p.proowner))
		and not coalesce('search_path=pg_catalog, pg_temp' = any (p.proconfig), false)`)
	tap.IsntEmpty(t, db, "select from pg_proc where prosecdef and pronamespace = 'outbox'::regnamespace")
}

// TestOnlyEntryPointsAndDeferredTriggersAreDefiners: what nobody calls from outside runs with its caller's rights, which
// inside an entry point are the owner's.
func TestOnlyEntryPointsAndDeferredTriggersAreDefiners(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.IsEmpty(t, db, "select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace where "+ours+`
		and p.prosecdef and not exists (select from aclexplode(p.proacl) a where a.grantee <> p.proowner)
		and not exists (select from pg_trigger t where t.tgfoid = p.oid and t.tginitdeferred)`)
	tap.IsEmpty(t, db, `
		select t.tgname, t.tgfoid::regprocedure::text from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_namespace n on n.oid = p.pronamespace
		where `+ours+` and t.tginitdeferred and not p.prosecdef`)
}

func TestThereAreNoOverloads(t *testing.T) {
	t.Parallel()
	tap.IsEmpty(t, testdb.New(t).Conn(t), `
		select n.nspname, p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace where `+ours+` group by 1, 2 having count(*) > 1`)
}

func TestImmutabilityIsEnabledAlways(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	// Refusals of change and of illegal moves hold in every session replication role ...
	tap.IsEmpty(t, db, `
		select t.tgrelid::regclass::text, t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
		where `+ours+` and t.tgfoid = 'outbox.refuse_change'::regproc and t.tgenabled <> 'A'`)
	tap.TriggerEnabledIs(t, db, "outbox", "deliveries", "delivery_moves_legally", "always")
	tap.TriggerEnabledIs(t, db, "outbox", "deliveries", "delivery_agrees_with_attempts", "always")
	// ... and what a logical replica could not copy rows under does not.
	tap.TriggerEnabledIs(t, db, "outbox", "events", "delivery_set_is_complete", "origin")
	tap.IsEmpty(t, db, `
		select t.tgrelid::regclass::text, t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
		where `+ours+` and not t.tgisinternal and t.tgenabled not in ('A', 'O')`)
}

// TestWhatMayRunInParallelStartsNoSubtransaction: a parallel worker cannot, and whoever calls such a function neither.
func TestWhatMayRunInParallelStartsNoSubtransaction(t *testing.T) {
	t.Parallel()
	tap.IsEmpty(t, testdb.New(t).Conn(t), `
		with recursive starting as (
			select p.oid, n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
			where `+ours+` and p.prosrc ~* 'exception[[:space:]]+when'
			union
			select p.oid, n.nspname || '.' || p.proname from starting s
			join pg_proc p on position(s.name || '(' in p.prosrc) > 0 join pg_namespace n on n.oid = p.pronamespace
			where `+ours+`
		)
		select s.name from starting s join pg_proc p on p.oid = s.oid where p.proparallel = 's'`)
}

func TestEveryTableRefusesTruncation(t *testing.T) {
	t.Parallel()
	tap.IsEmpty(t, testdb.New(t).Conn(t), `
		select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where `+ours+` and c.relkind in ('r', 'p')
			and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgenabled = 'A' and t.tgtype & 34 = 34)`) // before, truncate
}

func TestPublicHoldsNothing(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, schema := range []string{"contracts", "outbox", "inbox"} {
		tap.SchemaPrivsAre(t, db, schema, "public")
	}
	tap.IsEmpty(t, db, `select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace, aclexplode(c.relacl) a
		where `+ours+` and a.grantee = 0`)
	tap.IsEmpty(t, db, `select c.oid::regclass::text, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
		where `+ours+` and a.attacl is not null`)
	tap.IsEmpty(t, db, `select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
		where `+ours+` and a.grantee = 0`)
	tap.IsEmpty(t, db, `select t.oid::regtype::text from pg_type t join pg_namespace n on n.oid = t.typnamespace, aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) a
		where `+ours+` and t.typelem = 0 and a.grantee = 0`)
}

func TestFunctionsOfLaterReleasesAreNotPublicEither(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).As(t, "outbox_owner")
	tap.Exec(t, db, "create function outbox.later() returns int language sql return 1; create type outbox.later_type as (x int)")
	tap.FunctionPrivsAre(t, db, "outbox", "later", "public")
	tap.RowEq(t, db, tap.Row{false}, "select has_type_privilege('public', 'outbox.later_type', 'usage')")
}

func TestNobodyMayPassARightOn(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.IsEmpty(t, db, `
		select o.name, a.grantee::regrole::text from (
			select c.oid::regclass::text as name, c.relacl as acl, c.relowner as owner from pg_class c join pg_namespace n on n.oid = c.relnamespace where `+ours+`
			union all
			select p.oid::regprocedure::text, p.proacl, p.proowner from pg_proc p join pg_namespace n on n.oid = p.pronamespace where `+ours+`
			union all
			select n.nspname, n.nspacl, n.nspowner from pg_namespace n where `+ours+`
		) o, aclexplode(o.acl) a where a.is_grantable and a.grantee <> o.owner`)
}

func TestEveryObjectHasAComment(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.IsEmpty(t, db, "select n.nspname from pg_namespace n where "+ours+" and coalesce(obj_description(n.oid, 'pg_namespace'), '') = ''")
	tap.IsEmpty(t, db, `select c.relkind, c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where `+ours+` and coalesce(obj_description(c.oid, 'pg_class'), '') = ''
			and (c.relkind in ('r', 'p', 'v', 'm') or (c.relkind = 'S' and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i')))`)
	tap.IsEmpty(t, db, `select t.oid::regtype::text from pg_type t join pg_namespace n on n.oid = t.typnamespace join pg_class c on c.oid = t.typrelid
		where `+ours+` and c.relkind = 'c' and coalesce(obj_description(t.oid, 'pg_type'), '') = ''`)
	tap.IsEmpty(t, db, "select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace where "+ours+" and coalesce(obj_description(p.oid, 'pg_proc'), '') = ''")
	tap.IsEmpty(t, db, `select t.tgrelid::regclass::text, t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
		where `+ours+` and not t.tgisinternal and coalesce(obj_description(t.oid, 'pg_trigger'), '') = ''`)
	tap.IsEmpty(t, db, "select rolname from pg_roles where rolname = any ($1) and coalesce(shobj_description(oid, 'pg_authid'), '') = ''", roles)
}

// TestColumnsHaveTheirHouseTypes: times with a zone, identifiers that do not run out, no padded text.
func TestColumnsHaveTheirHouseTypes(t *testing.T) {
	t.Parallel()
	tap.IsEmpty(t, testdb.New(t).Conn(t), `
		select c.oid::regclass::text, a.attname, a.atttypid::regtype::text
		from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
		where `+ours+` and c.relkind in ('r', 'v', 'c') and a.attnum > 0 and not a.attisdropped
			and (a.atttypid in ('timestamp'::regtype, 'bpchar'::regtype, 'money'::regtype, 'varchar'::regtype, 'timetz'::regtype, 'float8'::regtype, 'xml'::regtype)
				or a.atttypid = 'int'::regtype and a.attname ~ '(_id|token|revision)$')`)
}

func TestReadersWithoutPayloadSeeNoEnvelope(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.IsEmpty(t, db, `
		select c.oid::regclass::text, a.attname, r.rolname
		from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace cross join pg_roles r
		where `+ours+` and a.attname in ('event_envelope', 'receipt', 'payload') and a.attnum > 0 and c.relkind in ('r', 'v', 'm')
			and r.rolname = any ($1) and r.rolname not in ('outbox_owner', 'outbox_payload_reader') and has_column_privilege(r.oid, c.oid, a.attnum, 'select')`, roles)
	tap.TablePrivsAre(t, db, "outbox", "event_envelopes", "outbox_payload_reader", "SELECT")
}
