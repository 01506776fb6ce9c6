package goldens

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// operation is one step of a patch (RFC 6902): add, remove or replace.
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value"`
}

// apply patches a document. Numbers stay as they are written.
func apply(document []byte, patch []operation) ([]byte, error) {
	root, err := parse(document)
	if err != nil {
		return nil, err
	}
	for _, o := range patch {
		var value any
		if o.Op != "remove" {
			if value, err = parse(o.Value); err != nil {
				return nil, fmt.Errorf("%s %s: %w", o.Op, o.Path, err)
			}
		}
		if root, err = o.change(root, strings.Split(o.Path, "/")[1:], value); err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Op, o.Path, err)
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(root); err != nil {
		return nil, fmt.Errorf("write the document: %w", err)
	}
	return text.Bytes(), nil
}

func parse(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	return value, nil
}

// change gives the node as it is after the operation at these tokens below it.
func (o operation) change(node any, tokens []string, value any) (any, error) {
	if len(tokens) == 0 {
		return value, nil // the whole document
	}
	token := strings.NewReplacer("~1", "/", "~0", "~").Replace(tokens[0])
	switch node := node.(type) {
	case map[string]any:
		return node, o.changeMember(node, token, tokens[1:], value)
	case []any:
		return o.changeItem(node, token, tokens[1:], value)
	}
	return nil, fmt.Errorf("%q leads nowhere", token)
}

func (o operation) changeMember(node map[string]any, name string, rest []string, value any) (err error) {
	child, ok := node[name]
	switch {
	case !ok && (len(rest) > 0 || o.Op != "add"):
		return fmt.Errorf("there is no member %q", name)
	case len(rest) == 0 && o.Op == "remove":
		delete(node, name)
		return nil
	}
	node[name], err = o.change(child, rest, value)
	return err
}

func (o operation) changeItem(node []any, token string, rest []string, value any) ([]any, error) {
	index, err := strconv.Atoi(token)
	if token == "-" {
		index, err = len(node), nil
	}
	adds := len(rest) == 0 && o.Op == "add"
	if err != nil || index < 0 || index > len(node) || (index == len(node) && !adds) {
		return nil, fmt.Errorf("there is no item %q", token)
	}
	switch {
	case adds:
		return slices.Insert(node, index, value), nil
	case len(rest) == 0 && o.Op == "remove":
		return slices.Delete(node, index, index+1), nil
	}
	node[index], err = o.change(node[index], rest, value)
	return node, err
}
