package registration

import (
	"fmt"
	"strings"
)

// Table is what a migration inserts into one table.
type Table struct {
	Into string
	Rows []Row
}

// SchemaColumns is the table and the columns of the rows that Schemas gives.
const SchemaColumns = "contracts.schemas (schema, document, resolved, quick_check)"

// Migration writes the text of a migration; purpose is its first line. It belongs in a transaction.
func Migration(purpose string, tables ...Table) (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, `-- %s
-- Locks: none that anybody waits for, rows are only added. Duration: milliseconds.
set local lock_timeout = '5s';
set local search_path = pg_catalog, pg_temp;
set local role outbox_owner;
`, purpose)
	for _, table := range tables {
		for _, row := range table.Rows {
			for _, mark := range []string{"{{", "---- create above / drop below ----"} {
				if strings.Contains(row.text(), mark) {
					return "", fmt.Errorf("%s holds %s, which tern reads as its own", row.What, mark)
				}
			}
		}
		table.write(&text)
	}
	text.WriteString("\n-- Autovacuum never looks at tables this small: without this the planner would only guess.\n")
	for _, table := range tables {
		if name, _, _ := strings.Cut(table.Into, " "); len(table.Rows) > 0 {
			fmt.Fprintf(&text, "analyze %s;\n", name)
		}
	}
	text.WriteString("\nreset role;\n")
	return text.String(), nil
}

func (r Row) text() string { return r.Identity + r.Rest }

func (t Table) write(text *strings.Builder) {
	for i, row := range t.Rows {
		if i == 0 {
			fmt.Fprintf(text, "\ninsert into %s\nvalues\n", t.Into)
		}
		end := ",\n"
		if i == len(t.Rows)-1 {
			end = ";\n"
		}
		text.WriteString(row.text() + end)
	}
}
