package delivery_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

const someID = "01890000-0000-7000-8000-000000000001"

// badItem writes the item of a retry with members replaced by raw JSON; an empty text leaves one out.
func badItem(changes map[string]string) string {
	members := map[string]string{
		"eventId": `"` + someID + `"`, "destination": `"core_operations"`, "attemptId": `"` + someID + `"`, "leaseToken": "1",
		"outcome": `"retryable"`, "errorCode": `"timeout"`, "delayMs": "0",
	}
	maps.Copy(members, changes)
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if members[name] != "" {
			parts = append(parts, `"`+name+`":`+members[name])
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

type badItemCase struct{ name, item, detail string }

// member replaces one member of a retry and expects it to be blamed.
func member(name, what, value string) badItemCase {
	return badItemCase{name + " " + what, badItem(map[string]string{name: value}), "/" + name + "%"}
}

func withOutcome(outcome string, changes map[string]string) string {
	all := map[string]string{"outcome": `"` + outcome + `"`}
	maps.Copy(all, changes)
	return badItem(all)
}

func badItems() []badItemCase {
	ack := map[string]string{"errorCode": "", "delayMs": "", "ack": "{}", "receipt": "{}"}
	with := func(members map[string]string, name, value string) map[string]string {
		all := maps.Clone(members)
		all[name] = value
		return all
	}
	refuse := map[string]string{"delayMs": "", "reason": `"no"`}
	deep := strings.Repeat("[", 3000) + strings.Repeat("]", 3000)
	cases := []badItemCase{
		{"null", "null", "not an object"}, {"number", "1", "not an object"}, {"text", `"x"`, "not an object"}, {"array", "[]", "not an object"},
		{"empty object", "{}", "/eventId"},
		{"NUL in a name", `{"a\u0000":1}`, "% no_nul_character"}, {"lone surrogate in a name", `{"\udfff":1}`, "% no_lone_surrogate"},
		{"unknown member", badItem(map[string]string{"more": "1"}), "unknown member"},
		{"member twice", strings.Replace(badItem(nil), "{", `{"eventId":"x",`, 1), "/eventId no_duplicate_key"},
		{"number of a million digits of exponent", badItem(map[string]string{"delayMs": "1e1000000"}), "/delayMs number_within_range"},
		{"number beyond a double", badItem(map[string]string{"delayMs": "1e400"}), "/delayMs number_within_range"},
		{"long number beyond a double", badItem(map[string]string{"delayMs": "1" + strings.Repeat("0", 400)}), "/delayMs%"},
		{"number beyond numeric", badItem(map[string]string{"leaseToken": strings.Repeat("9", 140_000)}), "/leaseToken number_within_range"},
		{"deep nesting", badItem(map[string]string{"more": deep}), "%"},
		{"ack without ack", withOutcome("acknowledged", with(ack, "ack", "")), "/ack"},
		{"ack not an object", withOutcome("acknowledged", with(ack, "ack", "[]")), "/ack"},
		{"ack without receipt", withOutcome("acknowledged", with(ack, "receipt", "")), "/receipt"},
		{"receipt null", withOutcome("acknowledged", with(ack, "receipt", "null")), "/receipt"},
		{"receipt with a NUL", withOutcome("acknowledged", with(ack, "receipt", `{"a":["\u0000"]}`)), "/receipt/a/0 no_nul_character"},
		{"ack with an error code", withOutcome("acknowledged", with(ack, "errorCode", `"timeout"`)), "unknown member"},
		{"refusal without reason", withOutcome("non_retryable", with(refuse, "reason", "")), "/reason"},
		{"refusal with an empty reason", withOutcome("non_retryable", with(refuse, "reason", `""`)), "/reason"},
		{"refusal with a long reason", withOutcome("non_retryable", with(refuse, "reason", `"`+strings.Repeat("r", 201)+`"`)), "/reason"},
		{"refusal with a delay", withOutcome("non_retryable", with(refuse, "delayMs", "1")), "unknown member"},
		{"refusal without error code", withOutcome("non_retryable", with(refuse, "errorCode", "")), "/errorCode"},
	}
	for _, id := range []string{"eventId", "attemptId"} {
		cases = append(cases, member(id, "missing", ""), member(id, "null", "null"), member(id, "number", "7"), member(id, "empty", `""`),
			member(id, "not a UUID", `"nonsense"`), member(id, "in capitals", `"01890000-0000-7000-8000-00000000000A"`),
			member(id, "in braces", `"{`+someID+`}"`), member(id, "with a line break", `"`+someID+`\n"`),
			member(id, "with a NUL", `"`+someID+`\u0000"`), member(id, "with a lone surrogate", `"\ud800"`), member(id, "object", "{}"))
	}
	for name, values := range map[string][]string{
		"destination": {"", "null", "1", `""`, `"Core"`, `"a b"`, `"` + strings.Repeat("d", 129) + `"`, `"core_operations\n"`},
		"leaseToken":  {"", "null", "true", `"1"`, "0", "-1", "1.5", "9223372036854775808", "1e30", "[1]"},
		"outcome":     {"", "null", "1", `"lease_expired_unknown"`, `"Acknowledged"`, `{"a":1}`},
		"errorCode":   {"", "null", "1", `""`, `"a\nb"`, `"` + strings.Repeat("e", 257) + `"`},
		"errorRef":    {"null", "1", `"é"`, `"a\tb"`, `"` + strings.Repeat("e", 201) + `"`, `"\ud800"`, `"\u0000"`},
		"delayMs":     {"", "null", "-1", "0.5", `"1"`, "2592000001"},
	} {
		for i, value := range values {
			cases = append(cases, member(name, fmt.Sprint(i), value))
		}
	}
	return cases
}

func TestBadItemDisturbsNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cases := badItems()
	good := w.claimedBatch(t, fixture.CatchUp, 2*len(cases))
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			answers := w.settle(t, []string{"complete", "invalid", "complete"}, fixture.Acknowledge(good[2*i]), c.item, fixture.Acknowledge(good[2*i+1]))
			assertBadItem(t, answers[1], c.detail)
		})
	}
	w.assertHealthy(t)
}

