package testdb

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/migrate"
)

// migratedTemplate holds the schema of the migrations and the functions of the working copy.
func (h *harness) migratedTemplate(ctx context.Context) (string, error) {
	return h.template(ctx, &h.migrated, "_migrated", "template0", func(ctx context.Context, conn *pgx.Conn) error {
		if err := migrate.Roles(ctx, conn); err != nil {
			return err
		}
		if err := migrate.Up(ctx, conn, nil); err != nil {
			return err
		}
		return migrate.Install(ctx, conn)
	})
}

// activeTemplate adds the first release's delivery set.
func (h *harness) activeTemplate(ctx context.Context) (string, error) {
	parent, err := h.migratedTemplate(ctx)
	if err != nil {
		return "", err
	}
	return h.template(ctx, &h.active, "_active", parent, func(ctx context.Context, conn *pgx.Conn) error {
		if err := h.assume(ctx, conn, "outbox_governor"); err != nil {
			return err
		}
		return activate(ctx, conn, contracts.FirstRelease())
	})
}

// activate registers a definition and makes it the active one.
func activate(ctx context.Context, conn *pgx.Conn, definition []byte) error {
	identity, err := contracts.ParseDefinitionIdentity(definition)
	if err != nil {
		return err
	}
	digest, err := hex.DecodeString(identity.DeliverySetDefinitionDigest)
	if err != nil {
		return fmt.Errorf("decode the definition's digest: %w", err)
	}
	if _, err := conn.Exec(ctx, "select outbox.register_delivery_set($1::json, $2)", string(definition), "test"); err != nil {
		return fmt.Errorf("register the first release: %w", err)
	}
	if _, err := conn.Exec(ctx, "select outbox.activate_delivery_set($1, $2, $3, $4)", identity.DeliverySetVersion,
		identity.DeliverySetDefinitionSchemaVersion, identity.DeliverySetDefinitionDigestAlgorithmVersion, digest); err != nil {
		return fmt.Errorf("activate the first release: %w", err)
	}
	return nil
}
