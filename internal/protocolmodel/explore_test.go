package protocolmodel

import (
	"os"
	"testing"
	"time"
)

// small are bounds that are explored in seconds, full those of make model: a move that waits, one that is not
// acknowledged, a correction that is not applied and a datagram each way, for each of three players.
var (
	small = Bounds{1, 1, 1, 1, 1, 1}
	full  = Bounds{1, 1, 1, 1, 1, 6}
)

// Within small bounds every property holds in every state: an acknowledged move is never replayed, a
// correction ends in agreement, a resumed client loses or doubles no move, and quiet agreement is reachable
// from everywhere. [ACK-08, ACK-09, ACK-10, CMD-09, THR-06, THR-08, THR-27]
func TestTheModelHolds(t *testing.T) {
	const states = 1_186_815
	r := Explore(small, Flaws{}, 2_000_000)
	t.Logf("%d states of a player, %d of three, %d steps, depth %d", r.Players, r.States, r.Steps, r.Depth)
	if r.Broken != "" || r.States != states {
		t.Errorf("got %q after %v and %d states, want none and %d", r.Broken, r.Trace, r.States, states)
	}
}

// One player with longer queues: two moves, two acknowledgements, two corrections, two datagrams to the server.
func TestOnePlayerWithLongerQueues(t *testing.T) {
	const states = 41_813
	r := Explore(Bounds{2, 2, 2, 2, 1, 0}, Flaws{}, 0)
	if r.Broken != "" || r.Players != states {
		t.Errorf("got %q after %v and %d states, want none and %d", r.Broken, r.Trace, r.Players, states)
	}
}

// make model: more than 10⁸ states of three players.
func TestTheFullModel(t *testing.T) {
	if os.Getenv("BACKSTEP_MODEL") == "" {
		t.Skip("make model runs it: it takes ten minutes and 2 GB")
	}
	for _, c := range []struct {
		what   string
		bounds Bounds
		most   int
	}{{"one player, queues of two", Bounds{2, 2, 2, 2, 2, 0}, 0}, {"three players", full, 200_000_000}} {
		began := time.Now()
		r := Explore(c.bounds, Flaws{}, c.most)
		t.Logf("%s, %+v: %d states of a player, %d states of the match, %d steps, depth %d, %v, %d MB",
			c.what, c.bounds, r.Players, r.States, r.Steps, r.Depth, time.Since(began).Round(time.Second), r.Bytes>>20)
		if r.Broken != "" || c.most > 0 && r.States < 100_000_000 {
			t.Errorf("got %q after %v and %d states, want none and at least 10⁸", r.Broken, r.Trace, r.States)
		}
	}
}

// Without one of its checks the protocol breaks a property, and the model finds it.
func TestPlantedFlawsAreFound(t *testing.T) {
	for _, c := range []struct {
		name   string
		flaws  Flaws
		broken []Violation
	}{
		{"acknowledgements newer than a waiting correction are taken", Flaws{AckPastFix: true}, []Violation{Replayed, Stuck}},
		// Either check alone keeps a correction from being older than an acknowledgement.
		{"held corrections acknowledge newer moves, and old corrections are taken",
			Flaws{AckWhileCorrecting: true, OldCorrections: true}, []Violation{Replayed, Stuck}},
		{"datagrams of an old connection are taken", Flaws{OldConnections: true}, []Violation{Doubled, Stuck}},
		{"moves that were run are queued again", Flaws{PassedMoves: true}, []Violation{Doubled, Stuck}},
		{"a correction is sent once", Flaws{NoRepeat: true}, []Violation{Stuck}},
		{"claims are not tested", Flaws{NoTest: true}, []Violation{Stuck}},
		{"a client that comes back sends again what was run", Flaws{KeptMoves: true}, []Violation{Stuck, Doubled}},
	} {
		r := Explore(Bounds{2, 2, 2, 1, 2, 0}, c.flaws, 0)
		t.Logf("%s: %q after %d steps, %d states", c.name, r.Broken, len(r.Trace), r.Players)
		found := false
		for _, b := range c.broken {
			found = found || r.Broken == b
		}
		if !found {
			t.Errorf("%s: got %q, want one of %q", c.name, r.Broken, c.broken)
		}
	}
}
