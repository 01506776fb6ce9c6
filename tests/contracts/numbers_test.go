package contracts_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestTenThousandNumbersAsGiven(t *testing.T) {
	t.Parallel()
	var samples []sample
	for _, n := range numbers(t) {
		samples = append(samples, sample{n.text, n.text, n.text})
	}
	hold(t, testdb.New(t).Conn(t), samples)
}

func TestTenThousandNumbersInOneDocument(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, n := range numbers(t) {
		texts = append(texts, n.text)
	}
	hold(t, testdb.New(t).Conn(t), []sample{{"all", "[" + strings.Join(texts, ", ") + "]", "[" + strings.Join(texts, ",") + "]"}})
}

// TestNumbersInOtherSpellings writes every number as other encoders would.
func TestNumbersInOtherSpellings(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for name, spell := range map[string]func(float64) string{
		"without exponent":     func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) },
		"trailing zeros":       func(f float64) string { return strconv.FormatFloat(f, 'e', 30, 64) },
		"capital exponent":     func(f float64) string { return strconv.FormatFloat(f, 'E', -1, 64) },
		"padded exponent":      paddedExponent,
		"seventeen digits":     func(f float64) string { return strconv.FormatFloat(f, 'e', 16, 64) },
		"mantissa below one":   func(f float64) string { return shiftPoint(f, -40) },
		"mantissa of integers": func(f float64) string { return shiftPoint(f, 40) },
	} {
		t.Run(name, func(t *testing.T) {
			var samples []sample
			for i, n := range numbers(t) {
				if i%4 == 0 || i < 100 {
					samples = append(samples, sample{name + " " + n.text, spell(n.value), n.text})
				}
			}
			hold(t, db, samples)
		})
	}
}

// paddedExponent writes 1.5e+0000007.
func paddedExponent(f float64) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	return mantissa + "e" + exponent[:1] + "00000" + exponent[1:]
}

// shiftPoint writes the same number with its point moved and the exponent made up for it.
func shiftPoint(f float64, places int) string {
	if f == 0 {
		return "-0.000e-7"
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(f), 'e', -1, 64), "e")
	power, err := strconv.Atoi(exponent)
	if err != nil {
		panic(err) // FormatFloat wrote it
	}
	digits := strings.Replace(mantissa, ".", "", 1)
	sign := strings.Repeat("-", map[bool]int{true: 1}[math.Signbit(f)])
	if places < 0 {
		return fmt.Sprintf("%s0.%s%se%d", sign, strings.Repeat("0", -places-1), digits, power-places)
	}
	digits += strings.Repeat("0", max(0, places-len(digits)+1))
	return fmt.Sprintf("%s%se%d", sign, digits, power-len(digits)+1)
}

// goForm is what Go computes for a number token: ParseFloat rounds exactly at any length.
func goForm(t *testing.T, token string) sample {
	t.Helper()
	form, err := contracts.Canonical([]byte(token))
	if err != nil {
		t.Fatalf("%.100s: %v", token, err)
	}
	return sample{fmt.Sprintf("%.80s (%d characters)", token, len(token)), token, string(form)}
}

// TestExactDecimalExpansionsReadBack writes doubles with all of their digits, up to 767 of them.
func TestExactDecimalExpansionsReadBack(t *testing.T) {
	t.Parallel()
	var samples []sample
	for i, n := range numbers(t) {
		if i%40 == 0 {
			samples = append(samples, sample{n.text, new(big.Float).SetFloat64(n.value).Text('g', 800), n.text})
		}
	}
	hold(t, testdb.New(t).Conn(t), samples)
}

// TestMidpointsRoundToEven takes the decimal exactly between two doubles, and the ones a little beside it.
func TestMidpointsRoundToEven(t *testing.T) {
	t.Parallel()
	var samples []sample
	for i, n := range numbers(t) {
		if i%50 != 0 && i > 40 {
			continue
		}
		next := math.Nextafter(n.value, math.Inf(1))
		if math.IsInf(next, 0) {
			continue
		}
		sum := new(big.Float).SetPrec(2200).Add(big.NewFloat(n.value), big.NewFloat(next))
		middle := sum.Quo(sum, big.NewFloat(2)).Text('e', 800)
		mantissa, exponent, _ := strings.Cut(middle, "e")
		beside := mantissa[:len(mantissa)-1] + "1e" + exponent // the last of 800 digits
		for _, token := range []string{middle, beside} {
			samples = append(samples, goForm(t, token))
		}
	}
	hold(t, testdb.New(t).Conn(t), samples)
}

