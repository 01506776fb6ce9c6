package schema

import "strings"

// TypeName is the name of a type in every generated language. The first version of an object has its plain
// name. A definition has that of its schema before its own, unless the schema holds nothing but definitions.
func (s *Set) TypeName(schemaName, definition string) string {
	base, version, _ := strings.Cut(schemaName, "@")
	if found, ok := s.Schema(schemaName); ok && found.Root == nil {
		base = ""
	}
	name := base
	if definition != "" { // in lowerCamel
		name += strings.ToUpper(definition[:1]) + definition[1:]
	}
	if version != "1" {
		name += "V" + version
	}
	return name
}
