package main

import (
	"fmt"
	"go/format"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oceanway/outbox/internal/schema"
)

// writtenByHand lists the schemas whose Go types package contracts has already, and under which name: the
// dispatcher reads them, and keeps what lies inside raw.
func writtenByHand(name string) bool {
	switch name {
	case "EventEnvelope@1", // contracts.Envelope, whose payload is any object
		"ActiveConsumerAck@1", // contracts.ActiveConsumerAck, whose union is one shape under four prefixes
		"ConsumerVerdict@1":   // contracts.Verdict, whose acknowledgement and receipt are judged elsewhere
		return true
	}
	return false
}

// goTypes writes contracts/wire: a file for every schema, a struct for every object.
func (g *generator) goTypes() error {
	w := &goWriter{g: g, names: unique{"New": "the function New"}, files: map[string][]string{}, raw: map[string]bool{}}
	table := map[string]string{}
	for _, s := range g.schemas.Ordered() {
		if s.Root != nil && !writtenByHand(s.Name) {
			table[s.Name] = w.request(s.Name, "", s.Root)
		}
	}
	if w.err != nil {
		return w.err
	}
	texts := map[string]string{"new_gen.go": newText(table)}
	for name, structs := range w.files {
		imports := ""
		if w.raw[name] {
			imports = "\nimport \"encoding/json\"\n"
		}
		texts[goFile(name)] = imports + strings.Join(structs, "")
	}
	kept := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		formatted, err := format.Source([]byte(generatedMark + "\npackage wire\n" + texts[name]))
		if err != nil {
			return fmt.Errorf("%s as Go: %w", name, err)
		}
		file := g.path("contracts/wire/" + name)
		kept[file] = true
		if err := g.write(file, formatted); err != nil {
			return err
		}
	}
	return g.removeOthers(g.path("contracts/wire/*_gen.go"), kept)
}

// newText is the function that knows the struct of every schema.
func newText(structs map[string]string) string {
	var text strings.Builder
	text.WriteString(`
// New gives an empty object of a schema, as a pointer to decode a document into. It is nil where this
// package has no struct of the schema.
func New(schema string) any {
	switch schema {
`)
	for _, name := range slices.Sorted(maps.Keys(structs)) {
		fmt.Fprintf(&text, "\tcase %q:\n\t\treturn new(%s)\n", name, structs[name])
	}
	text.WriteString("\t}\n\treturn nil\n}\n")
	return text.String()
}

// removeOthers removes files of schemas that are no more.
func (g *generator) removeOthers(pattern string, kept map[string]bool) error {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("list the generated files: %w", err)
	}
	for _, file := range files {
		if !kept[file] {
			g.remove(file)
		}
	}
	return nil
}

// goFile is the file of a schema.
func goFile(schemaName string) string {
	base, version, _ := strings.Cut(schemaName, "@")
	if version != "1" {
		base += "V" + version
	}
	return strings.ToLower(strings.Join(words(base), "_")) + "_gen.go"
}

// goName writes a member's name as Go writes names: eventId becomes EventID.
func goName(member string) string {
	parts := words(member)
	for i, part := range parts {
		parts[i] = upperFirst(part)
		if parts[i] == "Id" {
			parts[i] = "ID"
		}
	}
	return strings.Join(parts, "")
}

// goDoc writes a comment.
func goDoc(indent string, sentences ...string) string {
	var text strings.Builder
	for _, line := range wrap(strings.Join(sentences, " "), textWidth) {
		text.WriteString(indent + "// " + line + "\n")
	}
	return text.String()
}

// sentence gives a description its full stop.
func sentence(description string) string {
	if description == "" || strings.ContainsAny(description[len(description)-1:], ".!?") {
		return description
	}
	return description + "."
}

// goWriter writes the structs that are asked for, each once, into the file of its schema.
type goWriter struct {
	g     *generator
	names unique
	files map[string][]string // the structs of each schema
	raw   map[string]bool     // those that hold any JSON
	err   error
}

func (w *goWriter) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// request writes the struct of a schema or definition unless it is there, and gives its name.
func (w *goWriter) request(schemaName, definition string, node schema.Node) string {
	name, place := w.g.schemas.TypeName(schemaName, definition), schemaName
	if definition != "" {
		place += "#/$defs/" + definition
	}
	if w.names[name] == place {
		return name
	}
	if writtenByHand(schemaName) {
		w.fail("%s is written by hand, but another schema refers to it", place)
		return name
	}
	description := sentence(node.Description())
	if definition == "" {
		description = name + " is " + schemaName + ". " + description
	} else {
		description = strings.TrimSpace(name + " is " + definition + " of " + schemaName + ". " + description)
	}
	w.structure(goStruct{schemaName: schemaName, name: name, place: place, description: description}, node)
	return name
}
