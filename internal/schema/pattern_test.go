package schema_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/oceanway/outbox/internal/schema"
)

func TestPatternsThatEveryReaderUnderstands(t *testing.T) {
	for _, text := range []string{
		`^a$`, `^[a-z][a-z0-9_]{0,127}$`, `^(?:a|b(c|d))+$`, `^[^\]a]$`, `^[.]\.x{2}$`, `^x{3,}y?z*$`, `^a\$$`, `^[a-]$`, "^[^\u0001-\u001f\u007f]+$", `^[é😀-😂]$`,
	} {
		if _, err := schema.ParsePattern(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestPatternsThatReadersUnderstandDifferently(t *testing.T) {
	for text, problem := range map[string]string{
		`a$`:            "does not reach",
		`^a`:            "does not reach",
		`^a\$`:          "does not reach",
		`^$`:            "is empty",
		`^a|b$`:         "beside ^ or $",
		`^(a|)$`:        "is empty",
		`^()$`:          "is empty",
		`^a.b$`:         "bare .",
		`^(^a)$`:        "bare ^",
		`^(a$)$`:        "bare $",
		`^a{$`:          "open brace",
		`^{2}$`:         "bare {",
		`^a}$`:          "bare }",
		`^a]$`:          "bare ]",
		`^a)$`:          "closing parenthesis",
		`^(a$`:          "open parenthesis",
		`^[a$`:          "open bracket",
		`^[a-$`:         "open bracket",
		`^[]$`:          "empty class",
		`^[]a]$`:        "empty class",
		`^[[:alpha:]]$`: "bare [ in a class",
		`^[a&&b]$`:      "bare & in a class",
		`^[z-a]$`:       "ends before it starts",
		`^\d$`:          `escape \d`,
		`^[\w]$`:        `escape \w`,
		`^\s$`:          `escape \s`,
		`^\ba$`:         `escape \b`,
		`^\-$`:          `escape \-`,
		`^(a)\1$`:       `escape \1`,
		`^\u0041$`:      `escape \u`,
		`^(?=a)a$`:      "look around",
		`^(?!a)b$`:      "look around",
		`^(?i)a$`:       "look around",
		`^(?P<n>a)$`:    "look around",
		`^a*?$`:         "lazy or a repeated",
		`^a{2}{3}$`:     "lazy or a repeated",
		`^a++$`:         "lazy or a repeated",
		`^a{256}$`:      "more than 255",
		`^a{1,256}$`:    "more than 255",
		`^a{,3}$`:       "bounds {,3}",
		`^a{3,2}$`:      "bounds {3,2}",
		`^a{0}$`:        "bounds {0}",
		`^a{+1}$`:       "bounds {+1}",
		"^a\nb$":        "control character",
		"^[a\x00]$":     "U+0000",
		`^(a{99}){99}$`: "refused by RE2",
		`^a\`:           "does not reach",
		`^\\$`:          "",
	} {
		_, err := schema.ParsePattern(text)
		switch {
		case problem == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case problem != "" && (err == nil || !strings.Contains(err.Error(), problem)):
			t.Errorf("%s: %v, wanted %q", text, err, problem)
		}
	}
}

func TestPatternTree(t *testing.T) {
	pattern, err := schema.ParsePattern(`^[^a-c\]]{2,}(x|yz)?$`)
	if err != nil {
		t.Fatal(err)
	}
	sequence := pattern.Expr.(*schema.Sequence)
	class := sequence.Parts[0].(*schema.Repeat)
	negated := class.Of.(*schema.Class)
	choice := sequence.Parts[1].(*schema.Repeat).Of.(*schema.Choice)
	if class.Min != 2 || class.Max != schema.Unbounded || !negated.Negated || len(negated.Ranges) != 2 ||
		negated.Ranges[0] != (schema.Range{Low: 'a', High: 'c'}) || len(choice.Branches) != 2 {
		t.Errorf("%+v %+v %+v", class, negated, choice)
	}
	if !regexp.MustCompile(pattern.Text).MatchString("ddx") {
		t.Error("the text of the pattern is not its own")
	}
}
