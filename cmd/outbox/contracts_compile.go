package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/internal/schema"
	"github.com/oceanway/outbox/internal/schema/registration"
)

func newContractsCompileCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "compile FOLDER [SCHEMA...]",
		Short: "Print the migration that registers schemas of your own",
		Long: `compile reads the schemas of a folder, one <Name>@<N>.json for each, and prints the
SQL that registers them in contracts.schemas, each with the document, the form
that the database judges by and the compiled check that most documents need only.
Run it in a transaction, in a migration of your own after those of this binary, as
a member of outbox_owner. A registered schema never changes and is not registered
again: once a migration has some of the folder's, name the SCHEMAs that are new.

The schemas may refer to one another and to those that this binary carries, which
are not printed. A name that one of those has is refused, with every version.

A schema that docs/contracts.md does not allow is refused, with one line on
standard error for each fault: file, JSON pointer, problem. Nothing is printed then.`,
		Example: `  outbox contracts compile schemas > 007_catalogue_schemas.sql
  outbox contracts compile schemas CataloguePriceChanged@2 > 012_catalogue_schemas.sql`,
		Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			migration, err := compileSchemas(args[0], args[1:])
			if faults := faultsOf(err); len(faults) > 0 {
				return a.refuseSchemas(faults)
			}
			if err != nil {
				return usage(err)
			}
			return a.printf("%s", migration)
		},
	}
}

// compileSchemas writes the migration for the schemas of a folder, or for those of them that are named.
func compileSchemas(folder string, names []string) (string, error) {
	carried, err := carriedSchemas()
	if err != nil {
		return "", err
	}
	if _, err := os.ReadDir(folder); err != nil {
		return "", fmt.Errorf("read the schemas: %w", err)
	}
	set, err := schema.LoadBeside(carried, os.DirFS(folder))
	if err != nil {
		return "", err
	}
	rows, err := registration.Schemas(set)
	if err != nil {
		return "", err
	}
	rows = slices.DeleteFunc(rows, func(row registration.Row) bool { return carried[row.What] != nil })
	if rows, err = choose(rows, names); err != nil {
		return "", fmt.Errorf("%s: %w", folder, err)
	}
	return registration.Migration("Registers schemas of wire objects. Written by outbox contracts compile, not by hand.",
		registration.Table{Into: registration.SchemaColumns, Rows: rows})
}

// choose keeps the rows of the named schemas, or all without names.
func choose(rows []registration.Row, names []string) ([]registration.Row, error) {
	if len(rows) == 0 {
		return nil, errors.New("no <Name>@<N>.json there describes an object")
	}
	for _, name := range names {
		if !slices.ContainsFunc(rows, func(row registration.Row) bool { return row.What == name }) {
			return nil, fmt.Errorf("no %s.json there describes an object", name)
		}
	}
	return slices.DeleteFunc(rows, func(row registration.Row) bool {
		return len(names) > 0 && !slices.Contains(names, row.What)
	}), nil
}

// carriedSchemas are the schemas of this binary by their names.
func carriedSchemas() (map[string][]byte, error) {
	schemas, err := registry()
	if err != nil {
		return nil, err
	}
	carried := map[string][]byte{}
	for _, name := range schemas.Schemas() {
		carried[name], _ = schemas.Schema(name)
	}
	return carried, nil
}

// faultsOf takes the faults out of the error of schema.Load.
func faultsOf(err error) []*schema.DialectError {
	joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err)
	if !ok {
		return nil
	}
	var faults []*schema.DialectError
	for _, each := range joined.Unwrap() {
		if fault, ok := errors.AsType[*schema.DialectError](each); ok {
			faults = append(faults, fault)
		}
	}
	return faults
}

// refuseSchemas tells all faults. Standard output is a migration or nothing.
func (a *app) refuseSchemas(faults []*schema.DialectError) error {
	for _, fault := range faults {
		pointer := fault.Pointer
		if pointer == "" {
			pointer = "(whole document)"
		}
		if _, err := fmt.Fprintf(a.stderr, "%s\t%s\t%s\n", fault.File, pointer, fault.Problem); err != nil {
			return fmt.Errorf("write the faults: %w", err)
		}
	}
	return usagef("the schemas have %s", count(len(faults), "fault"))
}
