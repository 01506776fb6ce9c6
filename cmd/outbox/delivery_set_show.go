package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/contracts"
)

// deliverySet is a registered definition with its state.
type deliverySet struct {
	Version                string     `json:"deliverySetVersion"`
	SchemaVersion          string     `json:"deliverySetDefinitionSchemaVersion"`
	DigestAlgorithmVersion string     `json:"deliverySetDefinitionDigestAlgorithmVersion"`
	Digest                 string     `json:"deliverySetDefinitionDigest"`
	Status                 string     `json:"status"`
	SourceRelease          string     `json:"sourceRelease"`
	RegisteredAt           time.Time  `json:"registeredAt"`
	RegisteredBy           string     `json:"registeredBy"`
	ActivatedAt            *time.Time `json:"activatedAt"`
	ActivatedBy            *string    `json:"activatedBy"`
	// Definition is the canonical text, read for one definition only.
	Definition json.RawMessage `json:"definition,omitempty"`
}

// identity is the quadruple as the database holds it.
func (d deliverySet) identity() contracts.DefinitionIdentity {
	return contracts.DefinitionIdentity{
		DeliverySetVersion:                          d.Version,
		DeliverySetDefinitionSchemaVersion:          d.SchemaVersion,
		DeliverySetDefinitionDigestAlgorithmVersion: d.DigestAlgorithmVersion,
		DeliverySetDefinitionDigest:                 d.Digest,
	}
}

func newDeliverySetShowCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show [VERSION]",
		Short: "List the registered definitions, or show one with its members",
		Long: `show lists the registered definitions, newest first, with their state: registered,
active or retired. With a version it shows that one and its members; --json adds
the canonical definition. It needs the role outbox_reader.`,
		Example: `  outbox delivery-set show
  outbox delivery-set show ` + exampleDefinition + `
  outbox delivery-set show --json ` + exampleDefinition + ` | jq .definition`,
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.session(cmd.Context(), "outbox_reader", func(conn *pgx.Conn) error {
				if len(args) == 1 {
					return a.showDeliverySet(cmd.Context(), conn, args[0], asJSON)
				}
				return a.listDeliverySets(cmd.Context(), conn, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) listDeliverySets(ctx context.Context, conn *pgx.Conn, asJSON bool) error {
	sets, err := deliverySets(ctx, conn)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(sets)
	}
	if len(sets) == 0 {
		return a.printf("no definition is registered\n")
	}
	return a.printTable(func(w io.Writer) {
		fmt.Fprintln(w, "VERSION\tSTATUS\tDIGEST\tREGISTERED\tACTIVATED\tSOURCE RELEASE")
		for _, set := range sets {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", set.Version, set.Status, set.Digest,
				stamp(&set.RegisteredAt), stamp(set.ActivatedAt), set.SourceRelease)
		}
	})
}

func (a *app) showDeliverySet(ctx context.Context, conn *pgx.Conn, version string, asJSON bool) error {
	set, err := deliverySetByVersion(ctx, conn, version)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(set)
	}
	members, err := readMembers(set.Definition)
	if err != nil {
		return err
	}
	err = a.printTable(func(w io.Writer) {
		fmt.Fprintf(w, "version\t%s\nstatus\t%s\nschema version\t%s\ndigest\t%s=%s\n",
			set.Version, set.Status, set.SchemaVersion, set.DigestAlgorithmVersion, set.Digest)
		fmt.Fprintf(w, "source release\t%s\nregistered\t%s by %s\nactivated\t%s\n\n",
			set.SourceRelease, stamp(&set.RegisteredAt), set.RegisteredBy, stamp(set.ActivatedAt))
	})
	if err != nil {
		return err
	}
	return a.printTable(func(w io.Writer) {
		fmt.Fprintln(w, "EVENT\tSCHEMA\tDESTINATION\tCONSUMER\tRECEIPT\tPROJECTION\tMANDATORY")
		for _, m := range members {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s@%s\t%s\t%v\n", m.EventType, m.EventSchemaVersion, m.Destination,
				m.ConsumerName, m.ReceiptType, m.ReceiptSchemaVersion, m.projection(), m.Mandatory)
		}
	})
}

// definitionMember is a member of a registered definition, for display.
type definitionMember struct {
	EventType            string `json:"eventType"`
	EventSchemaVersion   string `json:"eventSchemaVersion"`
	Destination          string `json:"destination"`
	ConsumerName         string `json:"consumerName"`
	ReceiptType          string `json:"expectedReceiptType"`
	ReceiptSchemaVersion string `json:"expectedReceiptSchemaVersion"`
	ProjectionTarget     struct {
		Name    string `json:"projectionName"`
		Version string `json:"projectionVersion"`
	} `json:"projectionTarget"`
	Mandatory bool `json:"mandatory"`
}

func (m definitionMember) projection() string {
	if m.ProjectionTarget.Name == "" {
		return "-"
	}
	return m.ProjectionTarget.Name + "@" + m.ProjectionTarget.Version
}

func readMembers(definition []byte) ([]definitionMember, error) {
	var content struct {
		Members []definitionMember `json:"members"`
	}
	if err := json.Unmarshal(definition, &content); err != nil {
		return nil, fmt.Errorf("read the registered definition: %w", err)
	}
	return content.Members, nil
}
