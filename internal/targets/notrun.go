package targets

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// NotRun adds a line to the file that make test prints at its end: what could not be tested on
// this machine, and why. A test that has opened this file, which make test empties, is not
// repeated from the cache.
func NotRun(t testing.TB, what string) {
	t.Helper()
	name := os.Getenv("BACKSTEP_NOT_RUN")
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintln(f, strings.ReplaceAll(strings.TrimSpace(what), "\n", " ")); err != nil {
		t.Fatal(err)
	}
}
