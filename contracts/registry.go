package contracts

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
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

// ErrNoDigest is a schema that has no rule for a digest.
var ErrNoDigest = errors.New("the schema has no digest")

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

// digestRule is x-digest: which members the digest leaves out, and which one holds it.
type digestRule struct {
	AlgorithmVersion string   `json:"algorithmVersion"`
	Member           string   `json:"member"`
	Excludes         []string `json:"excludes"`
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
		if err := compiler.AddResource(schemaURL(name), withBranches(roots[name])); err != nil {
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

// Validate lists everything in a document that breaks its schema, by path and rule; nothing means that
// it is valid. Reading, schema, canonical form and digest are judged one after the other, each only where
// the one before found nothing. The error is about the schema's name, never about the document.
func (r *Registry) Validate(schema string, doc []byte) ([]Violation, error) {
	d, err := r.find(schema)
	if err != nil {
		return nil, err
	}
	value, violations := read(doc)
	if violations != nil {
		return violations, nil
	}
	if violations, err = judge(d.compiled, value); err != nil {
		return nil, fmt.Errorf("%s: %w", schema, err)
	}
	if violations != nil {
		return violations, nil
	}
	if v := canonicalFault(value, nil); v != nil {
		return []Violation{*v}, nil
	}
	return digestFault(d.digest, doc, value), nil
}

// digestFault compares the digest that a document holds with the one it has.
func digestFault(rule digestRule, doc []byte, value any) []Violation {
	object, _ := value.(map[string]any)
	held, ok := object[rule.Member].(string)
	if rule.Member == "" || !ok {
		return nil
	}
	candidate, err := canonicalWithout(doc, rule.Excludes...)
	sum := Sum(candidate)
	if err == nil && held == hex.EncodeToString(sum[:]) {
		return nil
	}
	return []Violation{{pointer(rule.Member), ruleDigestMatches, "is not the digest of the rest"}}
}

// Candidate gives the canonical bytes of what a schema's digest covers: the document without the members
// that x-digest excludes, or the whole where the schema has no digest. It does not validate.
func (r *Registry) Candidate(schema string, doc []byte) ([]byte, error) {
	d, err := r.find(schema)
	if err != nil {
		return nil, err
	}
	if len(d.digest.Excludes) == 0 {
		return Canonical(doc)
	}
	candidate, err := canonicalWithout(doc, d.digest.Excludes...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", schema, err)
	}
	return candidate, nil
}

// Digest is the digest of a document by the rule of its schema. It does not validate.
func (r *Registry) Digest(schema string, doc []byte) (digest [sha256.Size]byte, err error) {
	candidate, err := r.Candidate(schema, doc)
	if err != nil {
		return digest, err
	}
	if r.documents[schema].digest.AlgorithmVersion == "" {
		return digest, fmt.Errorf("%w: %s", ErrNoDigest, schema)
	}
	return Sum(candidate), nil
}