func assertBadItem(t *testing.T, answer fixture.Settled, detail string) {
	t.Helper()
	tap.Is(t, answer.Item, 1, "item")
	tap.Ok(t, answer.EventID == nil && answer.Destination == nil && answer.AttemptID == nil, "nothing is echoed")
	tap.Ok(t, answer.Detail != nil && like(*answer.Detail, "outcome_shape: "+detail), fmt.Sprintf("detail like %q: %v", detail, text(answer.Detail)))
}

// like matches a pattern whose % stands for anything at its end or its beginning.
func like(text, pattern string) bool {
	before, after, found := strings.Cut(pattern, "%")
	return text == pattern || found && strings.HasPrefix(text, before) && strings.HasSuffix(text, after)
}

func text(value *string) string {
	if value == nil {
		return "null"
	}
	return *value
}

func TestBadRenewalDisturbsNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	fence := func(changes map[string]string) string {
		all := map[string]string{"outcome": "", "errorCode": "", "delayMs": ""}
		maps.Copy(all, changes)
		return badItem(all)
	}
	for _, item := range []string{
		"null", "[]", "{}", badItem(nil), fence(map[string]string{"more": "1"}), fence(map[string]string{"leaseToken": `"1"`}),
		fence(map[string]string{"leaseToken": "1e400"}), fence(map[string]string{"attemptId": `"nonsense"`}),
		fence(map[string]string{"eventId": `"\u0000"`}), fence(map[string]string{"eventId": `"nonsense"`}), fence(map[string]string{"destination": `"\ud800"`}),
	} {
		tap.Is(t, fmt.Sprint(renew(t, w.dispatcher, fixture.Fence(claim), item, fixture.Fence(claim))), "[renewed invalid renewed]", item)
	}
}

func TestTokenIsReadHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tap.Exec(t, w.As(t, "outbox_governor"), "select outbox.advance_lease_tokens(9999, 'round numbers')")
	claim := w.claimed(t, fixture.Operations)
	tap.Is(t, claim.LeaseToken, 10_000, "token")
	for _, token := range []string{"10000.0", "1e4", "1.0e+4", "10000"} {
		item := strings.Replace(fixture.Fence(claim), `"leaseToken":10000`, `"leaseToken":`+token, 1)
		tap.Is(t, renew(t, w.dispatcher, item)[0], "renewed", token)
	}
}

func TestResultsComeInTheOrderOfTheItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claims := w.claimedBatch(t, fixture.Operations, 40)
	items := make([]string, len(claims))
	for i := range claims {
		items[i] = fixture.Acknowledge(claims[len(claims)-1-i])
	}
	for i, answer := range fixture.Settle(t, w.dispatcher, items...) {
		tap.Is(t, int(answer.Item), i, "item")
		tap.Is(t, *answer.EventID, claims[len(claims)-1-i].EventID, "event of the item")
		tap.Is(t, *answer.AttemptID, claims[len(claims)-1-i].AttemptID, "attempt of the item")
	}
}

func TestNoItemsGiveNoResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.settle(t, []string{})
	tap.Is(t, len(renew(t, w.dispatcher)), 0, "renewals")
}

func TestWhatIsNotAnArrayIsRefusedWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, document := range []any{"{}", "1", "null", `"[]"`, nil} {
		tap.Throws(t, w.dispatcher, "OX022", "outcomes_are_array", "select outbox.settle_attempts($1::text::json)", document)
		tap.Throws(t, w.dispatcher, "OX022", "outcomes_are_array", "select outbox.renew_leases($1::text::json, '1 s')", document)
	}
}

func TestTooManyItemsAreRefusedWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tap.Exec(t, w.As(t, "outbox_governor"), `select outbox.change_settings('{"max_settle_outcomes": 2}', 'test')`)
	claims := w.claimedBatch(t, fixture.Operations, 3)
	items := fixture.Array(fixture.Acknowledge(claims[0]), fixture.Acknowledge(claims[1]), fixture.Acknowledge(claims[2]))
	tap.Throws(t, w.dispatcher, "OX023", "settle_is_bounded", "select outbox.settle_attempts($1::text::json)", items)
	tap.Throws(t, w.dispatcher, "OX023", "settle_is_bounded", "select outbox.renew_leases($1::text::json, '1 s')",
		fixture.Array(fixture.Fence(claims[0]), fixture.Fence(claims[1]), fixture.Fence(claims[2])))
	tap.IsEmpty(t, w.admin, "select from outbox.delivery_attempt_finishes")
	w.settle(t, []string{"complete", "complete"}, fixture.Acknowledge(claims[0]), fixture.Acknowledge(claims[1]))
}
