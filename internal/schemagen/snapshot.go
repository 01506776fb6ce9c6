package main

import "fmt"

// adviseSnapshot says what to run where the unreleased install migration is no longer the last one, as it
// has to be: another one came before it, took its number or went away.
func (g *generator) adviseSnapshot() error {
	state, err := readMigrations(g.path("sql/migrations"))
	if err != nil {
		return err
	}
	count := 0
	for _, names := range state.names {
		count += len(names)
	}
	install, wanted := state.unreleased(installSuffix), fmt.Sprintf("%03d%s", count, installSuffix)
	if install != "" && install != wanted {
		fmt.Fprintf(g.warnings, "%s has to become %s: run make snapshot\n", install, wanted)
	}
	return nil
}
