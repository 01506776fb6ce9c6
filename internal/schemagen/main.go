package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/schema"
)

func main() {
	root := "."
	if len(os.Args) == 2 {
		root = os.Args[1]
	}
	if err := generate(root, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

// generator knows the sources and where the repository is, and what is to change there.
type generator struct {
	root       string
	out        io.Writer // what was done
	warnings   io.Writer // what is left to do by hand
	schemas    *schema.Set
	namespaces []namespace
	registry   *contracts.Registry
	changes    []change
	faults     []error // of documents
}

// change is a file to write, or to remove.
type change struct {
	path    string
	content []byte
	remove  bool
}

// generate looks at everything before it writes anything.
func generate(root string, out, warnings io.Writer) error {
	schemas, err := schema.Load(os.DirFS(filepath.Join(root, "contracts", "schemas")))
	if err != nil {
		return fmt.Errorf("the schemas are not in order:\n%w", err)
	}
	g := &generator{root: root, out: out, warnings: warnings, schemas: schemas}
	if g.namespaces, err = readNamespaces(g.path("contracts/namespaces.json"), schemas); err != nil {
		return err
	}
	if g.registry, err = contracts.Load(); err != nil {
		return fmt.Errorf("load the schemas: %w", err)
	}
	for _, step := range []func() error{g.typescript, g.goTypes, g.deliverySets, g.goldens, g.derived, g.migration} {
		if err := step(); err != nil {
			return err
		}
	}
	if len(g.faults) > 0 {
		return fmt.Errorf("the goldens are not in order:\n%w", errors.Join(g.faults...))
	}
	if err := g.apply(); err != nil {
		return err
	}
	return g.adviseSnapshot()
}

func (g *generator) path(slashed string) string {
	return filepath.Join(g.root, filepath.FromSlash(slashed))
}

// write takes note of a file whose content is to be another one.
func (g *generator) write(path string, content []byte) error {
	present, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read a generated file: %w", err)
	}
	if err != nil || !bytes.Equal(present, content) {
		g.changes = append(g.changes, change{path: path, content: content})
	}
	return nil
}

// remove takes note of a file that is to go.
func (g *generator) remove(path string) {
	g.changes = append(g.changes, change{path: path, remove: true})
}

// apply makes the changes, and says which.
func (g *generator) apply() error {
	for _, c := range g.changes {
		if c.remove {
			if err := os.Remove(c.path); err != nil {
				return fmt.Errorf("remove a file that follows from nothing: %w", err)
			}
			fmt.Fprintln(g.out, "removed", c.path)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(c.path), 0o755); err != nil {
			return fmt.Errorf("make the folder of a generated file: %w", err)
		}
		if err := os.WriteFile(c.path, c.content, 0o644); err != nil {
			return fmt.Errorf("write a generated file: %w", err)
		}
		fmt.Fprintln(g.out, "wrote", c.path)
	}
	return nil
}
