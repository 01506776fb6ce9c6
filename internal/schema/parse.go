package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

const dialect = "https://json-schema.org/draft/2020-12/schema"

// parser reads one file and collects what is wrong with it.
type parser struct {
	file   string
	faults []error
}

func (p *parser) refuse(at, format string, args ...any) {
	p.faults = append(p.faults, &DialectError{p.file, at, fmt.Sprintf(format, args...)})
}

// place is where a node lies, and what it says of itself.
func (p *parser) place(at string, m *members) place {
	if m == nil || !m.has("description") {
		return place{file: p.file, at: at}
	}
	return place{p.file, at, p.text(at+"/description", m.values["description"])}
}

// schema reads the document of a file.
func (p *parser) schema(name string, text []byte) *Schema {
	s := &Schema{Name: name, Document: text}
	value, err := readJSON(text)
	if err != nil {
		p.refuse("", "%v", err)
		return s
	}
	root, ok := value.(*members)
	if !ok {
		p.refuse("", "is not an object")
		return s
	}
	if !named(name) {
		p.refuse("", "the file's name is not <Name>@<N>.json")
	}
	p.head(name, root)
	s.Description, _ = root.values["description"].(string)
	s.Defs = p.definitions(root)
	if value, ok := root.values["x-digest"]; ok {
		s.Digest = p.digest("/x-digest", value)
	}
	node := &members{values: maps.Clone(root.values)}
	for _, name := range root.names {
		switch name {
		case "$schema", "$id", "title", "description", "x-nfc", "x-digest", "$defs":
			delete(node.values, name)
		default:
			node.names = append(node.names, name)
		}
	}
	if len(node.names) == 0 && len(s.Defs) > 0 {
		return s // definitions only
	}
	if s.Description != "" { // head has refused it otherwise
		node.values["description"] = s.Description
	}
	s.Root = p.node("", node)
	switch s.Root.(type) {
	case *Object, *Union, nil:
	default:
		p.refuse("", "the root is neither a closed object nor a union")
	}
	return s
}

// head checks the members that every file has in common.
func (p *parser) head(name string, root *members) {
	for _, wanted := range []struct {
		member string
		value  any
	}{{"$schema", dialect}, {"$id", Prefix + name}, {"title", name}, {"x-nfc", true}} {
		if root.values[wanted.member] != wanted.value {
			p.refuse("/"+wanted.member, "is not %v", wanted.value)
		}
	}
	if !root.has("description") {
		p.refuse("/description", "is missing")
	} else {
		p.text("/description", root.values["description"])
	}
}

