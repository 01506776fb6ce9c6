package main

import (
	"encoding/json"
	"strings"
)

// finding is a broken invariant that outbox.verify found. What does not apply is absent.
type finding struct {
	Invariant   string  `json:"invariant"`
	Relation    *string `json:"relation,omitempty"`
	EventID     *string `json:"eventId,omitempty"`
	Destination *string `json:"destination,omitempty"`
	Detail      *string `json:"detail,omitempty"`
}

// line writes a finding for a person: invariant, where, and what is wrong.
func (f finding) line() string {
	words := []string{f.Invariant}
	for _, part := range []*string{f.Relation, f.EventID, f.Destination} {
		if part != nil {
			words = append(words, *part)
		}
	}
	line := strings.Join(words, " ")
	if f.Detail != nil {
		line += ": " + *f.Detail
	}
	return line
}

// json writes a finding for a program.
func (f finding) json() string {
	text, err := json.Marshal(f)
	if err != nil {
		return f.line() // strings always marshal
	}
	return string(text)
}
