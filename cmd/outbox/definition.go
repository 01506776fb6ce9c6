package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/oceanway/outbox/contracts"
)

// sourceHelp tells how the commands that read a definition find it.
const sourceHelp = `DEFINITION is a file, - for standard input, or the version of a definition that
this binary carries, such as ` + contracts.FirstReleaseName + `.`

// exampleDefinition is what the help texts use as an example.
const exampleDefinition = contracts.FirstReleaseName

// maxDocument keeps a wrong file from filling the memory of this process. It is no rule about documents:
// contracts.validate has one, refuses far smaller ones, and names the limit.
const maxDocument = 64 << 20

// readDefinition reads a definition from a file, standard input or the binary.
func (a *app) readDefinition(source string) ([]byte, error) {
	if carried, ok := carriedDefinition(source); ok {
		return carried, nil
	}
	definition, err := a.readDocument("definition", source)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("no file and no carried definition is called %q", source)
	}
	return definition, err
}

// readDocument reads a file, or standard input; what says for people what it should be.
func (a *app) readDocument(what, source string) ([]byte, error) {
	input := a.stdin
	if source != "-" {
		file, err := os.Open(source)
		if err != nil {
			return nil, usagef("read the %s: %w", what, err)
		}
		defer file.Close()
		input = file
	}
	document, err := io.ReadAll(io.LimitReader(input, maxDocument+1))
	if err != nil {
		return nil, usagef("read the %s: %w", what, err)
	}
	if len(document) > maxDocument {
		return nil, usagef("%q has more than %d MiB: it is no %s", source, maxDocument>>20, what)
	}
	return document, nil
}

// carriedDefinition finds a definition of the binary by its version.
func carriedDefinition(version string) ([]byte, bool) {
	if strings.ContainsAny(version, "/.") {
		return nil, false
	}
	definition, err := contracts.DeliverySets.ReadFile("delivery-sets/" + version + ".json")
	return definition, err == nil
}

// identity is the quadruple of a definition with the digest in bytes, as the database takes it.
type identity struct {
	contracts.DefinitionIdentity
	digest []byte
}

// readIdentity reads the quadruple that a definition says of itself.
func readIdentity(definition []byte) (identity, error) {
	named, err := contracts.ParseDefinitionIdentity(definition)
	if err != nil {
		return identity{}, usage(err)
	}
	stated, err := newIdentity(named)
	return stated, usage(err)
}

func newIdentity(named contracts.DefinitionIdentity) (identity, error) {
	digest, err := hex.DecodeString(named.DeliverySetDefinitionDigest)
	if err != nil {
		return identity{}, errors.New("delivery set definition: /deliverySetDefinitionDigest: must be hexadecimal")
	}
	return identity{DefinitionIdentity: named, digest: digest}, nil
}

// describe writes a quadruple for a person.
func describe(named contracts.DefinitionIdentity) string {
	return fmt.Sprintf("%s %s=%s", named.DeliverySetVersion,
		named.DeliverySetDefinitionDigestAlgorithmVersion, named.DeliverySetDefinitionDigest)
}
