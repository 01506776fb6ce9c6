package contracts

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

func TestNFCAllowsAnyNumberOfCombiningCharacters(t *testing.T) {
	const dots, acutes = 40, 40
	low, high := strings.Repeat("\u0323", dots), strings.Repeat("\u0301", acutes)
	for text, want := range map[string]bool{
		"q" + low + high + "x": true, high: true, "\u1ecd" + low[2:]: true, "\u00e9" + high: true, "\uac00" + high + "\u11a8": true,
		"q" + high + low: false, "o" + low: false, "q" + low + "\u0344": false, "e" + low + high: false, "e" + strings.Repeat("\u0317", dots) + "\u0301": false,
		high + "\u212b": false, high + "\u1100\u1161": false, high + "\uac00\u11a8": false,
	} {
		if got := isNFC(text); got != want {
			t.Errorf("%+q: %t", text, got)
		}
	}
}

// The validator takes numbers apart in time that grows with the square of their length.
func TestLongNumbersAreReadShortly(t *testing.T) {
	for token, want := range map[string]json.Number{
		"1." + strings.Repeat("0", 300): "1", "10e" + strings.Repeat("0", 300): "10", "1e300": "1e+300", "1e30": "1e30",
	} {
		value, violations := read([]byte(token))
		if violations != nil || value != want {
			t.Errorf("%s: %v, %v", token, value, violations)
		}
	}
}

// In texts without long runs package norm knows the answer.
func TestNFCAtLengthAgreesWithPackageNorm(t *testing.T) {
	letters := []rune("aeoqxAÅéọặΩ가각日\u0323\u0317\u0301\u0306\u0302\u0344\u0345\u0958\u093c\u0915\u09c7\u09be\u09d7\u1100\u1161\u11a8\u212b\u3099か\u05b0\ufb2a")
	random := rand.New(rand.NewPCG(1, 2))
	normal := 0
	for range 200000 {
		text := make([]rune, random.IntN(7))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		want := norm.NFC.IsNormalString(string(text))
		if got := isNFCAtLength(string(text)); got != want {
			t.Fatalf("%+q: %t", string(text), got)
		}
		if want {
			normal++
		}
	}
	if normal < 1000 {
		t.Errorf("only %d texts were normal", normal)
	}
}
