package pgserver

import (
	"errors"
	"fmt"
	"os"
)

// clearEnvironment takes away what a client, of this process or of one that it starts, would read beside its connection
// string.
func clearEnvironment() error {
	var errs []error
	for _, name := range []string{
		"PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE",
		"PGAPPNAME", "PGOPTIONS", "PGTZ", "PGDATESTYLE", "PGGEQO", "PGCLIENTENCODING", "PGCONNECT_TIMEOUT", "PGTARGETSESSIONATTRS",
		"PGLOADBALANCEHOSTS", "PGSSLMODE", "PGREQUIRESSL", "PGSSLKEY", "PGSSLCERT", "PGSSLCERTMODE", "PGSSLSNI", "PGSSLROOTCERT",
		"PGSSLCRL", "PGSSLCRLDIR", "PGSSLPASSWORD", "PGSSLNEGOTIATION", "PGSSLMINPROTOCOLVERSION", "PGSSLMAXPROTOCOLVERSION",
		"PGMINPROTOCOLVERSION", "PGMAXPROTOCOLVERSION", "PGCHANNELBINDING", "PGREQUIREAUTH", "PGREQUIREPEER", "PGGSSENCMODE",
		"PGKRBSRVNAME", "PGGSSLIB", "PGGSSDELEGATION",
	} {
		errs = append(errs, os.Unsetenv(name))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("clear the environment of the client: %w", err)
	}
	return nil
}
