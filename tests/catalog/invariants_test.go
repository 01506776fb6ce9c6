package catalog_test

import (
	"io/fs"
	"regexp"
	"slices"
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

// raising are the ways in which a function or trigger names the invariant that it refuses under.
var raising = []*regexp.Regexp{
	regexp.MustCompile(`constraint\s*=\s*'([a-z0-9_]+)'`),
	regexp.MustCompile(`refuse_argument\(\s*'([a-z0-9_]+)'`),
	regexp.MustCompile(`contracts\.refuse\(\s*'OX[0-9]{3}',\s*'([a-z0-9_]+)'`),
	regexp.MustCompile(`refuse_outcome\(\s*'OX[0-9]{3}',\s*'([a-z0-9_]+)'`),
	regexp.MustCompile(`refuse_(?:change|transition)\(\s*'([a-z0-9_]+)'`),
	regexp.MustCompile(`rule := '([a-z0-9_]+)'`),
	regexp.MustCompile(`'([a-z0-9]+_shape|[a-z]+_matches_member|receipt_digest_matches): `),
}

// reporting are those of functions that report rules for contracts.refuse to raise, by file.
var reporting = map[string]*regexp.Regexp{
	"functions/contracts/array_violations.sql":             regexp.MustCompile(`'(array_[a-z_]+)'`),
	"functions/contracts/delivery_set_rule_violations.sql": regexp.MustCompile(`(?m)^ +select .*?'([a-z]+_[a-z_]+)', '`),
	"functions/contracts/jcs_number.sql":                   regexp.MustCompile(`'(number_[a-z_]+)'`),
	"functions/contracts/leaf_violations.sql":              regexp.MustCompile(`'([a-z]+_(?:is|matches|length|within)_[a-z_]+)'`),
	"functions/contracts/union_violations.sql":             regexp.MustCompile(`'([a-z]+_is_[a-z_]+)'`),
	"functions/contracts/object_violations.sql":            regexp.MustCompile(`'([a-z]+_(?:is|are|equals)_[a-z_]+)'`),
	"functions/contracts/read_json.sql":                    regexp.MustCompile(`'([a-z]+(?:_[a-z]+)+)'`),
	"functions/contracts/validate.sql":                     regexp.MustCompile(`'([a-z]+_[a-z_]+)'`),
}

// raised maps every invariant that the working copy refuses under to the files that do.
func raised(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for path, text := range sources(t) {
		for _, pattern := range slices.Concat(raising, []*regexp.Regexp{reporting[path]}) {
			if pattern == nil {
				continue
			}
			for _, match := range pattern.FindAllStringSubmatch(text, -1) {
				name := strings.Join(match[1:], "")
				found[name] = append(found[name], path)
			}
		}
	}
	return found
}

func TestEveryInvariantThatIsRaisedIsListed(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	known, found := listed(t, db), raised(t)
	for name, files := range found {
		if name != "not_applicable" { // a value of projectionTarget
			tap.Ok(t, known[name] != "", files[0]+" raises "+name+", which outbox.invariants lists")
		}
	}
	tap.Ok(t, len(found) > 80, "the patterns find what is raised")
	tap.IsEmpty(t, db, "select rule from contracts.rules() r where not exists (select from outbox.invariants i where i.invariant = r.rule)")
	tap.IsEmpty(t, db, "select rule from contracts.rules() group by 1 having count(*) > 1")
}

func TestEveryInvariantThatVerifyReportsIsListed(t *testing.T) {
	t.Parallel()
	known, reported := listed(t, testdb.New(t).Conn(t)), map[string]bool{}
	for path, text := range sources(t) {
		if !strings.HasPrefix(path, "functions/outbox/verify") {
			continue
		}
		for _, match := range regexp.MustCompile(`(?m)^ +select '([a-z_]+)', (?:'(?:outbox|inbox|contracts)[.]|x[.]relation)`).FindAllStringSubmatch(text, -1) {
			reported[match[1]] = true
			tap.Ok(t, known[match[1]] != "", path+" reports "+match[1]+", which outbox.invariants lists")
		}
	}
	tap.Ok(t, len(reported) > 15, "the pattern finds what is reported")
	for _, name := range tap.Column[string](t, testdb.New(t).Conn(t), "select invariant from outbox.invariants where enforced_by = 'verify'") {
		tap.Ok(t, reported[name], name+" is reported by verify")
	}
}

func TestEveryConstraintThatStatesAnInvariantIsListed(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	tap.IsEmpty(t, db, `
		select o.conrelid::regclass::text, o.conname
		from pg_constraint o join pg_namespace n on n.oid = o.connamespace
		where `+ours+` and o.contype not in ('t', 'n') and o.conname !~ '_(pkey|key)$'
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
	tap.IsEmpty(t, db, "select invariant from outbox.invariants where enforced_by not in ('function', 'constraint', 'trigger', 'trigger, always', 'verify')")
	tap.IsEmpty(t, db, "select invariant, sqlstate, enforced_by from outbox.invariants group by 1, 2, 3 having count(*) > 1")
	tap.IsEmpty(t, db, "select invariant from outbox.invariants where coalesce(statement, '') !~ '[.]$'")
}

func TestEveryInvariantOfAFunctionIsRaisedSomewhere(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	found := raised(t)
	for _, name := range tap.Column[string](t, db, "select invariant from outbox.invariants where enforced_by in ('function', 'trigger')") {
		tap.Ok(t, len(found[name]) > 0, name+" is raised somewhere")
	}
}
