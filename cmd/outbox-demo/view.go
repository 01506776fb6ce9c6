package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/oceanway/outbox/internal/consumers"
)

// view shows a person what happens: a panel that redraws itself on a terminal, plain lines elsewhere, nothing at all
// when the result is for a program.
type view struct {
	out     io.Writer
	log     io.Writer // of the dispatchers; nil: kept back
	style   viewStyle
	began   time.Time
	mu      sync.Mutex
	panel   int // lines of the panel that stand on the terminal
	last    snapshot
	printed time.Time // of the last plain progress line
}

type viewStyle int

const (
	stylePlain viewStyle = iota
	styleTerminal
	styleJSON
)

// plainEvery is the time between two plain progress lines.
const plainEvery = time.Second

func newView(o options, stdout, stderr io.Writer) *view {
	v := &view{out: stdout, began: time.Now()}
	if o.verbose {
		v.log = stderr
	}
	switch {
	case o.json:
		v.style = styleJSON
	case isTerminal(stdout) && !o.verbose:
		v.style = styleTerminal
	}
	return v
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// passthrough is where the dispatchers' logs go, nil for nowhere.
func (v *view) passthrough() io.Writer { return v.log }

// note tells about something that happens once.
func (v *view) note(format string, values ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.style == styleJSON {
		return
	}
	v.erase()
	fmt.Fprintf(v.out, "%6.1fs  %s\n", time.Since(v.began).Seconds(), fmt.Sprintf(format, values...))
	v.draw()
}

// update shows the newest snapshot.
func (v *view) update(now snapshot) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last = now
	switch v.style {
	case styleJSON:
	case styleTerminal:
		v.erase()
		v.draw()
	case stylePlain:
		if finished := now.published == now.allEvents; finished || time.Since(v.printed) >= plainEvery {
			v.printed = time.Now()
			fmt.Fprintf(v.out, "%6.1fs  transactions %d/%d, events published %d/%d\n",
				time.Since(v.began).Seconds(), now.transactions, now.allTransactions, now.published, now.allEvents)
		}
	}
}

// close leaves the panel as it is.
func (v *view) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.panel, v.last = 0, snapshot{}
}

// erase takes the panel off the terminal.
func (v *view) erase() {
	if v.panel > 0 {
		fmt.Fprintf(v.out, "\x1b[%dA\x1b[J", v.panel)
		v.panel = 0
	}
}

// draw puts the panel on the terminal, once there is something to show.
func (v *view) draw() {
	if v.style != styleTerminal || v.last.allEvents == 0 {
		return
	}
	panel := drawPanel(v.last)
	v.panel = strings.Count(panel, "\n")
	fmt.Fprint(v.out, panel)
}

const barWidth = 30

// drawPanel is the panel as text; no line is wider than 80 columns.
func drawPanel(now snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  %-22s %s %5d of %d\n", "domain transactions", bar(now.transactions, now.allTransactions), now.transactions, now.allTransactions)
	fmt.Fprintf(&b, "  %-22s %s %5d of %d\n\n", "events published", bar(now.published, now.allEvents), now.published, now.allEvents)
	fmt.Fprintf(&b, "  %-36s %9s %9s %13s\n", "deliveries", "pending", "leased", "acknowledged")
	for _, kind := range consumers.Kinds() {
		statuses := now.statuses[string(kind)]
		fmt.Fprintf(&b, "  %-36s %9d %9d %13d\n", kind, statuses["pending"], statuses["leased"], statuses["acknowledged"])
	}
	b.WriteString("\n")
	return b.String()
}

func bar(part, whole int) string {
	filled := 0
	if whole > 0 {
		filled = min(barWidth, barWidth*part/whole)
	}
	return strings.Repeat("█", filled) + strings.Repeat("░", barWidth-filled)
}
