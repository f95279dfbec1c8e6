package record_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// A minute of eight bots and two players over bad links, one of which disconnects and reconnects by
// key: replayed from the file alone, the match has the recorded hash each second, and the file has
// its outputs.
func TestAMatchPlaysAgainToItsHashes(t *testing.T) {
	if testing.Short() {
		t.Skip("long matches in one goroutine")
	}
	name, p, rec := recorded(t, 8, 2, 30*clock.Second)
	bob := p.guests[1]
	bob.gone = true
	p.bots.Disconnect(bob.peer)
	p.until(35 * clock.Second)
	back := newGuest("bob", 3, bob.Key())
	p.guests = append(p.guests, back)
	p.until(60 * clock.Second)
	last := *p.bots.FullSnapshot()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}

	f := open(t, name)
	v, err := replay.Verify(f)
	if err != nil || v.Differed || v.Hashes < 60 || v.Ticks != 3600 {
		t.Errorf("played again: %v, %v; want 3600 ticks and 60 equal hashes", v, err)
	}
	figures.Check(t, "file", 0.1, "%d of %d hashes equal, %.1f MB a minute", v.Hashes, v.Hashes, float64(len(bytesOf(t, name)))/1e6)
	if f.Duration() != 60*clock.Second || !f.Closed() || f.Damage() != nil {
		t.Errorf("the file: %v long, closed %v, %v", f.Duration(), f.Closed(), f.Damage())
	}
	seen, shots, messages := 0, 0, 0
	names := map[session.PlayerID]string{}
	for tick, err := range f.Ticks(0) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		shots += len(tick.Shots)
		messages += len(tick.Messages)
		for _, p := range tick.Players {
			names[p.ID] = p.Name
		}
		if tick.Snapshot.Tick == last.Tick {
			same(t, tick.Snapshot, &last)
		}
	}
	if seen != 3600 || shots == 0 || messages == 0 || len(names) != 10 {
		t.Errorf("outputs: %d ticks, %d shots, %d messages, players %v", seen, shots, messages, names)
	}
	t.Logf("%d shots, %d messages, players %v", shots, messages, names)
}

// same compares frames on the grid of the file: players' samples are on it already.
func same(t *testing.T, got, want *track.Snapshot) {
	t.Helper()
	if got.Len() != want.Len() || got.At != want.At {
		t.Fatalf("the last frame has %d entities at %d, want %d at %d", got.Len(), got.At, want.Len(), want.At)
	}
	theirs := want.Entities(nil)
	for i, g := range got.Entities(nil) {
		if g != theirs[i] {
			t.Errorf("entity %d:\n got %+v\nwant %+v", g.ID, g, theirs[i])
		}
	}
}

// A match without players takes under 150 bytes a second.
func TestAnEmptyMatchTakesLittleRoom(t *testing.T) {
	name, p, rec := recorded(t, 0, 0, clock.Second)
	before := len(bytesOf(t, name))
	p.until(61 * clock.Second)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	per := float64(len(bytesOf(t, name))-before) / 61
	if per > 150 {
		t.Errorf("%.0f bytes a second, want fewer than 150", per)
	}
	t.Logf("%.0f bytes a second", per)
}
