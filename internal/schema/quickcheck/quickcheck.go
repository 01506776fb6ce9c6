package quickcheck

import (
	"fmt"
	"strings"

	"github.com/oceanway/outbox/internal/schema"
)

// never is a predicate that is not true: jsonpath cannot say what is asked.
const never = "1 == 0"

// Compile gives a jsonpath for jsonb_path_match(document, …, '{}', true): true only where the schema
// finds nothing.
func Compile(root schema.Node) string { return "strict " + all(predicates("$", root)) }

// holds is one predicate on the value at a path: it is there, and the node allows it.
func holds(path string, node schema.Node) string {
	if path == "@" {
		return all(predicates("@", node))
	}
	list := predicates("@", node)
	_, isUnion := schema.Resolve(node).(*schema.Union)
	if len(list) == 1 && !isUnion {
		return predicates(path, node)[0]
	}
	return filtered(path, all(list))
}

// filtered is true where the value at a path is there and a predicate on it is true, and never unknown
// where it is there.
func filtered(path, predicate string) string { return "exists(" + path + " ? (" + predicate + "))" }

// predicates lists what all has to be true of the value at a path.
func predicates(path string, node schema.Node) []string {
	switch n := schema.Resolve(node).(type) {
	case *schema.Const:
		return []string{path + " == " + literal(n.Value)}
	case *schema.Enum:
		return []string{oneOf(path, n.Values)}
	case *schema.String:
		return text(path, n)
	case *schema.Integer:
		return []string{
			fmt.Sprintf("%s >= %d", path, n.Minimum), fmt.Sprintf("%s <= %d", path, n.Maximum),
			path + " % 1 == 0",
		}
	case *schema.Boolean:
		return []string{path + `.type() == "boolean"`}
	case *schema.Open:
		return []string{path + `.type() == "object"`}
	case *schema.Array:
		return array(path, n)
	case *schema.Object:
		return object(path, n)
	case *schema.Union:
		var branches [][]string
		for _, branch := range n.Branches {
			chosen := oneOfScalars(member(path, n.Discriminator), branch.Values)
			branches = append(branches, append([]string{chosen}, object(path, branch.Object(), n.Discriminator)...))
		}
		return []string{either(branches...)}
	}
	return []string{never}
}

func oneOf(path string, values []string) string {
	scalars := make([]schema.Scalar, 0, len(values))
	for _, value := range values {
		scalars = append(scalars, value)
	}
	return oneOfScalars(path, scalars)
}

// oneOfScalars looks a long path up once.
func oneOfScalars(path string, values []schema.Scalar) string {
	const few = 2
	at := path
	if len(values) > few {
		at = "@"
	}
	equals := make([][]string, 0, len(values))
	for _, value := range values {
		equals = append(equals, []string{at + " == " + literal(value)})
	}
	if at == path {
		return either(equals...)
	}
	return filtered(path, either(equals...))
}

func array(path string, n *schema.Array) []string {
	size := path + ".size()"
	var list []string
	if n.MinItems > 0 {
		list = append(list, fmt.Sprintf("%s >= %d", size, n.MinItems))
	}
	most := n.MaxItems
	if len(n.SortedBy)+len(n.UniqueBy) > 0 {
		most = min(most, 1) // with one item there is nothing to compare
	}
	list = append(list, fmt.Sprintf("%s <= %d", size, most))
	// An item for which the inner predicate is unknown counts like one for which it is false.
	return append(list, "!exists("+path+"[*] ? (!"+filtered("@", all(predicates("@", n.Items)))+"))")
}

// all joins predicates that all have to be true.
func all(list []string) string { return strings.Join(list, " && ") }

// either joins lists of predicates: those of one list have to be true.
func either(lists ...[]string) string {
	if len(lists) == 1 && len(lists[0]) == 1 {
		return lists[0][0]
	}
	joined := make([]string, 0, len(lists))
	for _, list := range lists {
		predicate := all(list)
		if len(list) > 1 && len(lists) > 1 {
			predicate = "(" + predicate + ")"
		}
		joined = append(joined, predicate)
	}
	return "(" + strings.Join(joined, " || ") + ")"
}

// absent is true where nothing is at the path.
func absent(path string) string { return "(exists(" + path + ")) is unknown" }

// member is the path of a member.
func member(path, name string) string { return path + "." + quoted(name) }

func below(path string, tokens []string) string {
	for _, token := range tokens {
		path = member(path, token)
	}
	return path
}

func literal(value schema.Scalar) string {
	if text, ok := value.(string); ok {
		return quoted(text)
	}
	return fmt.Sprint(value)
}

// quoted writes a string of jsonpath. Escaped is what has to be, and control characters, which nobody sees.
func quoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteString(`\` + string(r))
		case r < ' ' || r >= 0x7f && r <= 0x9f:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
