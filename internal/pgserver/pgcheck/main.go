// Command pgcheck says which PostgreSQL the tests and the demo will use, and in one sentence what to install where there
// is none.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/oceanway/outbox/internal/pgserver"
)

func main() {
	opts := pgserver.Options{Progress: func(message string) { fmt.Fprintln(os.Stderr, message) }}
	name, err := pgserver.Find(context.Background(), opts)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(name)
}
