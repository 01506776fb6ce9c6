package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "snapshot:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("snapshot", flag.ContinueOnError)
	check := flags.Bool("check", false, "change nothing; fail when there is something to change")
	release := flags.Bool("release", false, "pin the migrations as released")
	folder := flags.String("sql", "sql", "the folder with the code and the migrations")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("flags: %w", err)
	}
	if *check && *release {
		return errors.New("--check and --release exclude each other")
	}
	tree := tree{sql: *folder, migrations: filepath.Join(*folder, "migrations")}
	switch {
	case *check:
		return tree.check()
	case *release:
		return tree.release(out)
	}
	return tree.update(out)
}
