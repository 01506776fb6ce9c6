package goldens

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oceanway/outbox/contracts"
)

// readOne reads an invalid.json beside a document that is valid, and one that is not.
func readOne(t *testing.T, text string) ([]Invalid, string) {
	t.Helper()
	const schema = "SettlementDimensionCandidate@1"
	registry, err := contracts.Load()
	if err != nil {
		t.Fatal(err)
	}
	valid, err := filepath.Glob("../../contracts/goldens/" + schema + "/*.json")
	if err != nil || len(valid) == 0 {
		t.Fatal("no golden", err)
	}
	document, err := os.ReadFile(valid[0])
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), schema)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"good.json": string(document), "bad.json": strings.Replace(string(document), "{", `{"color": "red", "size": 1, `, 1), invalidFile: text,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := readInvalid(registry, filepath.Join(folder, invalidFile))
	if err != nil {
		return cases, strings.ReplaceAll(err.Error(), folder, "…")
	}
	return cases, ""
}

func TestEntriesAreReadStrictly(t *testing.T) {
	t.Parallel()
	const sound = `{"name": "a", "base": "good", "patch": [{"op": "add", "path": "/x", "value": 1}], "violations": [{"path": "/x", "rule": "member_is_known"}]}`
	for entry, want := range map[string]string{
		sound: "",
		`{"name": "b", "text": "{}", "violation": []}`:                                  `…/invalid.json: /1 b: json: unknown field "violation"`,
		`{"name": "b", "base": "good", "patch": [{"op": "add", "at": "/x"}]}`:           `…/invalid.json: /1 b: json: unknown field "at"`,
		`{"name": "b", "base": "good", "violations": [{"path": "", "detail": "x"}]}`:    `…/invalid.json: /1 b: json: unknown field "detail"`,
		`{"name": "b", "base": "good", "patch": [{"op": "remove", "path": "/nobody"}]}`: `…/invalid.json: b: remove /nobody: there is no member "nobody"`,
	} {
		cases, fault := readOne(t, "["+sound+","+entry+"]")
		if fault != want {
			t.Errorf("%s:\n got %s\nwant %s", entry, fault, want)
		}
		if wanted := map[bool]int{true: 2, false: 1}[want == ""]; len(cases) != wanted {
			t.Errorf("%s: %d cases, wanted %d", entry, len(cases), wanted)
		}
	}
}

func TestNothingMayFollow(t *testing.T) {
	t.Parallel()
	if _, fault := readOne(t, `[]]`); fault != "…/invalid.json: goes on after its end" {
		t.Errorf("got %s", fault)
	}
}

func TestABaseThatIsNotInOrderIsToldOnce(t *testing.T) {
	t.Parallel()
	cases, fault := readOne(t, `[{"name": "a", "base": "bad"}, {"name": "b", "base": "bad"}, {"name": "c", "base": "none"}, {"name": "d", "text": "["}]`)
	if len(cases) != 1 || cases[0].Name != "d" {
		t.Errorf("read %+v", cases)
	}
	first, second, _ := strings.Cut(fault, "\n…/none.json")
	const want = "…/bad.json: the base of entries in invalid.json is not in order, they are left out: \"/color\" member_is_known\n\"/size\" member_is_known"
	if first != want || !strings.HasSuffix(second, "no such file or directory") {
		t.Errorf("got\n%s\nwant\n%s", fault, want)
	}
}
