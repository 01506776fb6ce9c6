package outboxsql_test

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	outboxsql "github.com/oceanway/outbox/sql"
)

// routine is one file of sql/functions.
type routine struct {
	name   string // schema-qualified
	header string // its comment lines, joined
	body   string // without comments and comment on
}

var (
	commentLine = regexp.MustCompile(`(?m)^\s*--.*$`)
	commentOn   = regexp.MustCompile(`(?m)^comment on .*$`)
	properties  = regexp.MustCompile(`(?ms)^create or replace function .*?^as \$\$$`)
	ourRole     = regexp.MustCompile(`^(outbox_[a-z_]+|every role)$`)
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(outboxsql.Code(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := fs.Glob(outboxsql.Code(), pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(found), err)
	}
	return found
}

func routines(t *testing.T) []routine {
	t.Helper()
	var all []routine
	for _, name := range files(t, "functions/*/*.sql") {
		text := read(t, name)
		var header []string
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "--") {
				break
			}
			header = append(header, strings.TrimSpace(strings.TrimPrefix(line, "--")))
		}
		all = append(all, routine{
			name:   path.Base(path.Dir(name)) + "." + strings.TrimSuffix(path.Base(name), ".sql"),
			header: strings.Join(header, " "),
			body:   withoutComments(text),
		})
	}
	return all
}

func withoutComments(text string) string {
	return commentOn.ReplaceAllString(commentLine.ReplaceAllString(text, ""), "")
}

// callers finds who calls a routine: other routines, triggers and views.
func callers(t *testing.T, of string, all []routine) []string {
	t.Helper()
	var found []string
	for _, other := range all {
		if other.name != of && strings.Contains(other.body, of+"(") {
			found = append(found, other.name)
		}
	}
	for _, kind := range []string{"trigger", "view"} {
		for _, name := range files(t, kind+"s/*.sql") {
			if strings.Contains(withoutComments(read(t, name)), of+"(") {
				found = append(found, kind+" "+strings.TrimSuffix(path.Base(name), ".sql"))
			}
		}
	}
	slices.Sort(found)
	return found
}

func TestEveryFunctionNamesItsCallers(t *testing.T) {
	all := routines(t)
	for _, r := range all {
		_, said, found := strings.Cut(strings.TrimSuffix(r.header, "."), "Callers: ")
		if !found {
			t.Errorf("%s: the header does not name the callers", r.name)
			continue
		}
		named := slices.DeleteFunc(strings.Split(said, ", "), ourRole.MatchString)
		slices.Sort(named)
		if want := callers(t, r.name, all); !slices.Equal(named, want) {
			t.Errorf("%s: the header names %q, the sources call it in %q", r.name, named, want)
		}
	}
}

func TestEveryFunctionStatesItsProperties(t *testing.T) {
	names := slices.Concat(files(t, "functions/*/*.sql"), files(t, "triggers/*.sql"))
	for _, name := range names {
		for _, head := range properties.FindAllString(read(t, name), -1) {
			for what, form := range map[string]string{
				"volatility":      `(?m)^(immutable|stable|volatile)$`,
				"strictness":      `(?m)^(strict|called on null input)$`,
				"parallel safety": `(?m)^parallel (safe|restricted|unsafe)$`,
			} {
				if !regexp.MustCompile(form).MatchString(head) {
					t.Errorf("%s does not state its %s", name, what)
				}
			}
		}
	}
}
