package contracts

import (
	"encoding/json"
	"fmt"
)

// ViolationError is a document that breaks its schema, where only a valid one will do.
type ViolationError struct {
	Schema     string
	Violations []Violation
}

// Error names the first violation.
func (e *ViolationError) Error() string {
	first := e.Violations[0]
	place := first.Path
	if place == "" {
		place = "the document"
	}
	return fmt.Sprintf("%s: %s: %s %s", e.Schema, first.Rule, place, first.Detail)
}

// violated makes an error of what a document breaks.
func violated(schema string, violations []Violation) error {
	if violations == nil {
		return nil
	}
	return &ViolationError{Schema: schema, Violations: violations}
}

// decode reads a document that its schema accepts, of any size: that is for whoever carries it to bound.
// Going through the canonical form gives every number the form that Go reads.
func (r *Registry) decode(schema string, doc []byte, into any) error {
	d, err := r.find(schema)
	if err != nil {
		return err
	}
	violations, err := d.judge(schema, doc, false)
	if err != nil {
		return err
	}
	if err := violated(schema, violations); err != nil {
		return err
	}
	canonical, err := Canonical(doc)
	if err != nil {
		return fmt.Errorf("%s: %w", schema, err)
	}
	if err := json.Unmarshal(canonical, into); err != nil {
		return fmt.Errorf("%s: %w", schema, err)
	}
	return nil
}
