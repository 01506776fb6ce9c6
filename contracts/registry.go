package contracts

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ErrUnknownSchema is a schema that this release does not have, or that describes no document but
// holds definitions for others.
var ErrUnknownSchema = errors.New("unknown schema")

// Registry holds the compiled schemas of this release. It never changes after Load and is safe for
// concurrent use.
type Registry struct {
	documents map[string]document
	spaces    map[string]namespace
}

// document is one schema.
type document struct {
	source   []byte
	digest   digestRule
	compiled *jsonschema.Schema // nil for a schema that only holds definitions
}

const (
	schemaFolder = "schemas"
	schemaPrefix = "urn:oceanway:contracts:"
)

func schemaURL(name string) string { return schemaPrefix + name }

//go:embed schemas/*.json namespaces.json
var released embed.FS

// Load compiles the schemas of this release. That takes some milliseconds: once per program is enough.
func Load() (*Registry, error) { return load(released) }

// load compiles the schemas of a folder. Nothing is ever fetched: a reference leads to another of them
// or nowhere.
func load(files fs.FS) (*Registry, error) {
	names, err := fs.Glob(files, schemaFolder+"/*.json")
	if err != nil {
		return nil, fmt.Errorf("list the schemas: %w", err)
	}
	r := &Registry{documents: map[string]document{}, spaces: map[string]namespace{}}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(nil)
	compiler.RegisterVocabulary(vocabulary())
	compiler.AssertVocabs()
	roots := map[string]map[string]any{}
	for _, file := range names {
		name := strings.TrimSuffix(path.Base(file), ".json")
		source, err := fs.ReadFile(files, file)
		if err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		if roots[name], err = parseSchema(name, source); err != nil {
			return nil, err
		}
		if err := compiler.AddResource(schemaURL(name), forValidator(roots[name])); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.documents[name] = document{source: source}
	}
	for name, root := range roots {
		if err := r.compile(compiler, name, root); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return r, r.loadNamespaces(files)
}

func parseSchema(name string, source []byte) (map[string]any, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	root, ok := parsed.(map[string]any)
	if !ok || root["$id"] != schemaURL(name) {
		return nil, fmt.Errorf("%s: the file does not hold the schema of its name", name)
	}
	return root, nil
}

func (r *Registry) compile(compiler *jsonschema.Compiler, name string, root map[string]any) error {
	d := r.documents[name]
	if rule, ok := root[keywordDigest]; ok {
		if err := decodeKeyword(rule, &d.digest); err != nil {
			return err
		}
	}
	compiled, err := compiler.Compile(schemaURL(name))
	if err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	if describes(root) {
		d.compiled = compiled
	}
	r.documents[name] = d
	return nil
}

// describes tells whether a schema describes a document and does not only hold definitions.
func describes(root map[string]any) bool {
	for _, keyword := range []string{"$ref", "type", "oneOf", "const", "enum"} {
		if _, ok := root[keyword]; ok {
			return true
		}
	}
	return false
}

// Schemas lists the names of all schemas, in order.
func (r *Registry) Schemas() []string { return slices.Sorted(maps.Keys(r.documents)) }

// Schema gives a schema's own text.
func (r *Registry) Schema(name string) ([]byte, bool) {
	d, ok := r.documents[name]
	return slices.Clone(d.source), ok
}

func (r *Registry) find(schema string) (document, error) {
	d, ok := r.documents[schema]
	if !ok || d.compiled == nil {
		return d, fmt.Errorf("%w: %s", ErrUnknownSchema, schema)
	}
	return d, nil
}