func (p *parser) definitions(root *members) (defs []Definition) {
	value, ok := root.values["$defs"]
	if !ok {
		return nil
	}
	entries, ok := value.(*members)
	if !ok || len(entries.names) == 0 {
		p.refuse("/$defs", "is not an object with members")
		return nil
	}
	for _, name := range entries.names {
		at := Pointer("/$defs", name)
		if !regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`).MatchString(name) {
			p.refuse(at, "the name is not in lowerCamel")
		}
		defs = append(defs, Definition{name, p.node(at, entries.values[name])})
	}
	return defs
}

func (p *parser) digest(at string, value any) *Digest {
	rule, ok := value.(*members)
	if !ok {
		p.refuse(at, "is not an object")
		return nil
	}
	p.only(at, rule, "algorithmVersion", "member", "excludes")
	if rule.values["algorithmVersion"] != DigestAlgorithm {
		p.refuse(at+"/algorithmVersion", "is not %s", DigestAlgorithm)
	}
	digest := &Digest{}
	if rule.has("excludes") {
		digest.Excludes = p.texts(at+"/excludes", rule.values["excludes"], 0)
	} else {
		p.refuse(at+"/excludes", "is missing")
	}
	if member, ok := rule.values["member"]; ok {
		digest.Member = p.text(at+"/member", member)
		if !digest.Excluded(digest.Member) {
			p.refuse(at+"/member", "is not one of excludes")
		}
	}
	return digest
}

// node reads a schema node.
func (p *parser) node(at string, value any) Node {
	m, ok := value.(*members)
	if !ok {
		p.refuse(at, "is not an object")
		return nil
	}
	for _, kind := range []struct {
		keyword string
		read    func(*parser, string, *members) Node
	}{
		{"$ref", (*parser).ref}, {"const", (*parser).constant}, {"enum", (*parser).enum}, {"oneOf", (*parser).union},
	} {
		if m.has(kind.keyword) {
			return kind.read(p, at, m)
		}
	}
	switch m.values["type"] {
	case "string":
		return p.stringNode(at, m)
	case "integer":
		return p.integerNode(at, m)
	case "boolean":
		p.only(at, m, "type")
		return &Boolean{p.place(at, m)}
	case "array":
		return p.array(at, m)
	case "object":
		return p.object(at, m)
	case nil:
		p.refuse(at, "is no node: it has none of $ref, const, enum, oneOf and type")
	default:
		p.refuse(at+"/type", "is none of string, integer, boolean, array and object")
	}
	return nil
}

// only refuses members that are not listed; description is always allowed.
func (p *parser) only(at string, m *members, known ...string) {
	for _, name := range m.names {
		if name != "description" && !slices.Contains(known, name) {
			p.refuse(Pointer(at, name), "is not allowed here")
		}
	}
}

func (p *parser) ref(at string, m *members) Node {
	p.only(at, m, "$ref")
	to := p.text(at+"/$ref", m.values["$ref"])
	form := regexp.MustCompile(`^(#/\$defs/[a-z][A-Za-z0-9]*|urn:oceanway:contracts:[A-Z][A-Za-z0-9]*@[1-9][0-9]*(#/\$defs/[a-z][A-Za-z0-9]*)?)$`)
	if !form.MatchString(to) {
		p.refuse(at+"/$ref", "is neither a definition nor a schema")
	}
	return &Ref{place: p.place(at, m), To: to}
}

func (p *parser) constant(at string, m *members) Node {
	p.only(at, m, "const")
	return &Const{p.place(at, m), p.scalar(at+"/const", m.values["const"])}
}

func (p *parser) enum(at string, m *members) Node {
	p.only(at, m, "enum")
	return &Enum{p.place(at, m), p.texts(at+"/enum", m.values["enum"], 1)}
}

// scalar reads a string, an integer or a boolean.
func (p *parser) scalar(at string, value any) Scalar {
	switch v := value.(type) {
	case string:
		return p.text(at, v)
	case bool:
		return v
	case json.Number:
		return p.integer(at, v)
	}
	p.refuse(at, "is not a string, an integer or a boolean")
	return ""
}

// text reads a string that is not empty; a constant may not be empty either.
func (p *parser) text(at string, value any) string {
	text, ok := value.(string)
	if !ok || text == "" {
		p.refuse(at, "is not a text")
	}
	return text
}

// texts reads a list of different strings.
func (p *parser) texts(at string, value any, atLeast int) []string {
	items, ok := value.([]any)
	if !ok || len(items) < atLeast {
		p.refuse(at, "is not a list of at least %d texts", atLeast)
		return nil
	}
	texts := make([]string, 0, len(items))
	for i, item := range items {
		text := p.text(Pointer(at, strconv.Itoa(i)), item)
		if slices.Contains(texts, text) {
			p.refuse(Pointer(at, strconv.Itoa(i)), "comes twice")
		}
		texts = append(texts, text)
	}
	return texts
}

// integer reads an integer that every reader keeps exactly.
func (p *parser) integer(at string, value any) int64 {
	number, ok := value.(json.Number)
	parsed, err := strconv.ParseInt(number.String(), 10, 64)
	if !ok || err != nil || parsed < -MaxInteger || parsed > MaxInteger || number.String() != strconv.FormatInt(parsed, 10) {
		p.refuse(at, "is not an integer within 2^53-1")
		return 0
	}
	return parsed
}

// length reads a bound of a length, or gives the default.
func (p *parser) length(at string, m *members, keyword string, without int) int {
	value, ok := m.values[keyword]
	if !ok {
		return without
	}
	n := p.integer(at+"/"+keyword, value)
	if n < 0 {
		p.refuse(at+"/"+keyword, "is negative")
	}
	return int(n)
}
