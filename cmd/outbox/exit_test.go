package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oceanway/outbox/internal/migrate"
	"github.com/oceanway/outbox/internal/pgerr"
)

func TestExitStatusOfEachKindOfError(t *testing.T) {
	report := func(code string) error { return &pgconn.PgError{Code: code} }
	for name, test := range map[string]struct {
		err  error
		want int
	}{
		"nothing":            {nil, exitOK},
		"a bug":              {errors.New("a bug"), exitFailure},
		"cancelled":          {context.Canceled, exitFailure},
		"syntax error":       {report("42601"), exitFailure},
		"wrong usage":        {usagef("no"), exitUsage},
		"connection refused": {&net.OpError{Op: "dial", Err: errors.New("connection refused")}, exitUnreachable},
		"shutting down":      {report("57P01"), exitUnreachable},
		"standby":            {report("25006"), exitUnreachable},
		"not migrated":       {migrate.ErrNotMigrated, exitNotMigrated},
		"outdated":           {migrate.ErrOutdated, exitNotMigrated},
		"missing function":   {report("42883"), exitNotMigrated},
		"too new":            {migrate.ErrTooNew, exitTooNew},
		"role missing":       {migrate.ErrRoleMissing, exitPermission},
		"privilege missing":  {report("42501"), exitPermission},
		"login refused":      {report("28P01"), exitPermission},
		"refused":            {report("OX012"), exitRefused},
		"unknown refusal":    {report("OX999"), exitRefused},
	} {
		if got := exitStatus(test.err); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
		if test.err == nil {
			continue
		}
		if got := exitStatus(fmt.Errorf("while working: %w", pgerr.Translate(test.err))); got != test.want {
			t.Errorf("%s, wrapped: %d, want %d", name, got, test.want)
		}
	}
}
