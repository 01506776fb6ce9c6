package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oceanway/outbox/internal/schema"
)

// definitionSchema is the schema of the files in contracts/delivery-sets.
const definitionSchema = "DeliverySetDefinition@1"

// invalidFile holds the documents that a schema refuses.
const invalidFile = "invalid.json"

func (g *generator) deliverySets() error {
	return g.complete(g.path("contracts/delivery-sets"), definitionSchema)
}

// goldens completes each folder of contracts/goldens, which has the name of a schema.
func (g *generator) goldens() error {
	entries, err := os.ReadDir(g.path("contracts/goldens"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
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
	return g.missGoldens()
}

// missGoldens tells which goldens of a schema are still to be written.
func (g *generator) missGoldens() error {
	for _, s := range g.schemas.Ordered() {
		folder := "contracts/goldens/" + s.Name
		files, err := filepath.Glob(filepath.Join(g.path(folder), "*.json"))
		if err != nil {
			return fmt.Errorf("list the goldens: %w", err)
		}
		invalid := slices.Contains(files, filepath.Join(g.path(folder), invalidFile))
		if s.Root != nil && (!invalid || len(files) == 1) {
			fmt.Fprintf(g.warnings, "%s is not complete: write %s/<case>.json for each kind of document that is valid, and %s/%s for what is not\n",
				s.Name, folder, folder, invalidFile)
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
		if !isDocument || filepath.Base(file) == invalidFile {
			continue
		}
		documents[stem] = true
		if err := g.completeOne(file, s); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	for _, file := range files {
		stem, extension := strings.TrimSuffix(file, filepath.Ext(file)), filepath.Ext(file)
		kept := documents[stem] && (extension == ".canonical" || s.Digest != nil)
		if extension != ".canonical" && extension != ".sha256" || kept {
			continue
		}
		g.remove(file)
	}
	return nil
}

func (g *generator) completeOne(file string, s *schema.Schema) error {
	document, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	bytes, err := candidate(document, s.Digest)
	if err != nil {
		return err
	}
	stem := strings.TrimSuffix(file, ".json")
	if err := g.write(stem+".canonical", bytes); err != nil {
		return err
	}
	if s.Digest == nil {
		g.judge(file, s.Name, document)
		return nil
	}
	sum := sha256.Sum256(bytes)
	digest := hex.EncodeToString(sum[:])
	if s.Digest.Member != "" {
		if document, err = replaceText(document, schema.Pointer("", s.Digest.Member), digest); err != nil {
			return err
		}
		if err := g.write(file, document); err != nil {
			return err
		}
	}
	g.judge(file, s.Name, document)
	return g.write(stem+".sha256", fmt.Appendf(nil, "%s  %s\n", digest, filepath.Base(stem)+".canonical"))
}

// judge refuses a document that its schema does. The schemas that are compiled into this program have to
// be those of the repository it works on; go run sees to that, and others judge nothing.
func (g *generator) judge(where, name string, document []byte) {
	wanted, _ := g.schemas.Schema(name)
	if compiled, ok := g.registry.Schema(name); !ok || string(compiled) != string(wanted.Document) {
		return
	}
	violations, err := g.registry.Validate(name, document)
	if err != nil {
		g.faults = append(g.faults, fmt.Errorf("%s: %w", where, err))
	}
	for _, v := range violations {
		g.faults = append(g.faults, fmt.Errorf("%s is not valid by %s: %q %s", where, name, v.Path, v.Rule))
	}
}
