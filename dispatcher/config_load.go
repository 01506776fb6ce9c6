package dispatcher

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// ConfigError is a configuration that was refused.
type ConfigError struct {
	File   string // empty when the configuration did not come from a file
	Line   int    // 0 when no line is to blame
	Path   string // such as destinations.core_operations.poll; may be empty
	Reason string

	cause error
}

// Unwrap gives the database's own report, where it is the database that refused.
func (e *ConfigError) Unwrap() error { return e.cause }

// origin is the file that a configuration came from.
type origin struct {
	file string
	body ast.Node
}

// blame words the refusal of the value at path, with its place in the file.
func (c Config) blame(path, reason string, cause error) *ConfigError {
	refused := &ConfigError{Path: path, Reason: reason, cause: cause}
	if c.origin != nil {
		refused.File, refused.Line = c.origin.file, lineOf(c.origin.body, path)
	}
	return refused
}

// Error gives file, line, path and reason in one line.
func (e *ConfigError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:", e.Line)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// LoadConfig reads a configuration file over the defaults, lets each override change the result
// (flags and environment variables), and validates it. What it refuses it refuses as a *ConfigError.
func LoadConfig(path string, overrides ...func(*Config)) (Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Config{}, &ConfigError{Reason: err.Error()}
	}
	return ParseConfig(path, text, overrides...)
}

// ParseConfig is LoadConfig for a text that was read already; name stands for the file in errors.
func ParseConfig(name string, text []byte, overrides ...func(*Config)) (Config, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return Config{}, yamlError(name, err)
	}
	if len(file.Docs) > 1 {
		refused := &ConfigError{File: name, Reason: "one YAML document is expected"}
		if start := file.Docs[1].Start; start != nil {
			refused.Line = start.Position.Line
		}
		return Config{}, refused
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return Config{}, &ConfigError{File: name, Reason: "the file is empty"}
	}
	config, err := decodeConfig(name, text)
	if err != nil {
		return Config{}, err
	}
	for _, override := range overrides {
		override(&config)
	}
	config.origin = &origin{file: name, body: file.Docs[0].Body}
	if err := config.Validate(); err != nil {
		return Config{}, err
	}
	return config, nil
}

// decodeConfig decodes twice: the first pass finds every fault with its line and the defaults of the
// file, the second lays each destination over those defaults.
func decodeConfig(name string, text []byte) (Config, error) {
	first := DefaultConfig()
	if err := yaml.UnmarshalWithOptions(text, &first, yaml.Strict()); err != nil {
		return Config{}, yamlError(name, err)
	}
	over := yaml.CustomUnmarshaler(func(d *Destination, node []byte) error {
		*d = Destination{Delivery: first.Defaults}
		return yaml.UnmarshalWithOptions(node, d, yaml.Strict())
	})
	config := DefaultConfig()
	if err := yaml.UnmarshalWithOptions(text, &config, yaml.Strict(), over); err != nil {
		return Config{}, yamlError(name, err)
	}
	for name, d := range config.Destinations {
		if d == (Destination{}) { // a name without a value never reaches the unmarshaler
			config.Destinations[name] = Destination{Delivery: first.Defaults}
		}
	}
	return config, nil
}

// yamlError keeps the line and the message of the YAML library and drops the excerpt of the file,
// which may hold a password.
func yamlError(name string, err error) error {
	var located yaml.Error
	if !errors.As(err, &located) {
		return &ConfigError{File: name, Reason: strings.Join(strings.Fields(err.Error()), " ")}
	}
	refused := &ConfigError{File: name, Reason: located.GetMessage()}
	if token := located.GetToken(); token != nil && token.Position != nil {
		refused.Line = token.Position.Line
	}
	return refused
}

// lineOf gives the line of the node at path, or of its nearest ancestor in the file.
func lineOf(node ast.Node, path string) int {
	line := 0
	for key := range strings.SplitSeq(path, ".") {
		entry := entryOf(node, key)
		if entry == nil {
			break
		}
		line = entry.Key.GetToken().Position.Line
		node = entry.Value
	}
	return line
}

func entryOf(node ast.Node, key string) *ast.MappingValueNode {
	switch n := node.(type) {
	case *ast.MappingValueNode:
		if n.Key.GetToken().Value == key {
			return n
		}
	case *ast.MappingNode:
		for _, entry := range n.Values {
			if entry.Key.GetToken().Value == key {
				return entry
			}
		}
	}
	return nil
}
