package contracts

import (
	"math"
	"strconv"
	"strings"

	"github.com/gowebpki/jcs"
)

// canonicalNumber gives the ECMAScript text of the double nearest to a number, and whether it is the
// same decimal number.
func canonicalNumber(token string) (text string, exact bool) {
	double, err := strconv.ParseFloat(token, 64)
	if err != nil {
		return "", false // beyond the range of a double
	}
	text, err = jcs.NumberToJSON(double)
	if err != nil {
		return "", false
	}
	digits, exponent := decimal(token)
	sameDigits, sameExponent := decimal(text)
	return text, digits == sameDigits && exponent == sameExponent
}

// decimal takes a number without its sign apart: its digits without zeros at either end, and the power
// of ten of the last one. Zero has no digits.
func decimal(token string) (digits string, exponent int) {
	mantissa, power, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(token, "-")), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "", 0
	}
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil {
			exponent = math.MaxInt32 // no mantissa that fits into a document outweighs it
		}
	}
	exponent -= len(fraction)
	short := strings.TrimRight(digits, "0")
	return short, exponent + len(digits) - len(short)
}
