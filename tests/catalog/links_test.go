package catalog_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryTestThatADocumentNamesExists follows the links that tie a promise to its proof.
func TestEveryTestThatADocumentNamesExists(t *testing.T) {
	t.Parallel()
	const root = "../.."
	documents, err := filepath.Glob(root + "/*.md")
	must(t, err)
	more, err := filepath.Glob(root + "/docs/*.md")
	must(t, err)
	decisions, err := filepath.Glob(root + "/docs/adr/*.md")
	must(t, err)
	link, links := regexp.MustCompile("\\[`?((?:Test|Fuzz)\\w+)`?\\]\\(([^)#]+)\\)"), 0
	for _, document := range append(append(documents, more...), decisions...) {
		text, err := os.ReadFile(document)
		must(t, err)
		for _, match := range link.FindAllStringSubmatch(string(text), -1) {
			links++
			name, path := match[1], filepath.Join(filepath.Dir(document), match[2])
			source, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(source), "\nfunc "+name+"(") {
				t.Errorf("%s links %s, which is not in %s", document, name, match[2])
			}
		}
	}
	if links < 20 {
		t.Errorf("only %d links: the pattern does not find them", links)
	}
}
