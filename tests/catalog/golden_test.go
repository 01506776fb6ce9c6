package catalog_test

import (
	"testing"

	"github.com/oceanway/outbox/tests/testdb"
)

func TestRelationsAreTheGolden(t *testing.T) {
	t.Parallel()
	golden(t, "relations", lines(t, testdb.New(t).Conn(t), relationsSQL))
}

func TestFunctionsAreTheGolden(t *testing.T) {
	t.Parallel()
	golden(t, "functions", lines(t, testdb.New(t).Conn(t), functionsSQL))
}

func TestGrantsAreTheGolden(t *testing.T) {
	t.Parallel()
	golden(t, "grants", lines(t, testdb.New(t).Conn(t), grantsSQL))
}
