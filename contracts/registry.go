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
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ErrUnknownSchema is a schema that this release does not have, or that describes no document but
// holds definitions for others.
var ErrUnknownSchema = errors.New("unknown schema")

// Registry holds the schemas of this release. What it answers never changes, and it is safe for
// concurrent use.
type Registry struct {
	documents map[string]document
	spaces    map[string]namespace
}

// document is one schema.
type document struct {
	source    []byte
	digest    *digestRule // nil where the schema has none
	describes bool        // false for a schema that only holds definitions
	compiled  func() (*jsonschema.Schema, error)
}

const (
	schemaFolder = "schemas"
	schemaPrefix = "urn:oceanway:contracts:"
)

func schemaURL(name string) string { return schemaPrefix + name }

//go:embed schemas/*.json namespaces.json
var released embed.FS

// Load reads the schemas of this release, which takes some 10 ms and 1.5 MB of memory. Each is compiled,
// with those that it refers to, when it judges its first document: some 30 ms and 6 MB for all of them.
// Once per program is enough.
func Load() (*Registry, error) { return load(released) }

// load reads the schemas of a folder. Nothing is ever fetched: a reference leads to another of them
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
	var compiling sync.Mutex
	for _, file := range names {
		name := strings.TrimSuffix(path.Base(file), ".json")
		source, err := fs.ReadFile(files, file)
		if err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		root, err := parseSchema(name, source)
		if err != nil {
			return nil, err
		}
		if err := compiler.AddResource(schemaURL(name), forValidator(root)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		d := document{source: source, describes: describes(root)}
		if d.digest, err = digestRuleOf(root); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		d.compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
			compiling.Lock() // schemas share what they refer to, and the compiler
			defer compiling.Unlock()
			return compiler.Compile(schemaURL(name))
		})
		r.documents[name] = d
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
	if !ok || !d.describes {
		return d, fmt.Errorf("%w: %s", ErrUnknownSchema, schema)
	}
	return d, nil
}
