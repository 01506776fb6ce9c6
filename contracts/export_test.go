package contracts

import (
	"fmt"
	"io/fs"
)

// LoadFrom lets the tests bring schemas of their own, and compiles all of them.
func LoadFrom(files fs.FS) (*Registry, error) {
	r, err := load(files)
	if err != nil {
		return nil, err
	}
	for name, d := range r.documents {
		if _, err := d.compiled(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return r, nil
}

// Released is what Load reads.
func Released() fs.FS { return released }
