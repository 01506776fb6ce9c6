package main

import (
	"encoding/hex"
	"errors"

	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/contracts"
)

func newContractsDigestCommand(a *app) *cobra.Command {
	var canonicalOnly bool
	cmd := &cobra.Command{
		Use:   "digest SCHEMA DOCUMENT",
		Short: "Compute a document's digest by its schema's rule",
		Long: `digest prints the SHA-256 of the canonical form (RFC 8785) of a document without
the members that its schema leaves out of the digest. It does not judge the
document: a digest that a document states about itself may be missing or wrong.

With --canonical it prints the exact bytes that are digested instead, with no
line break at the end.

` + schemaHelp,
		Example: `  outbox contracts digest EventEnvelope@1 envelope.json
  outbox contracts digest --canonical OperationsProjectionAppliedReceipt@1 receipt.json | sha256sum`,
		Args: arguments(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, args []string) error {
			schemas, document, err := a.judging(args)
			if err != nil {
				return err
			}
			candidate, err := schemas.Candidate(args[0], document)
			if errors.Is(err, contracts.ErrUnknownSchema) {
				return unknownSchema(schemas, args[0])
			}
			if err == nil && !canonicalOnly {
				_, err = schemas.Digest(args[0], document) // not every object has one
			}
			if err != nil {
				return usage(err)
			}
			if canonicalOnly {
				return a.printf("%s", candidate)
			}
			sum := contracts.Sum(candidate)
			return a.printf("%s\n", hex.EncodeToString(sum[:]))
		},
	}
	cmd.Flags().BoolVar(&canonicalOnly, "canonical", false, "print the bytes that are digested")
	return cmd
}
