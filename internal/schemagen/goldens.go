package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/oceanway/outbox/internal/schema"
)

// definitionSchema is the schema of the files in contracts/delivery-sets.
const definitionSchema = "DeliverySetDefinition@1"

func (g *generator) deliverySets() error {
	return g.complete(g.path("contracts/delivery-sets"), definitionSchema)
}

// goldens completes each folder of contracts/goldens, which has the name of a schema.
func (g *generator) goldens() error {
	entries, err := os.ReadDir(g.path("contracts/goldens"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list the goldens: %w", err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		if err := g.complete(g.path("contracts/goldens/"+entry.Name()), entry.Name()); err != nil {
			return err
		}
	}
	return nil
}

// complete writes into a folder what follows from its documents, and removes what follows from none.
func (g *generator) complete(folder, name string) error {
	s, ok := g.schemas.Schema(name)
	if !ok {
		return fmt.Errorf("%s: there is no schema %s", folder, name)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return fmt.Errorf("list the goldens: %w", err)
	}
	documents := map[string]bool{}
	for _, file := range files {
		stem, isDocument := strings.CutSuffix(file, ".json")
		if !isDocument || filepath.Base(file) == "invalid.json" {
			continue
		}
		documents[stem] = true
		if err := g.completeOne(file, s.Digest); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	for _, file := range files {
		stem, extension := strings.TrimSuffix(file, filepath.Ext(file)), filepath.Ext(file)
		kept := documents[stem] && (extension == ".canonical" || s.Digest != nil)
		if extension != ".canonical" && extension != ".sha256" || kept {
			continue
		}
		if err := os.Remove(file); err != nil {
			return fmt.Errorf("remove a golden without a document: %w", err)
		}
		fmt.Fprintln(g.out, "removed", file)
	}
	return nil
}

func (g *generator) completeOne(file string, rule *schema.Digest) error {
	document, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	bytes, err := candidate(document, rule)
	if err != nil {
		return err
	}
	stem := strings.TrimSuffix(file, ".json")
	if err := g.write(stem+".canonical", bytes); err != nil || rule == nil {
		return err
	}
	sum := sha256.Sum256(bytes)
	digest := hex.EncodeToString(sum[:])
	if rule.Member != "" {
		if document, err = replaceText(document, schema.Pointer("", rule.Member), digest); err != nil {
			return err
		}
		if err := g.write(file, document); err != nil {
			return err
		}
	}
	return g.write(stem+".sha256", fmt.Appendf(nil, "%s  %s\n", digest, filepath.Base(stem)+".canonical"))
}
