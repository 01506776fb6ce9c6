package main

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/contracts"
)

// errDigestDiffers is a definition whose own digest is not the computed one.
var errDigestDiffers = errors.New("the definition's own digest differs from the computed one")

func newDeliverySetDigestCommand(a *app) *cobra.Command {
	var asJSON, canonicalOnly bool
	cmd := &cobra.Command{
		Use:   "digest DEFINITION",
		Short: "Compute the digest of a definition and compare it with its own",
		Long: `digest computes a definition's digest without a database: the SHA-256 of its
canonical form (RFC 8785) without deliverySetDefinitionDigest. It fails when the
definition itself says another one.

With --canonical it prints the exact bytes that are digested instead, with no
line break at the end.

` + sourceHelp,
		Example: `  outbox delivery-set digest definition.json
  outbox delivery-set digest --canonical definition.json | sha256sum`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			definition, err := a.readDefinition(args[0])
			if err != nil {
				return err
			}
			schemas, err := registry()
			if err != nil {
				return err
			}
			candidate, err := schemas.Candidate(contracts.DefinitionSchema, definition)
			if err != nil {
				return usage(err)
			}
			if canonicalOnly {
				return a.printf("%s", candidate)
			}
			digest := contracts.Sum(candidate)
			return a.printDigest(definition, hex.EncodeToString(digest[:]), asJSON)
		},
	}
	cmd.Flags().BoolVar(&canonicalOnly, "canonical", false, "print the bytes that are digested")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printDigest prints the computed digest and fails when the definition says another.
func (a *app) printDigest(definition []byte, computed string, asJSON bool) error {
	named, err := contracts.ParseDefinitionIdentity(definition)
	if err != nil {
		return usage(err)
	}
	if asJSON {
		err = a.printJSON(struct {
			Algorithm string `json:"algorithm"`
			Computed  string `json:"computed"`
			Stated    string `json:"stated"`
			Matches   bool   `json:"matches"`
		}{contracts.DigestAlgorithm, computed, named.DeliverySetDefinitionDigest, computed == named.DeliverySetDefinitionDigest})
	} else {
		err = a.printf("%s\n", computed)
	}
	if err != nil {
		return err
	}
	if computed != named.DeliverySetDefinitionDigest {
		return fmt.Errorf("%w: it says %q", errDigestDiffers, named.DeliverySetDefinitionDigest)
	}
	return nil
}