func TestPowersOfTwoAndTenWithTheirNeighbours(t *testing.T) {
	t.Parallel()
	var values []float64
	for exponent := -1074; exponent <= 1023; exponent++ {
		values = append(values, math.Ldexp(1, exponent))
	}
	for exponent := -323; exponent <= 308; exponent++ {
		value, err := strconv.ParseFloat("1e"+strconv.Itoa(exponent), 64)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
	}
	var samples []sample
	for _, value := range values {
		for _, near := range []float64{math.Nextafter(value, 0), value, math.Nextafter(value, math.Inf(1))} {
			samples = append(samples, goForm(t, strconv.FormatFloat(near, 'e', -1, 64)))
		}
	}
	hold(t, testdb.New(t).Conn(t), samples)
}

// TestShortestTextOnARoundingBoundary holds the numbers for which PostgreSQL's own float8 output is not the shortest.
func TestShortestTextOnARoundingBoundary(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	samples := []sample{
		{"float8 writes 35821213014423848", "35821213014423850", "35821213014423850"},
		{"written out", "35821213014423848", "35821213014423850"},
		{"2^53", "9007199254740992", "9007199254740992"},
		{"2^53+1 is even below", "9007199254740993", "9007199254740992"},
		{"2^63", "9223372036854775808", "9223372036854776000"},
		{"5e-324", "4.9406564584124654e-324", "5e-324"},
		{"smallest normal", "2.2250738585072014e-308", "2.2250738585072014e-308"},
		{"largest subnormal", "2.225073858507201e-308", "2.225073858507201e-308"},
		{"largest", "1.7976931348623157e+308", "1.7976931348623157e+308"},
		{"rounds to the largest", "1.7976931348623158e308", "1.7976931348623157e+308"},
	}
	hold(t, db, samples)
	// Above 2^53 a shorter decimal can lie exactly on a boundary; that is where float8 output differs.
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	samples = samples[:0]
	for range 4000 {
		value := math.Ldexp(1+random.Float64(), 53+random.IntN(60))
		samples = append(samples, goForm(t, strconv.FormatFloat(value, 'f', 0, 64)))
	}
	hold(t, db, samples)
}

func TestNumbersTooSmallForADoubleBecomeZero(t *testing.T) {
	t.Parallel()
	hold(t, testdb.New(t).Conn(t), []sample{
		{"underflow", "1e-400", "0"},
		{"negative underflow", "-1e-400", "0"},
		{"half of the smallest, to even", "2.4703282292062327208e-324", "0"},
		{"a little more than half of the smallest", "2.4703282292062328e-324", "5e-324"},
		{"without exponent", "0." + strings.Repeat("0", 400) + "1", "0"},
		{"two digits of exponent", "0." + strings.Repeat("0", 300) + "1e-99", "0"},
		{"twenty thousand zeros", "0." + strings.Repeat("0", 20000) + "1", "0"},
		{"absurd exponent", "1e-99999999999999999999", "0"},
	})
}

func TestAbsurdSpellingsOfPlainNumbers(t *testing.T) {
	t.Parallel()
	hold(t, testdb.New(t).Conn(t), []sample{
		{"zero", "0e400", "0"},
		{"negative zero", "-0.0e-400", "0"},
		{"zero to an absurd power", "0e99999999999999999999", "0"},
		{"padded exponent", "1e+00000000000000000000001", "10"},
		{"padded negative exponent", "1e-000000000", "1"},
		{"four hundred zeros taken back", "1" + strings.Repeat("0", 400) + "e-400", "1"},
		{"four hundred places made up for", "0." + strings.Repeat("0", 400) + "1e401", "1"},
		{"a hundred thousand places made up for", "0." + strings.Repeat("0", 100000) + "1e100001", "1"},
		{"two hundred thousand zeros taken back", "1" + strings.Repeat("0", 200000) + "e-200000", "1"},
		{"beside text that looks like it", `["1e400",":1e400",{"1e400":1e2}]`, `["1e400",":1e400",{"1e400":100}]`},
	})
}

func TestNumbersBeyondADoubleAreRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for name, token := range map[string]string{
		"overflow":                    "1e400",
		"negative overflow":           "-1e400",
		"just beyond the largest":     "1.797693134862315808e308",
		"power of two beyond":         "1" + strings.Repeat("0", 309),
		"four hundred digits":         strings.Repeat("9", 400),
		"with a fraction":             strings.Repeat("9", 400) + ".5",
		"two digits of exponent":      strings.Repeat("1", 300) + "e99",
		"one digit of exponent":       strings.Repeat("1", 305) + "e9",
		"two hundred thousand digits": strings.Repeat("7", 200000),
		"absurd exponent":             "1e99999999999999999999",
		"capital and plus":            "1E+0000400",
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, db, "OX002", "number_within_range", "/a/1/b~0~1", `{"a":[1.5,{"b~/":`+token+`}]}`)
			refused(t, db, "OX002", "number_within_range", "(whole document)", token)
		})
	}
}
