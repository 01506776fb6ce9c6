package main

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func busy() snapshot {
	return snapshot{
		transactions: 139999, allTransactions: 140000, events: 179000, allEvents: 180000, published: 90000,
		statuses: map[string]map[string]int{"core_operations": {"pending": 12, "leased": 8, "acknowledged": 60000}},
	}
}

func TestPanelFitsATerminal(t *testing.T) {
	panel := drawPanel(busy())
	for line := range strings.Lines(panel) {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("too wide: %q", line)
		}
	}
	for _, word := range []string{"139999 of 140000", "90000 of 180000", "core_operations", "60000"} {
		if !strings.Contains(panel, word) {
			t.Errorf("%q is not shown:\n%s", word, panel)
		}
	}
}

func TestPanelIsRedrawnInPlace(t *testing.T) {
	var out bytes.Buffer
	v := &view{out: &out, style: styleTerminal}
	v.update(busy())
	lines := strings.Count(out.String(), "\n")
	out.Reset()
	v.note("something happened")
	if !strings.HasPrefix(out.String(), "\x1b["+strconv.Itoa(lines)+"A\x1b[J") || !strings.Contains(out.String(), "something happened\n") {
		t.Errorf("got %q", out.String())
	}
}

func TestPlainViewPrintsLines(t *testing.T) {
	var out bytes.Buffer
	v := &view{out: &out}
	v.update(busy())
	v.update(busy()) // too soon for another line
	v.note("something %s", "happened")
	if strings.Contains(out.String(), "\x1b") || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("got %q", out.String())
	}
}

func TestJSONViewPrintsTheResultAlone(t *testing.T) {
	var out bytes.Buffer
	v := &view{out: &out, style: styleJSON}
	v.note("noise")
	v.update(busy())
	if err := v.result(newResult()); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out.Bytes()) {
		t.Errorf("got %s", &out)
	}
}

func TestTableTellsWhatFailed(t *testing.T) {
	r := newResult()
	r.Attempts["retryable"], r.codes["retryable"] = 3, map[string]int{"revision_gap": 1, "consumer_unavailable": 2}
	r.check("the sky is blue", "")
	r.check("pigs fly", "2 do not")
	text := table(r)
	for _, want := range []string{
		"  retryable                                3  consumer_unavailable 2, revision_gap 1\n",
		"violations                                 0\n", "ok      the sky is blue\n", "FAILED  pigs fly: 2 do not\n",
		"Not everything is as it should be",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if r.OK {
		t.Error("a failed check left the result ok")
	}
}
