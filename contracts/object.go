package contracts

import (
	"encoding/json"
	"slices"
)

// ShapeError is an object that does not have its closed shape. Path is a JSON pointer.
type ShapeError struct {
	Path    string
	Problem string
}

func (e *ShapeError) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

// object is a JSON object whose members are still raw, in canonical form and free of duplicates.
type object map[string]json.RawMessage

// parseObject reads an object. Going through the canonical form refuses duplicates, which
// encoding/json would resolve silently.
func parseObject(doc []byte) (object, error) {
	canonical, err := Canonical(doc)
	if err != nil {
		return nil, err
	}
	if canonical[0] != '{' {
		return nil, &ShapeError{Problem: "must be an object"}
	}
	var members object
	if err := json.Unmarshal(canonical, &members); err != nil {
		return nil, ErrNoCanonicalForm
	}
	return members, nil
}

// closed refuses members that are neither required nor optional, and required ones that are absent.
func (o object) closed(path string, required, optional []string) error {
	for _, name := range required {
		if _, ok := o[name]; !ok {
			return &ShapeError{Path: path + "/" + name, Problem: "is missing"}
		}
	}
	for name := range o {
		if !slices.Contains(required, name) && !slices.Contains(optional, name) {
			return &ShapeError{Path: path, Problem: "has a member that is not known"}
		}
	}
	return nil
}

// texts reads string members; absent optional ones become "".
func (o object) texts(path string, into map[string]*string) error {
	for name, target := range into {
		raw, ok := o[name]
		if !ok {
			continue
		}
		if raw[0] != '"' {
			return &ShapeError{Path: path + "/" + name, Problem: "must be a string"}
		}
		if err := json.Unmarshal(raw, target); err != nil {
			return &ShapeError{Path: path + "/" + name, Problem: "must be a string"}
		}
	}
	return nil
}

// integer reads an integer member that is not negative; an absent one is 0.
func (o object) integer(path, name string) (int64, error) {
	raw, ok := o[name]
	if !ok {
		return 0, nil
	}
	var number int64
	if err := json.Unmarshal(raw, &number); err != nil || number < 0 || string(raw) == "null" {
		return 0, &ShapeError{Path: path + "/" + name, Problem: "must be an integer that is not negative"}
	}
	return number, nil
}

// nested is a raw member that must be an object.
func (o object) nested(path, name string) (json.RawMessage, error) {
	raw := o[name]
	if len(raw) == 0 || raw[0] != '{' {
		return nil, &ShapeError{Path: path + "/" + name, Problem: "must be an object"}
	}
	return raw, nil
}
