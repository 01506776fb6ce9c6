package immutability_test

import (
	"testing"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/verify/busy"
)

// roles are those that services and people hold. None may write to a table: they call functions.
var roles = []string{
	"outbox_producer", "outbox_dispatcher", "outbox_consumer", "outbox_governor", "outbox_operator", "outbox_reader", "outbox_payload_reader",
}

const insufficientPrivilege = "42501"

func TestNoRoleWritesToATable(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	all, every := columns(t, d.Conn(t)), tables(t, d.Conn(t))
	for _, role := range roles {
		session := d.Login(t, role)
		t.Run(role, func(t *testing.T) {
			for _, c := range all {
				tap.Throws(t, session, insufficientPrivilege, "", "update "+c.table+" set "+c.name+" = "+c.change)
			}
			for _, table := range every {
				tap.Throws(t, session, insufficientPrivilege, "", "insert into "+table+" default values")
				tap.Throws(t, session, insufficientPrivilege, "", "delete from "+table)
				tap.Throws(t, session, insufficientPrivilege, "", "truncate "+table+" cascade")
				tap.Throws(t, session, insufficientPrivilege, "", "do $$ begin lock table "+table+" in row exclusive mode; end $$")
			}
		})
	}
}

func TestALoginWithoutARoleReachesNothing(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	session := d.Login(t)
	for _, table := range tables(t, d.Conn(t)) {
		tap.Throws(t, session, insufficientPrivilege, "", "select from "+table)
		tap.Throws(t, session, insufficientPrivilege, "", "delete from "+table)
	}
	for _, call := range []string{
		"outbox.new_event_id()", "outbox.settle_attempts('[]')", "outbox.publish_if_complete('{}')", "outbox.verify()",
		"inbox.record_receipt('x', '{}')", "contracts.jcs('{}')",
	} {
		tap.Throws(t, session, insufficientPrivilege, "", "select "+call)
	}
}

func TestNoRoleTurnsATriggerOff(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	for _, role := range roles {
		session := d.Login(t, role)
		for _, table := range tables(t, d.Conn(t)) {
			tap.Throws(t, session, insufficientPrivilege, "", "alter table "+table+" disable trigger user")
		}
		tap.Throws(t, session, insufficientPrivilege, "", "set session_replication_role = replica")
		tap.Throws(t, session, insufficientPrivilege, "", "select nextval('outbox.lease_tokens')")
		tap.Throws(t, session, insufficientPrivilege, "", "select setval('outbox.lease_tokens', 1)")
	}
}
