package goldens

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestPatchesDoWhatTheySay(t *testing.T) {
	const document = `{"a":{"b/c":[1,2.0,3]},"d":"<"}`
	for patch, want := range map[string]string{
		`[{"op":"replace","path":"/a/b~1c/1","value":1e2}]`:                               `{"a":{"b/c":[1,1e2,3]},"d":"<"}`,
		`[{"op":"add","path":"/a/b~1c/0","value":[]},{"op":"remove","path":"/a/b~1c/2"}]`: `{"a":{"b/c":[[],1,3]},"d":"<"}`,
		`[{"op":"add","path":"/a/b~1c/-","value":null},{"op":"remove","path":"/d"}]`:      `{"a":{"b/c":[1,2.0,3,null]}}`,
		`[{"op":"add","path":"/d","value":{"e":1}},{"op":"add","path":"/d/f","value":2}]`: `{"a":{"b/c":[1,2.0,3]},"d":{"e":1,"f":2}}`,
		`[{"op":"replace","path":"","value":[]}]`:                                         `[]`,
		`[{"op":"replace","path":"/e","value":1}]`:                                        "",
		`[{"op":"remove","path":"/a/b"}]`:                                                 "",
		`[{"op":"add","path":"/a/x/y","value":1}]`:                                        "",
		`[{"op":"replace","path":"/a/b~1c/3","value":1}]`:                                 "",
		`[{"op":"add","path":"/d/e","value":1}]`:                                          "",
	} {
		var operations []operation
		if err := json.Unmarshal([]byte(patch), &operations); err != nil {
			t.Fatal(err)
		}
		got, err := apply([]byte(document), operations)
		if (err != nil) != (want == "") || strings.TrimSuffix(string(got), "\n") != want {
			t.Errorf("%s: got %s, %v, want %s", patch, got, err, want)
		}
	}
}
