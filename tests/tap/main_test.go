package tap_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

// recorder stands in for a test and remembers what it was told.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) {
	r.Fatalf("%s", fmt.Sprint(args...))
}

// fails asserts that an assertion does not hold and that it says so in these words.
func fails(t *testing.T, assertion func(t testing.TB), words ...string) {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		assertion(r)
	}()
	<-done
	said := strings.Join(r.said, "\n")
	if said == "" {
		t.Error("the assertion holds, but should not")
	}
	for _, word := range words {
		if !strings.Contains(said, word) {
			t.Errorf("the failure does not say %q: %s", word, said)
		}
	}
}

const fixture = `
	create schema s;
	create table s.items (id bigint constraint items_are_numbered primary key, name text, amount numeric(10, 2),
	    tag uuid, hash bytea, at timestamptz, constraint named_well check (name <> 'bad'));
	create view s.names as select name from s.items;
	create index items_by_name on s.items (name);
	create function s.refuse() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $f$
	begin
	    raise exception using errcode = 'OX030', constraint = 'items_stay', message = 'items stay',
	        detail = 'item /1', hint = 'Leave it.';
	end $f$;
	create function s.careless() returns void language plpgsql as $f$
	begin raise exception using errcode = 'OX030', constraint = 'careless', message = 'no'; end $f$;
	create function s.twice(n int) returns int language sql immutable strict parallel safe as 'select n * 2';
	create function s.many() returns int language sql as 'select 1';
	create function s.many(int) returns int language sql as 'select 1';
	create trigger items_stay before delete on s.items for each row execute function s.refuse();
	alter table s.items enable always trigger items_stay;
	revoke all on function s.twice(int) from public;
	insert into s.items values (1, 'a', 1.50, 'f0000000-0000-4000-8000-000000000001', '\x01ff', '2026-01-02 03:04:05.6+00'), (2, null, 7, null, default, null);`

// newFixture returns a session on a database that holds the fixture.
func newFixture(t *testing.T) tap.Querier {
	t.Helper()
	conn := testdb.NewEmpty(t).Conn(t)
	tap.Exec(t, conn, fixture)
	return conn
}
