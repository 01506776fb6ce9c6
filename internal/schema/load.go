package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// DialectError is something in a schema that the dialect does not allow.
type DialectError struct {
	File    string
	Pointer string
	Problem string
}

func (f *DialectError) Error() string {
	if f.Pointer == "" {
		return f.File + ": " + f.Problem
	}
	return f.File + " " + f.Pointer + ": " + f.Problem
}

// Set is a folder of schemas.
type Set struct {
	schemas map[string]*Schema
	names   []string // sorted
}

// Names lists the schemas in byte order.
func (s *Set) Names() []string { return slices.Clone(s.names) }

// Schema finds a schema by its name.
func (s *Set) Schema(name string) (*Schema, bool) {
	found, ok := s.schemas[name]
	return found, ok
}

// Ordered lists the schemas so that each comes after those that it refers to, and else in byte order.
func (s *Set) Ordered() []*Schema {
	var ordered []*Schema
	done := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if done[name] {
			return
		}
		done[name] = true
		for _, used := range s.Uses(name) {
			visit(used)
		}
		ordered = append(ordered, s.schemas[name])
	}
	for _, name := range s.names {
		visit(name)
	}
	return ordered
}

// Uses lists the other schemas that a schema refers to, in byte order.
func (s *Set) Uses(name string) []string {
	var used []string
	for _, ref := range s.schemas[name].refs() {
		if other, _ := splitRef(name, ref.To); other != name && !slices.Contains(used, other) {
			used = append(used, other)
		}
	}
	slices.Sort(used)
	return used
}

// Load reads every *.json of a folder. The error holds all faults (errors.Join of *DialectError).
func Load(folder fs.FS) (*Set, error) { return LoadBeside(nil, folder) }

// LoadBeside is Load for schemas that may also refer to known ones, which are given by their names. The
// known ones are part of the set. A name of theirs is taken, with every version.
func LoadBeside(known map[string][]byte, folder fs.FS) (*Set, error) {
	files, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, fmt.Errorf("list the schemas: %w", err)
	}
	set := &Set{schemas: map[string]*Schema{}}
	taken := map[string]bool{}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(known)) {
		faults = append(faults, set.add(name, known[name])...)
		taken[unversioned(name)] = true
	}
	for _, file := range files {
		text, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, fmt.Errorf("read a schema: %w", err)
		}
		name := strings.TrimSuffix(file, ".json")
		if taken[unversioned(name)] {
			faults = append(faults, &DialectError{file, "", "the name " + unversioned(name) + " is taken by a schema that is known already"})
			continue
		}
		faults = append(faults, set.add(name, text)...)
	}
	slices.Sort(set.names)
	if len(faults) > 0 { // what is built on a broken schema says nothing new
		return nil, errors.Join(faults...)
	}
	for _, pass := range []func(*Set) []error{link, refuseCircles, check} {
		if faults := pass(set); len(faults) > 0 {
			return nil, errors.Join(faults...)
		}
	}
	return set, nil
}

// add parses a file, and adds it when nothing is wrong with it.
func (s *Set) add(name string, text []byte) []error {
	p := &parser{file: name + ".json"}
	if parsed := p.schema(name, text); len(p.faults) == 0 {
		s.schemas[name] = parsed
		s.names = append(s.names, name)
	}
	return p.faults
}

func unversioned(name string) string {
	plain, _, _ := strings.Cut(name, "@")
	return plain
}

// named is the form of a schema's name, as contracts.schemas wants it.
func named(name string) bool {
	return regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,127}@[1-9][0-9]{0,3}$`).MatchString(name)
}

// splitRef reads the text of a $ref: the schema it leads to, and the definition there or "".
func splitRef(own, to string) (schema, definition string) {
	if name, ok := strings.CutPrefix(to, "#/$defs/"); ok {
		return own, name
	}
	schema, definition, _ = strings.Cut(strings.TrimPrefix(to, Prefix), "#/$defs/")
	return schema, definition
}

// link finds the target of every reference.
func link(set *Set) (faults []error) {
	for _, name := range set.names {
		for _, ref := range set.schemas[name].refs() {
			other, definition := splitRef(name, ref.To)
			target := set.find(other, definition)
			if target == nil {
				faults = append(faults, &DialectError{ref.file, ref.at + "/$ref", "leads nowhere: " + ref.To})
				continue
			}
			ref.target = target
		}
	}
	return faults
}

func (s *Set) find(schema, definition string) Node {
	found, ok := s.schemas[schema]
	if !ok {
		return nil
	}
	if definition == "" {
		return found.Root
	}
	for _, entry := range found.Defs {
		if entry.Name == definition {
			return entry.Node
		}
	}
	return nil
}

// refuseCircles finds nodes that contain themselves: no document could end.
func refuseCircles(set *Set) (faults []error) {
	open, done := map[Node]bool{}, map[Node]bool{}
	var visit func(node Node)
	visit = func(node Node) {
		if node == nil || done[node] {
			return
		}
		open[node] = true
		for _, child := range children(node) {
			visit(child)
		}
		if ref, ok := node.(*Ref); ok {
			if open[ref.target] {
				faults = append(faults, &DialectError{ref.file, ref.at + "/$ref", "leads back to where it came from: " + ref.To})
			} else {
				visit(ref.target)
			}
		}
		delete(open, node)
		done[node] = true
	}
	for _, name := range set.names {
		for _, node := range set.schemas[name].tops() {
			visit(node)
		}
	}
	return faults
}

// tops lists the root and the definitions.
func (s *Schema) tops() []Node {
	var nodes []Node
	if s.Root != nil {
		nodes = append(nodes, s.Root)
	}
	for _, definition := range s.Defs {
		nodes = append(nodes, definition.Node)
	}
	return nodes
}

// refs lists the references of a file.
func (s *Schema) refs() (refs []*Ref) {
	s.walk(func(node Node) {
		if ref, ok := node.(*Ref); ok {
			refs = append(refs, ref)
		}
	})
	return refs
}

// walk visits every node of a file, parents first. It does not follow references.
func (s *Schema) walk(visit func(Node)) {
	var down func(node Node)
	down = func(node Node) {
		visit(node)
		for _, child := range children(node) {
			down(child)
		}
	}
	for _, node := range s.tops() {
		down(node)
	}
}

// children lists the nodes directly below one in its file.
func children(node Node) []Node {
	var below []Node
	switch n := node.(type) {
	case *Array:
		below = append(below, n.Items)
	case *Object:
		for _, property := range n.Properties {
			below = append(below, property.Node)
		}
	case *Union:
		for _, branch := range n.Branches {
			below = append(below, branch.Node)
		}
	}
	return below
}
