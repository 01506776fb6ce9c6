package contracts

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// quoted reads a string. holds is false when it has an escape that no text can hold, U+0000 or half of
// a surrogate pair; a question mark stands in its place then.
func (r *reading) quoted() (text string, holds bool) {
	r.at++
	start := r.at
	end := start + strings.IndexAny(r.text[start:], `"\`)
	if r.text[end] == '"' {
		r.at = end + 1
		return r.text[start:end], true
	}
	var b strings.Builder
	holds = true
	for {
		b.WriteString(r.text[r.at:end])
		r.at = end
		if r.text[r.at] == '"' {
			r.at++
			return b.String(), holds
		}
		character, ok := r.escaped()
		b.WriteRune(character)
		holds = holds && ok
		end = r.at + strings.IndexAny(r.text[r.at:], `"\`)
	}
}

// escaped reads one escape, or two that form a surrogate pair.
func (r *reading) escaped() (character rune, ok bool) {
	letter := r.text[r.at+1]
	r.at += 2
	if letter != 'u' {
		return simpleEscape(letter), true
	}
	unit := r.unit()
	switch {
	case unit == 0:
		r.nul = true
		return '?', false
	case !utf16.IsSurrogate(unit):
		return unit, true
	}
	if strings.HasPrefix(r.text[r.at:], `\u`) {
		before := r.at
		r.at += 2
		if pair := utf16.DecodeRune(unit, r.unit()); pair != utf8.RuneError {
			return pair, true
		}
		r.at = before
	}
	return '?', false
}

func simpleEscape(letter byte) rune {
	switch letter {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return rune(letter) // it stands for itself
}

// unit reads four hexadecimal digits.
func (r *reading) unit() rune {
	unit, err := strconv.ParseUint(r.text[r.at:r.at+4], 16, 16)
	if err != nil {
		return 0 // not in a text that is JSON
	}
	r.at += 4
	return rune(unit)
}

// compareUTF16 compares texts by their UTF-16 code units.
func compareUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// isNFC tells whether a text is in Unicode normalization form C.
func isNFC(text string) bool {
	return norm.NFC.IsNormalString(text) || isNFCAtLength(text)
}

// isNFCAtLength judges a text that package norm does not find normal. norm speaks of the stream-safe form,
// which allows no more than 30 combining characters in a row; NFC as such allows any number. A text is in
// NFC when each character is, when combining characters ascend by class, and when no character composes
// with the starter before it. One of the same class in between blocks it, as does any in front of a starter.
func isNFCAtLength(text string) bool {
	starter, last := "", uint8(0)
	for _, r := range text {
		character := string(r)
		class := norm.NFC.PropertiesString(character).CCC()
		blocked := class == last && class != 0 || class == 0 && last != 0
		switch {
		case !norm.NFC.IsNormalString(character), class != 0 && class < last:
			return false
		case !blocked && !norm.NFC.IsNormalString(starter+character):
			return false
		}
		if last = class; class == 0 {
			starter = character
		}
	}
	return true
}
