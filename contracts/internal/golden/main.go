// Command golden completes the delivery set definitions of a folder: it writes the digest into each
// definition and the canonical bytes and the digest next to it. See package contracts.
package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/oceanway/outbox/contracts"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: golden FOLDER")
		os.Exit(2)
	}
	if err := completeAll(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "golden:", err)
		os.Exit(1)
	}
}

func completeAll(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return fmt.Errorf("list the definitions: %w", err)
	}
	for _, file := range files {
		if err := complete(file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// digestMember is the one line of a definition that is generated.
var digestMember = regexp.MustCompile(`("deliverySetDefinitionDigest": )"[0-9a-f]{64}"`)

func complete(file string) error {
	definition, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the definition: %w", err)
	}
	canonical, digest, err := contracts.DefinitionDigest(definition)
	if err != nil {
		return err
	}
	sum := hex.EncodeToString(digest[:])
	stem := strings.TrimSuffix(file, ".json")
	for path, content := range map[string][]byte{
		file:                digestMember.ReplaceAll(definition, []byte(`${1}"`+sum+`"`)),
		stem + ".canonical": canonical,
		stem + ".sha256":    fmt.Appendf(nil, "%s  %s\n", sum, filepath.Base(stem)+".canonical"),
	} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return fmt.Errorf("write a golden: %w", err)
		}
	}
	return nil
}
