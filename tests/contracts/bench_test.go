package contracts_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/goldens"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// roundSQL times many calls of an expression over one document inside of the server, in microseconds a call. The document
// comes from a table, so that nothing is computed ahead.
const roundSQL = `
	do $do$
	declare
		v_document json := (select document from bench_document);
		v_start timestamptz;
	begin
		v_start := clock_timestamp();
		for i in 1..300 loop
			perform %s;
		end loop;
		insert into bench_round values (extract(epoch from clock_timestamp() - v_start) * 1e6 / 300);
	end
	$do$`

// BenchmarkJudging measures what a document costs in the database, against the cast that PostgreSQL itself needs to take it
// in (floor). One run alternates between them, and medians are reported: microseconds, and ratios to the floor.
func BenchmarkJudging(b *testing.B) {
	envelope := fixture.Envelope(fixture.Full(), fixture.Payload(`{"runId":"run-0001","state":"created","reservedAmount":"12.500000000000000000","currency":"EUR",
		"attempt":1,"retries":0,"ratio":0.25,"flags":[true,false,null],"labels":{"team":"core","zone":"eu-1","tier":"standard"},
		"agentRevisionId":"agent-revision-7","modelOfferingRevisionId":"offering-19","pricingSnapshotId":"pricing-4","note":"`+
		`reserved before the run is admitted to the queue"}`))
	receipts := map[string]string{}
	for _, v := range goldens.ReadValid(b, goldenDir) {
		receipts[v.Schema+"/"+v.Name] = string(v.Document)
	}
	for _, c := range []struct{ name, schema, document string }{
		{"envelope", "EventEnvelope@1", envelope},
		{"operations receipt", "OperationsProjectionAppliedReceipt@1", receipts["OperationsProjectionAppliedReceipt@1/reconciliation-resolved"]},
		{"metering receipt", "MeteringInputProcessorConsumerReceipt@1", receipts["MeteringInputProcessorConsumerReceipt@1/cost-needs-reconciliation"]},
		{"definition", "DeliverySetDefinition@1", receipts["DeliverySetDefinition@1/first-release"]},
	} {
		b.Run(c.name, func(b *testing.B) {
			db := testdb.New(b).Conn(b)
			tap.Exec(b, db, "create temp table bench_document as select $1::text::json as document", c.document)
			tap.Exec(b, db, "create temp table bench_round (microseconds float8)")
			measure(b, db, []measured{
				{"floor", "v_document::text::jsonb::text"},
				{"jcs", "contracts.jcs(v_document)"},
				{"validate", "contracts.validate('" + c.schema + "', v_document)"},
				{"digest", "contracts.digest('" + c.schema + "', v_document)"},
			})
		})
	}
}

// measured is an expression with the name that its figures go by.
type measured struct{ name, expression string }

// measure runs the expressions in turn and reports the median of each, and its ratio to the first.
func measure(b *testing.B, db tap.Querier, all []measured) {
	b.Helper()
	rounds := make([][]float64, len(all))
	for b.Loop() {
		for i, m := range all {
			tap.Exec(b, db, fmt.Sprintf(roundSQL, m.expression))
			rounds[i] = append(rounds[i], tap.Value[float64](b, db, "delete from bench_round returning microseconds"))
		}
	}
	floor := median(rounds[0])
	for i, m := range all {
		b.ReportMetric(median(rounds[i]), m.name+"-µs")
		b.ReportMetric(median(rounds[i])/floor, m.name+"/floor")
	}
	b.ReportMetric(0, "ns/op")
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// BenchmarkAppend measures an append in batches of a hundred with all its checks, microseconds an event, with and without a
// payload schema, against inserting the same texts into a bare table (floor).
func BenchmarkAppend(b *testing.B) {
	for name, pair := range map[string]fixture.Pair{"any payload": fixture.RunCreated, "payload schema": fixture.SettlementInputChanged} {
		b.Run(name, func(b *testing.B) {
			db := testdb.NewActive(b).Conn(b)
			tap.Exec(b, db, "create temp table bare (event_id uuid primary key, envelope text)")
			const batch = 100
			var bare, appended []float64
			for b.Loop() {
				envelopes, ids := make([]string, batch), make([]string, batch)
				for i := range envelopes {
					ids[i] = fixture.NewID()
					envelopes[i] = fixture.Envelope(fixture.Type(pair), fixture.ID(ids[i]), fixture.Full())
				}
				bare = append(bare, elapsed(b, db, "insert into bare select * from unnest($1::uuid[], $2::text[])", ids, envelopes)/batch)
				appended = append(appended, elapsed(b, db, "select from outbox.append_events($1::text[]::json[])", envelopes)/batch)
			}
			b.ReportMetric(median(bare), "floor-µs/event")
			b.ReportMetric(median(appended), "append-µs/event")
			b.ReportMetric(median(appended)/median(bare), "append/floor")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// elapsed is how long a statement takes, in microseconds, commit included.
func elapsed(b *testing.B, db tap.Querier, sql string, args ...any) float64 {
	b.Helper()
	start := time.Now()
	tap.Exec(b, db, sql, args...)
	return float64(time.Since(start).Microseconds())
}

// BenchmarkSettle measures the acknowledgement of a delivery in batches of a hundred, microseconds each: acknowledgement and
// receipt judged by their schemas, the receipt's digest recomputed, the event published. Floor is a bare table of the same number
// of rows that is updated once.
func BenchmarkSettle(b *testing.B) {
	for _, destination := range []string{fixture.Operations, fixture.Metering, fixture.Coordinator, fixture.CatchUp} {
		b.Run(destination, func(b *testing.B) {
			db := testdb.NewActive(b).Conn(b)
			tap.Exec(b, db, "create temp table bare (event_id uuid primary key, status text, receipt text)")
			const batch = 100
			var bare, settled []float64
			for b.Loop() {
				ids := fixture.AppendMany(b, db, batch, fixture.Type(fixture.PairFor(destination)))
				items, receipts := make([]string, batch), make([]string, batch)
				for i, claimed := range fixture.Claim(b, db, destination, batch) {
					items[i], receipts[i] = fixture.Acknowledge(claimed), fixture.JSON(fixture.Receipt(claimed))
				}
				tap.Exec(b, db, "insert into bare select *, 'leased' from unnest($1::uuid[])", ids)
				bare = append(bare, elapsed(b, db, "update bare as x set status = 'acknowledged', receipt = i.receipt from unnest($1::uuid[], $2::text[]) as i(id, receipt) where x.event_id = i.id", ids, receipts)/batch)
				settled = append(settled, elapsed(b, db, "select from outbox.settle_attempts($1::json)", fixture.Array(items...))/batch)
			}
			b.ReportMetric(median(bare), "floor-µs/ack")
			b.ReportMetric(median(settled), "settle-µs/ack")
			b.ReportMetric(median(settled)/median(bare), "settle/floor")
			b.ReportMetric(0, "ns/op")
		})
	}
}
