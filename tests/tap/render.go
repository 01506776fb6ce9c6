package tap

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// render writes a row so that equal values look the same, whatever Go types carry them.
func render(row []any) string {
	cells := make([]string, len(row))
	for i, value := range row {
		cells[i] = renderValue(value)
	}
	return "(" + strings.Join(cells, ", ") + ")"
}

func renderValue(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(v)
	case []byte:
		return `\x` + hex.EncodeToString(v)
	case [32]byte:
		return `\x` + hex.EncodeToString(v[:])
	case [16]byte:
		return strconv.Quote(uuidText(v))
	case pgtype.UUID:
		return strconv.Quote(v.String())
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case time.Duration:
		return v.String()
	case pgtype.Interval:
		return renderInterval(v)
	case pgtype.Numeric:
		return renderNumeric(v)
	case fmt.Stringer:
		return v.String()
	case map[string]any, []any:
		text, err := json.Marshal(v)
		if err != nil {
			return fmt.Sprintf("%#v", v)
		}
		return string(text)
	default:
		return fmt.Sprint(v)
	}
}

func uuidText(b [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// renderNumeric writes an exact number without trailing zeros, so that it equals the integer it may be.
func renderNumeric(n pgtype.Numeric) string {
	if !n.Valid {
		return "null"
	}
	if n.NaN || n.InfinityModifier != pgtype.Finite {
		text, err := n.MarshalJSON()
		if err != nil {
			return fmt.Sprintf("%#v", n)
		}
		return string(text)
	}
	exact := new(big.Rat).SetInt(n.Int)
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n.Exp, -n.Exp))), nil))
	if n.Exp < 0 {
		exact.Quo(exact, scale)
	} else {
		exact.Mul(exact, scale)
	}
	text := exact.FloatString(int(max(0, -n.Exp)))
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func renderInterval(v pgtype.Interval) string {
	if !v.Valid {
		return "null"
	}
	if v.Months == 0 && v.Days == 0 {
		return (time.Duration(v.Microseconds) * time.Microsecond).String()
	}
	return fmt.Sprintf("%d months %d days %d µs", v.Months, v.Days, v.Microseconds)
}
