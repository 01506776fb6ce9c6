package schema

// Below finds what a member can be where a value can be one of some nodes.
func Below(nodes []Node, name string) []Node { return step(nodes, name) }

// Reach follows a JSON Pointer's tokens from a node.
func Reach(node Node, tokens []string) []Node {
	nodes := []Node{node}
	for _, token := range tokens {
		nodes = step(nodes, token)
	}
	return nodes
}

// IsText tells that a node allows strings only.
func IsText(node Node) bool { return isText(node) }

// Lengths gives the shortest and the longest text that an expression describes, in code points.
func Lengths(expr Expr) (shortest, longest int) {
	switch e := expr.(type) {
	case *Sequence:
		for _, part := range e.Parts {
			low, high := Lengths(part)
			shortest, longest = shortest+low, plus(longest, high)
		}
		return shortest, longest
	case *Choice:
		shortest, longest = Lengths(e.Branches[0])
		for _, branch := range e.Branches[1:] {
			low, high := Lengths(branch)
			shortest = min(shortest, low)
			if longest == Unbounded || high == Unbounded {
				longest = Unbounded
			} else {
				longest = max(longest, high)
			}
		}
		return shortest, longest
	case *Repeat:
		low, high := Lengths(e.Of)
		if e.Max == Unbounded || high == Unbounded {
			return low * e.Min, Unbounded
		}
		return low * e.Min, high * e.Max
	}
	return 1, 1
}

func plus(a, b int) int {
	if a == Unbounded || b == Unbounded {
		return Unbounded
	}
	return a + b
}
