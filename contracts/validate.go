package contracts

import (
	"encoding/hex"
	"fmt"
)

// Validate lists everything in a document that breaks its schema, by path and rule; nothing means that
// it is valid. Reading, schema, canonical form and digest are judged one after the other, each only where
// the one before found nothing. The error is about the schema, never about the document.
func (r *Registry) Validate(schema string, doc []byte) ([]Violation, error) {
	d, err := r.find(schema)
	if err != nil {
		return nil, err
	}
	if len(doc) > maxRawSize {
		return whole(ruleRawSize, fmt.Sprintf("is longer than %d MiB", maxRawSize>>20)), nil
	}
	return d.judge(schema, doc, true)
}

// judge is Validate without a limit of the size. Normalization is judged once, by whoever takes a text in:
// of characters that only one side's Unicode knows, who reads it later may think differently.
func (d document) judge(schema string, doc []byte, normalization bool) ([]Violation, error) {
	compiled, err := d.compiled()
	if err != nil {
		return nil, fmt.Errorf("%s: compile: %w", schema, err)
	}
	value, violations := read(doc)
	if violations != nil && (normalization || violations[0].Rule != ruleTextIsNFC) {
		return violations, nil
	}
	violations, err = schemaViolations(compiled, value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", schema, err)
	}
	if violations != nil {
		return violations, nil
	}
	if v := canonicalFault(value, nil); v != nil {
		if len(doc) > locatable && tooDeep(value, maxNesting) {
			v = &Violation{"", ruleNesting, deeperThan(maxNesting)}
		}
		return []Violation{located(doc, *v)}, nil
	}
	return digestFault(d.digest, doc, value), nil
}

// digestFault compares the digest that a document holds with the one it has.
func digestFault(rule *digestRule, doc []byte, value any) []Violation {
	if rule == nil || rule.Member == "" {
		return nil
	}
	object, _ := value.(map[string]any)
	held, ok := object[rule.Member].(string)
	if !ok {
		return nil
	}
	candidate, err := canonicalWithout(doc, rule.Excludes...)
	sum := Sum(candidate)
	if err == nil && held == hex.EncodeToString(sum[:]) {
		return nil
	}
	return []Violation{{pointer(rule.Member), ruleDigestMatches, "is not the digest of the rest"}}
}
