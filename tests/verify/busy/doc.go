// Package busy makes databases in which a lot has happened: an event in every state that a delivery can reach, facts in
// every table, more than one definition, and nothing wrong anywhere. Tests damage them, or try to.
package busy
