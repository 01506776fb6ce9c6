package migrate_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	tern "github.com/jackc/tern/v2/migrate"
	"golang.org/x/sync/errgroup"

	"github.com/oceanway/outbox/internal/migrate"
)

// stockTern migrates as the tern binary does when it is given sql/migrations and its tern.conf.
func stockTern(ctx context.Context, conn *pgx.Conn) error {
	config, err := os.ReadFile("../../sql/migrations/tern.conf")
	if err != nil {
		return err
	}
	table := regexp.MustCompile(`(?m)^version_table = (\S+)$`).FindSubmatch(config)
	if table == nil {
		return errors.New("tern.conf names no version table")
	}
	migrator, err := tern.NewMigrator(ctx, conn, string(table[1]))
	if err != nil {
		return err
	}
	if err := migrator.LoadMigrations(os.DirFS("../../sql/migrations")); err != nil {
		return err
	}
	return migrator.Migrate(ctx)
}

// catalog describes every object of the product, one line each, in order.
func catalog(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `
		with schemas as (select oid, nspname, nspowner, nspacl from pg_namespace where nspname in ('contracts', 'outbox', 'inbox')),
		acl (kind, name, owner, items) as (
			select 'schema', nspname::text, nspowner, nspacl from schemas
			union all
			select 'relation ' || c.relkind::text, c.oid::regclass::text, c.relowner, c.relacl
			from pg_class as c join schemas as s on s.oid = c.relnamespace
			union all
			select 'relation ' || c.relkind::text, c.oid::regclass::text, 0, c.relacl
			from pg_class as c where c.oid = $1::text::regclass
			union all
			select 'function', pg_get_functiondef(p.oid), p.proowner, p.proacl
			from pg_proc as p join schemas as s on s.oid = p.pronamespace
			union all
			select 'type', t.oid::regtype::text, t.typowner, t.typacl from pg_type as t join schemas as s on s.oid = t.typnamespace
		)
		select kind || ' ' || name || ' ' || owner || ' ' || coalesce(
			(select string_agg(item::text, ',' order by item::text) from unnest(items) as item), '-') from acl
		union all
		select 'column ' || a.attrelid::regclass || ' ' || a.attnum || ' ' || a.attname || ' '
			|| format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull || ' ' || coalesce(a.attacl::text, '-') || ' '
			|| coalesce((select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef as d where d.adrelid = a.attrelid and d.adnum = a.attnum), '-')
		from pg_attribute as a join pg_class as c on c.oid = a.attrelid join schemas as s on s.oid = c.relnamespace
		where a.attnum > 0 and not a.attisdropped
		union all
		select 'constraint ' || o.conrelid::regclass || ' ' || o.conname || ' ' || pg_get_constraintdef(o.oid)
		from pg_constraint as o join schemas as s on s.oid = o.connamespace
		union all
		select 'index ' || pg_get_indexdef(i.indexrelid)
		from pg_index as i join pg_class as c on c.oid = i.indexrelid join schemas as s on s.oid = c.relnamespace
		union all
		select 'trigger ' || g.tgenabled::text || ' ' || pg_get_triggerdef(g.oid)
		from pg_trigger as g join pg_class as c on c.oid = g.tgrelid join schemas as s on s.oid = c.relnamespace
		where not g.tgisinternal
		union all
		select 'view ' || c.oid::regclass || ' ' || pg_get_viewdef(c.oid)
		from pg_class as c join schemas as s on s.oid = c.relnamespace where c.relkind = 'v'
		union all
		select 'comment ' || d.description from pg_description as d
		where d.classoid in ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_type'::regclass) and d.objoid >= 16384`,
		migrate.VersionTable)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

// sameCatalog compares two catalogs and names the first difference.
func sameCatalog(t *testing.T, want, got []string) {
	t.Helper()
	if len(want) < 100 {
		t.Fatalf("a catalog of %d objects is no catalog of the product", len(want))
	}
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			t.Fatalf("more: %s", got[i])
		case i >= len(got):
			t.Fatalf("missing: %s", want[i])
		case want[i] != got[i]:
			t.Fatalf("got  %s\nwant %s", got[i], want[i])
		}
	}
}

func TestStockTernGivesTheSameCatalog(t *testing.T) {
	_, ours := migrated(t)
	theirs := connect(t, newDatabase(t))
	if err := stockTern(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	sameCatalog(t, catalog(t, ours), catalog(t, theirs))
	err := migrate.Up(t.Context(), theirs, func(_ int32, name string) { t.Errorf("applied %s again", name) })
	if err != nil {
		t.Error(err)
	}
	if _, err := migrate.Check(t.Context(), theirs); err != nil {
		t.Error(err)
	}
}

func TestStockTernAtTheSameTime(t *testing.T) {
	database := newDatabase(t)
	if err := migrate.Roles(t.Context(), connect(t, database)); err != nil {
		t.Fatal(err)
	}
	group, ctx := errgroup.WithContext(t.Context())
	for range 4 {
		theirs, ours := connect(t, database), connect(t, database)
		group.Go(func() error { return stockTern(ctx, theirs) })
		group.Go(func() error { return migrate.Up(ctx, ours, nil) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := migrate.Check(t.Context(), connect(t, database)); err != nil {
		t.Error(err)
	}
}
