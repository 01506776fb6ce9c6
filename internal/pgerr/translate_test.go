package pgerr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oceanway/outbox/internal/pgerr"
)

// registry is written out here once more, so that no code can lose its sentinel unseen; tests/registry
// compares the sentinels with what the database says.
var registry = map[string]error{
	"OX001": pgerr.ErrEnvelopeInvalid,
	"OX002": pgerr.ErrNumberNotExact,
	"OX003": pgerr.ErrDigestMismatch,
	"OX004": pgerr.ErrNoActiveDeliverySet,
	"OX005": pgerr.ErrEventNotApplicable,
	"OX006": pgerr.ErrDuplicateEvent,
	"OX007": pgerr.ErrAggregateRevisionConflict,
	"OX010": pgerr.ErrDefinitionInvalid,
	"OX011": pgerr.ErrDefinitionConflict,
	"OX012": pgerr.ErrCutoverTimeout,
	"OX013": pgerr.ErrActivationInProducingTransaction,
	"OX020": pgerr.ErrStaleFence,
	"OX021": pgerr.ErrAckInvalid,
	"OX022": pgerr.ErrOutcomeInvalid,
	"OX023": pgerr.ErrArgumentInvalid,
	"OX030": pgerr.ErrImmutable,
	"OX031": pgerr.ErrIllegalTransition,
	"OX032": pgerr.ErrPurgeRefused,
	"OX040": pgerr.ErrDeliverySetIncomplete,
}

func TestTranslateNamesExactlyOneRefusalForEachCode(t *testing.T) {
	for code, want := range registry {
		err := pgerr.Translate(fmt.Errorf("settling: %w", &pgconn.PgError{Code: code, Message: "refused"}))
		if !errors.Is(err, pgerr.ErrRefused) {
			t.Errorf("%s is not a refusal", code)
		}
		for other, sentinel := range registry {
			if errors.Is(err, sentinel) != (other == code) {
				t.Errorf("%s matches the sentinel of %s: %v", code, other, errors.Is(err, sentinel))
			}
		}
		if errors.Is(err, want) && errors.Is(err, pgerr.ErrUnavailable) {
			t.Errorf("%s looks like a lost connection", code)
		}
	}
}

func TestTranslateKnowsTheWeather(t *testing.T) {
	tests := map[string]error{
		"OX999": pgerr.ErrRefused,
		"57P01": pgerr.ErrUnavailable,
		"57P03": pgerr.ErrUnavailable,
		"53300": pgerr.ErrUnavailable,
		"08006": pgerr.ErrUnavailable,
		"3D000": pgerr.ErrUnavailable,
		"25006": pgerr.ErrReadOnly,
		"40001": pgerr.ErrSerialization,
		"40P01": pgerr.ErrSerialization,
		"42501": pgerr.ErrPermission,
		"28000": pgerr.ErrPermission,
		"28P01": pgerr.ErrPermission,
		"42883": pgerr.ErrMissingObject,
		"42P01": pgerr.ErrMissingObject,
		"3F000": pgerr.ErrMissingObject,
		"57014": pgerr.ErrTimeout,
		"55P03": pgerr.ErrTimeout,
	}
	for code, want := range tests {
		if err := pgerr.Translate(&pgconn.PgError{Code: code}); !errors.Is(err, want) {
			t.Errorf("%s does not match %q", code, want)
		}
	}
}

func TestErrorIsOneLineWithEverythingThatWasSaid(t *testing.T) {
	err := pgerr.Translate(&pgconn.PgError{
		Code: "OX020", ConstraintName: "attempt_is_current", Message: "the attempt is\nno longer current",
		Detail: "delivery a/b", Hint: "Drop the result.",
	})
	want := "OX020 attempt_is_current: the attempt is no longer current; detail: delivery a/b; hint: Drop the result."
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
	bare := pgerr.Translate(&pgconn.PgError{Code: "22P02", Message: "invalid"})
	if bare.Error() != "22P02: invalid" {
		t.Errorf("absent parts are printed: %s", bare)
	}
}

func TestIdenticalTellsTheHarmlessDuplicate(t *testing.T) {
	for detail, want := range map[string]bool{"identical": true, "different_digest": false} {
		var report *pgerr.Error
		if !errors.As(pgerr.Translate(&pgconn.PgError{Code: "OX006", Detail: detail}), &report) {
			t.Fatal("not a report")
		}
		if report.Identical() != want {
			t.Errorf("%s: Identical() = %v", detail, !want)
		}
	}
}

func TestTranslateKeepsTheCauseAndIsIdempotent(t *testing.T) {
	cause := &pgconn.PgError{Code: "OX030", TableName: "events"}
	once := pgerr.Translate(cause)
	var found *pgconn.PgError
	if !errors.As(once, &found) || found != cause {
		t.Error("the driver's error is lost")
	}
	if twice := pgerr.Translate(fmt.Errorf("again: %w", once)); !strings.HasPrefix(twice.Error(), "again: ") {
		t.Errorf("context was dropped: %s", twice)
	}
	if pgerr.Translate(nil) != nil {
		t.Error("nil became an error")
	}
}

func TestConnectionFailuresAreUnavailable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().(*net.TCPAddr)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, refused := pgx.Connect(ctx, fmt.Sprintf("host=127.0.0.1 port=%d user=u dbname=d sslmode=disable", address.Port))
	for name, cause := range map[string]error{
		"refused": refused, "eof": io.ErrUnexpectedEOF, "closed": fmt.Errorf("settling: %w", pgconn.ErrConnClosed),
	} {
		if got := pgerr.Translate(cause); !errors.Is(got, pgerr.ErrUnavailable) || !errors.Is(got, cause) {
			t.Errorf("%s: %v is not a lost connection that keeps its cause", name, got)
		}
	}
}

func TestGivingUpIsNotALostConnection(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, cancelled := pgx.Connect(ctx, "host=127.0.0.1 port=1 user=u dbname=d sslmode=disable")
	for _, cause := range []error{cancelled, context.Canceled, context.DeadlineExceeded, errors.New("a bug")} {
		if got := pgerr.Translate(cause); errors.Is(got, pgerr.ErrUnavailable) {
			t.Errorf("%v is taken for a lost connection", cause)
		}
	}
}
