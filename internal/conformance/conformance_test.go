package conformance

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/backstep-net/backstep/session"
)

var update = flag.Bool("update", false, "rewrite testdata/conformance and the examples of docs/protocol.md")

// golden is a file of the suite.
func golden(name string) string { return filepath.Join("../../testdata/conformance", name) }

// compare holds a file of the suite to what our code makes, or writes it.
func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden(name), got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden(name))
	if err != nil {
		t.Fatal(err)
	}
	g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g) || i >= len(w):
			t.Fatalf("%s: got %d lines, want %d; if that is meant, go test ./internal/conformance -update", name, len(g), len(w))
		case !bytes.Equal(g[i], w[i]):
			t.Fatalf("%s:%d: got\n%s\nwant\n%s\nif that is meant, go test ./internal/conformance -update", name, i+1, g[i], w[i])
		}
	}
}

// A session recorded anew is the one in the file, byte for byte.
func TestTheRecordingsAreWhatOurEndsDo(t *testing.T) {
	compare(t, "sled-session.jsonl", Lines(record(t, sleds(t), sledScript())))
	compare(t, "arena-session.jsonl", Lines(record(t, heroes(t), heroScript())))
}

// Each end alone, fed what was recorded, sends what was recorded: so it is how another
// implementation of one end can be tested.
func TestEachEndAloneRepeatsTheRecording(t *testing.T) {
	for _, end := range []string{"server", "client 1", "client 2", "client 3", ""} {
		replayed(t, sleds(t), "sled-session.jsonl", end)
		if end != "client 3" {
			replayed(t, heroes(t), "arena-session.jsonl", end)
		}
	}
}

func replayed[S comparable, C any](t *testing.T, m *Machine[S, C], file, end string) {
	t.Helper()
	log, err := ReadLines[Entry](golden(file))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Replay(log[1:], end, nil); err != nil {
		t.Errorf("%s, %q alone: %v", file, end, err)
	}
}

var _ = session.Version
