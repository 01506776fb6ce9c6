package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/oceanway/outbox/internal/schema"
)

func main() {
	root := "."
	if len(os.Args) == 2 {
		root = os.Args[1]
	}
	if err := generate(root, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

// generator knows the sources and where the repository is.
type generator struct {
	root       string
	out        io.Writer
	schemas    *schema.Set
	namespaces []namespace
}

func generate(root string, out io.Writer) error {
	schemas, err := schema.Load(os.DirFS(filepath.Join(root, "contracts", "schemas")))
	if err != nil {
		return fmt.Errorf("the schemas are not in order:\n%w", err)
	}
	g := &generator{root: root, out: out, schemas: schemas}
	if g.namespaces, err = readNamespaces(g.path("contracts/namespaces.json"), schemas); err != nil {
		return err
	}
	for _, step := range []func() error{g.deliverySets, g.goldens, g.derived, g.migration, g.typescript, g.goTypes} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (g *generator) path(slashed string) string {
	return filepath.Join(g.root, filepath.FromSlash(slashed))
}

// write replaces a file, and says so, when its content is another one.
func (g *generator) write(path string, content []byte) error {
	present, err := os.ReadFile(path)
	if err == nil && bytes.Equal(present, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make the folder of a generated file: %w", err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("write a generated file: %w", err)
	}
	fmt.Fprintln(g.out, "wrote", path)
	return nil
}
