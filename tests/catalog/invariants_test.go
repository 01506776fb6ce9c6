package catalog_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"

	outboxsql "github.com/oceanway/outbox/sql"
)

// sources is the text of all functions and triggers of the working copy, without comments, by file.
func sources(t *testing.T) map[string]string {
	t.Helper()
	comment := regexp.MustCompile(`(?m)--.*$`)
	files := map[string]string{}
	err := fs.WalkDir(outboxsql.Code(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".sql") || path == "errors.sql" {
			return err
		}
		text, err := fs.ReadFile(outboxsql.Code(), path)
		files[path] = comment.ReplaceAllString(string(text), "")
		return err
	})
	if err != nil || len(files) < 80 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

// listed are the invariants of the view with their SQLSTATE.
func listed(t *testing.T, db tap.Querier) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, line := range tap.Column[string](t, db, "select invariant || ' ' || sqlstate from outbox.invariants") {
		name, code, _ := strings.Cut(line, " ")
		names[name] = code
	}
	return names
}

func TestEverySQLSTATEThatIsRaisedIsListed(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	raised := map[string]bool{}
	for path, text := range sources(t) {
		for _, code := range regexp.MustCompile(`OX[0-9A-Z]{3}`).FindAllString(text, -1) {
			raised[code] = true
			tap.IsntEmpty(t, db, "select $2::text from outbox.errors where sqlstate = $1", code, path)
		}
		for _, code := range regexp.MustCompile(`(?i)errcode\s*=\s*'([^']*)'`).FindAllStringSubmatch(text, -1) {
			tap.Ok(t, strings.HasPrefix(code[1], "OX"), path+" raises "+code[1]+", which is no SQLSTATE of ours")
		}
	}
	for _, code := range tap.Column[string](t, db, "select sqlstate from outbox.errors") {
		// OX032 is reserved for retention, which is not in this release.
		tap.Ok(t, raised[code] != (code == "OX032"), code+" is raised exactly if it is not reserved")
	}
	tap.IsEmpty(t, db, "select invariant, sqlstate from outbox.invariants i where sqlstate like 'OX%' and not exists (select from outbox.errors e where e.sqlstate = i.sqlstate)")
}

func TestEveryInvariantThatIsRaisedIsListed(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	known := listed(t, db)
	patterns := []*regexp.Regexp{
		regexp.MustCompile(`constraint\s*=\s*'([a-z0-9_]+)'`),
		regexp.MustCompile(`refuse_argument\(\s*'([a-z0-9_]+)'`),
		regexp.MustCompile(`contracts\.refuse\(\s*'OX[0-9]{3}',\s*'([a-z0-9_]+)'`),
		regexp.MustCompile(`refuse_outcome\(\s*'OX[0-9]{3}',\s*'([a-z0-9_]+)'`),
		regexp.MustCompile(`refuse_(?:change|transition)\(\s*'([a-z0-9_]+)'`),
		regexp.MustCompile(`rule := '([a-z0-9_]+)'`),
		regexp.MustCompile(`'([a-z0-9]+_shape|[a-z]+_matches_member|receipt_digest_matches): `),
	}
	found := 0
	for path, text := range sources(t) {
		for _, pattern := range patterns {
			for _, match := range pattern.FindAllStringSubmatch(text, -1) {
				found++
				tap.Ok(t, known[match[1]] != "", path+" raises "+match[1]+", which outbox.invariants lists")
			}
		}
	}
	tap.Ok(t, found > 80, "the patterns find what is raised")
	tap.IsEmpty(t, db, "select rule from contracts.rules() r where not exists (select from outbox.invariants i where i.invariant = r.rule)")
	tap.IsEmpty(t, db, "select rule from contracts.rules() group by 1 having count(*) > 1")
}

func TestEveryConstraintThatStatesAnInvariantIsListed(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.IsEmpty(t, db, `
		select o.conrelid::regclass::text, o.conname
		from pg_constraint o join pg_namespace n on n.oid = o.connamespace
		where `+ours+` and o.contype not in ('t', 'n') and o.conname not like '%@_pkey' escape '@'
			and not exists (select from outbox.invariants i where i.invariant = o.conname and i.enforced_by = 'constraint')`)
	tap.IsEmpty(t, db, `
		select t.tgrelid::regclass::text, t.tgname
		from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
		where `+ours+` and not t.tgisinternal
			and not exists (select from outbox.invariants i where i.invariant in (t.tgname, replace(t.tgname, '_whole', '')) and i.enforced_by like 'trigger%')`)
}

func TestEveryInvariantOfAConstraintOrTriggerIsEnforced(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.IsEmpty(t, db, `
		select i.invariant from outbox.invariants i
		where i.enforced_by = 'constraint'
			and not exists (select from pg_constraint o join pg_namespace n on n.oid = o.connamespace where `+ours+` and o.conname = i.invariant and o.convalidated)`)
	tap.IsEmpty(t, db, `
		select i.invariant, i.enforced_by from outbox.invariants i
		where i.enforced_by like 'trigger%'
			and not exists (
				select from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
				where `+ours+` and t.tgname = i.invariant and t.tgenabled = case i.enforced_by when 'trigger, always' then 'A' else 'O' end)`)
	tap.IsEmpty(t, db, "select invariant from outbox.invariants where enforced_by not in ('function', 'constraint', 'trigger', 'trigger, always')")
	tap.IsEmpty(t, db, "select invariant from outbox.invariants group by 1 having count(*) > 1")
	tap.IsEmpty(t, db, "select invariant from outbox.invariants where coalesce(statement, '') !~ '[.]$'")
}

func TestEveryInvariantOfAFunctionIsRaisedSomewhere(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	var all strings.Builder
	for path, text := range sources(t) {
		if path != "functions/contracts/rules.sql" { // texts for the rules, which others break
			all.WriteString(text)
		}
	}
	for _, name := range tap.Column[string](t, db, "select invariant from outbox.invariants where enforced_by in ('function', 'trigger')") {
		tap.Ok(t, regexp.MustCompile(`'`+name+`[':]`).MatchString(all.String()), name+" is raised somewhere")
	}
	// A constraint that answers under an SQLSTATE of ours is translated by a function that raises it.
	for _, name := range tap.Column[string](t, db, "select invariant from outbox.invariants where enforced_by = 'constraint' and sqlstate like 'OX%'") {
		tap.Ok(t, strings.Contains(all.String(), "'"+name+"'"), name+" is raised somewhere")
	}
}
