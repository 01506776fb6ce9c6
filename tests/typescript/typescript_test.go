// Package typescript_test compiles the TypeScript package of the wire objects and runs it on the goldens.
package typescript_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const (
	project = "../../contracts/typescript"
	folder  = "../../contracts/goldens"
)

// need skips a test where a tool is missing, but never in CI.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		const advice = "%s is missing: install it (on Debian 12: apt-get install node-typescript nodejs)"
		if os.Getenv("CI") == "true" {
			t.Fatalf(advice, tool)
		}
		t.Skipf(advice, tool)
	}
}

func run(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Env = append(os.Environ(), env...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, output)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTypesAcceptWhatIsRightAndRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	need(t, "tsc")
	run(t, nil, "tsc", "--noEmit", "-p", project)
}

func TestCanonicalFormAndDerivedIdentifiersAreThoseOfTheGoldens(t *testing.T) {
	t.Parallel()
	need(t, "tsc", "node")
	built := t.TempDir()
	run(t, nil, "tsc", "-p", filepath.Join(project, "tsconfig.build.json"), "--outDir", built)
	write(t, filepath.Join(built, "package.json"), `{"type": "module"}`)
	run(t, []string{"BUILT=" + built}, "node", filepath.Join(project, "test/agreement.mjs"))
}
