package contracts

import "io/fs"

// LoadFrom lets the tests bring schemas of their own.
func LoadFrom(files fs.FS) (*Registry, error) { return load(files) }
