package schema

import "regexp"

func (p *parser) stringNode(at string, m *members) Node {
	p.only(at, m, "type", "minLength", "maxLength", "pattern", "x-decimal")
	node := &String{place: p.place(at, m)}
	node.MinLength = p.length(at, m, "minLength", 0)
	node.MaxLength = p.length(at, m, "maxLength", Unbounded)
	if node.MaxLength != Unbounded && node.MaxLength < node.MinLength {
		p.refuse(at+"/maxLength", "is less than minLength")
	}
	if value, ok := m.values["pattern"]; ok {
		pattern, err := ParsePattern(p.text(at+"/pattern", value))
		if err != nil {
			p.refuse(at+"/pattern", "%v", err)
		}
		node.Pattern = pattern
	}
	if value, ok := m.values["x-decimal"]; ok {
		node.Decimal = p.decimal(at+"/x-decimal", value)
	}
	return node
}

func (p *parser) decimal(at string, value any) *Decimal {
	m, ok := value.(*members)
	if !ok {
		p.refuse(at, "is not an object")
		return nil
	}
	p.only(at, m, "precision", "scale", "signed")
	precision, scale := p.integer(at+"/precision", m.values["precision"]), p.integer(at+"/scale", m.values["scale"])
	if scale < 0 || precision <= scale || precision > 1000 {
		p.refuse(at, "is not a scale from 0 and a precision above it, up to 1000")
	}
	signed, ok := m.values["signed"].(bool)
	if !ok {
		p.refuse(at+"/signed", "is not true or false")
	}
	return &Decimal{int(precision), int(scale), signed}
}

func (p *parser) integerNode(at string, m *members) Node {
	p.only(at, m, "type", "minimum", "maximum")
	node := &Integer{place: p.place(at, m)}
	before := len(p.faults)
	node.Minimum, node.Maximum = p.bound(at, m, "minimum"), p.bound(at, m, "maximum")
	if len(p.faults) == before && node.Maximum < node.Minimum {
		p.refuse(at+"/maximum", "is less than minimum")
	}
	return node
}

// bound reads a bound that has to be there.
func (p *parser) bound(at string, m *members, keyword string) int64 {
	if !m.has(keyword) {
		p.refuse(at+"/"+keyword, "is missing: every integer is bounded")
		return 0
	}
	return p.integer(at+"/"+keyword, m.values[keyword])
}

func (p *parser) array(at string, m *members) Node {
	p.only(at, m, "type", "items", "minItems", "maxItems", "x-sorted-by", "x-unique-by")
	node := &Array{place: p.place(at, m), Items: p.node(at+"/items", m.values["items"])}
	node.MinItems = p.length(at, m, "minItems", 0)
	node.MaxItems = p.length(at, m, "maxItems", Unbounded)
	if node.MaxItems == Unbounded {
		p.refuse(at+"/maxItems", "is missing: every array is bounded")
	} else if node.MaxItems < node.MinItems {
		p.refuse(at+"/maxItems", "is less than minItems")
	}
	if value, ok := m.values["x-sorted-by"]; ok {
		node.SortedBy = p.texts(at+"/x-sorted-by", value, 1)
	}
	if value, ok := m.values["x-unique-by"]; ok {
		node.UniqueBy = p.texts(at+"/x-unique-by", value, 1)
	}
	return node
}

func (p *parser) object(at string, m *members) Node {
	if !m.has("properties") && !m.has("required") && !m.has("additionalProperties") {
		p.only(at, m, "type")
		return &Open{p.place(at, m)}
	}
	p.only(at, m, "type", "properties", "required", "additionalProperties", "x-quartets", "x-counts", "x-equal", "allOf")
	if m.values["additionalProperties"] != false {
		p.refuse(at+"/additionalProperties", "is not false")
	}
	node := &Object{place: p.place(at, m)}
	if properties, ok := m.values["properties"].(*members); ok {
		for _, name := range properties.names {
			where := Pointer(at+"/properties", name)
			if !regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`).MatchString(name) {
				p.refuse(where, "the name is not a letter and then letters and digits")
			}
			node.Properties = append(node.Properties, Property{name, p.node(where, properties.values[name])})
		}
	} else {
		p.refuse(at+"/properties", "is not an object")
	}
	if m.has("required") {
		node.Required = p.texts(at+"/required", m.values["required"], 0)
	} else {
		p.refuse(at+"/required", "is missing")
	}
	if value, ok := m.values["x-quartets"]; ok {
		node.Quartets = p.texts(at+"/x-quartets", value, 1)
	}
	if value, ok := m.values["x-counts"]; ok {
		node.Counts = p.counts(at+"/x-counts", value)
	}
	if value, ok := m.values["x-equal"]; ok {
		node.Equal = p.equal(at+"/x-equal", value)
	}
	if value, ok := m.values["allOf"]; ok {
		node.Conditionals = p.conditionals(at+"/allOf", value)
	}
	return node
}

func (p *parser) counts(at string, value any) (counts []Count) {
	for _, pair := range p.pairs(at, value) {
		counts = append(counts, Count{pair[0], pair[1]})
	}
	return counts
}

func (p *parser) equal(at string, value any) (equal []Equal) {
	for _, pair := range p.pairs(at, value) {
		first, ok1 := pointerTokens(pair[0])
		second, ok2 := pointerTokens(pair[1])
		if !ok1 || !ok2 || len(first) == 0 || len(second) == 0 || pair[0] == pair[1] {
			p.refuse(Pointer(at, pair[0]), "is not two different pointers below the object")
		}
		equal = append(equal, Equal{first, second})
	}
	return equal
}

// pairs reads an object whose values are texts.
func (p *parser) pairs(at string, value any) (pairs [][2]string) {
	m, ok := value.(*members)
	if !ok || len(m.names) == 0 {
		p.refuse(at, "is not an object with members")
		return nil
	}
	for _, name := range m.names {
		pairs = append(pairs, [2]string{name, p.text(Pointer(at, name), m.values[name])})
	}
	return pairs
}

func (p *parser) union(at string, m *members) Node {
	p.only(at, m, "oneOf", "x-discriminator")
	node := &Union{place: p.place(at, m), Discriminator: p.text(at+"/x-discriminator", m.values["x-discriminator"])}
	branches, ok := m.values["oneOf"].([]any)
	if !ok || len(branches) == 0 {
		p.refuse(at+"/oneOf", "is not a list of branches")
	}
	for i, branch := range branches {
		node.Branches = append(node.Branches, Branch{Node: p.node(item(at+"/oneOf", i), branch)})
	}
	return node
}
