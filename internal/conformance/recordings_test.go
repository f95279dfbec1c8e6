package conformance

import "testing"

// A session recorded anew is the one in the file, byte for byte.
func TestTheRecordingsAreWhatOurEndsDo(t *testing.T) {
	compare(t, "sled-session.jsonl", record(t, sleds(t), sledScript()))
	compare(t, "arena-session.jsonl", record(t, heroes(t), heroScript()))
}

// Each end alone, given what was recorded, sends what was recorded: this is how another
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
	if err := m.Replay(readLines[Entry](t, file)[1:], end, nil); err != nil {
		t.Errorf("%s, %q alone: %v", file, end, err)
	}
}
