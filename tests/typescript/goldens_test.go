package typescript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oceanway/outbox/internal/schema"
	"github.com/oceanway/outbox/tests/goldens"
)

// TestTypesAgreeWithTheGoldens compiles every golden as a constant of its type: each valid one compiles,
// and each invalid one that breaks what a type can say does not.
func TestTypesAgreeWithTheGoldens(t *testing.T) {
	t.Parallel()
	need(t, "tsc")
	source, err := filepath.Abs(project)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "goldens.mts"), constants(t, source+"/src/index.js"))
	write(t, filepath.Join(dir, "tsconfig.json"), fmt.Sprintf(`{"extends": %q, "include": ["goldens.mts"]}`, source+"/tsconfig.json"))
	run(t, nil, "tsc", "--noEmit", "-p", dir)
}

// constants writes the module of goldens.
func constants(t *testing.T, from string) string {
	t.Helper()
	schemas, err := schema.Load(os.DirFS("../../contracts/schemas"))
	if err != nil {
		t.Fatal(err)
	}
	text, right, wrong := fmt.Sprintf("import type * as contracts from %q;\n", from), 0, 0
	add := func(name string, document []byte) (fits bool) {
		s, _ := schemas.Schema(name)
		var value any
		if err := json.Unmarshal(document, &value); err != nil {
			t.Fatal(err)
		}
		if fits = accepts(s.Root, value); fits {
			right++
		} else {
			wrong++
			text += "// @ts-expect-error\n"
		}
		text += fmt.Sprintf("export const c%d: contracts.%s = %s;\n", right+wrong, schemas.TypeName(name, ""), oneLine(t, document))
		return fits
	}
	for _, c := range goldens.ReadValid(t, folder) {
		if tooDeep := bytes.Contains(c.Document, []byte(strings.Repeat("[", 30))); tooDeep { // for tsc
			continue
		}
		if !add(c.Schema, c.Document) {
			t.Errorf("%s/%s does not have its shape", c.Schema, c.Name)
		}
	}
	for _, c := range goldens.ReadInvalid(t, folder) {
		twice := slices.ContainsFunc(c.Violations, func(v goldens.Violation) bool { return v.Rule == "no_duplicate_key" })
		readable := json.Unmarshal(c.Document, new(any)) == nil
		if readable && !twice {
			add(c.Schema, c.Document)
		}
	}
	if right == 0 || wrong == 0 {
		t.Errorf("%d constants are right and %d wrong", right, wrong)
	}
	return text
}

func oneLine(t *testing.T, document []byte) string {
	t.Helper()
	var compact, line bytes.Buffer
	if err := json.Compact(&compact, document); err != nil {
		t.Fatal(err)
	}
	json.HTMLEscape(&line, compact.Bytes()) // tsc takes U+2028 for a line break
	return line.String()
}

// accepts tells that a value has the shape of a node, which is as much as a type can say: nothing of
// fractions, forms, bounds, orders and conditions.
func accepts(node schema.Node, value any) bool {
	switch n := schema.Resolve(node).(type) {
	case *schema.Const:
		integer, isInteger := n.Value.(int64)
		return value == n.Value || isInteger && value == float64(integer)
	case *schema.Enum:
		text, ok := value.(string)
		return ok && slices.Contains(n.Values, text)
	case *schema.String:
		_, ok := value.(string)
		return ok
	case *schema.Integer:
		_, ok := value.(float64)
		return ok
	case *schema.Boolean:
		_, ok := value.(bool)
		return ok
	case *schema.Open:
		_, ok := value.(map[string]any)
		return ok
	case *schema.Array:
		items, ok := value.([]any)
		return ok && !slices.ContainsFunc(items, func(item any) bool { return !accepts(n.Items, item) })
	case *schema.Object:
		members, ok := value.(map[string]any)
		return ok && fits(n, members)
	case *schema.Union:
		return slices.ContainsFunc(n.Branches, func(b schema.Branch) bool { return accepts(b.Node, value) })
	}
	return false
}

func fits(object *schema.Object, members map[string]any) bool {
	for _, name := range object.Required {
		if _, ok := members[name]; !ok {
			return false
		}
	}
	for name, value := range members {
		if node, ok := object.Property(name); !ok || !accepts(node, value) {
			return false
		}
	}
	return true
}
