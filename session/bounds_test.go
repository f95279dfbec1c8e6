package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
)

// taken floods a server with packets of one kind in one tick, and returns how many were taken before the peer
// was kicked; all of them if it never was.
func taken(r *simulation, peer session.Peer, ch session.Channel, packet []byte, n int) int {
	for i := range n {
		if err := r.m.Receive(peer, ch, r.now(), packet); err != nil && err.Error() == "session: kicked" {
			return i
		}
	}
	return n
}

// rawShotDebugRequest asks by what the server judged the shot of a command.
func rawShotDebugRequest(command byte) []byte { return []byte{7, command, 0, 0, 0} }

// THR-68: nothing that a client may send is free, whatever it is: of 5,000 at once a part is taken, then the
// client is kicked. Probes of the transport and requests for a ShotDebug went on for ever before.
func TestEverythingThatAClientSendsIsBounded(t *testing.T) {
	var seen []string
	for _, c := range []struct {
		what   string
		ch     session.Channel
		packet []byte
		most   int
	}{
		{"empty datagrams", session.Datagram, nil, 1200},
		{"probes", session.Datagram, []byte{0}, 1200},
		{"headers", session.Datagram, rawHeader(1, 0, 0, false), 1200},
		{"noise", session.Datagram, []byte{0xff, 0xff}, 200},
		{"requests for a ShotDebug", session.Stream, rawShotDebugRequest(1), 401}, // the last one kicks it
	} {
		r := newSimulation(t, session.ServerConfig{})
		r.playing(2)
		n := taken(r, 1, c.ch, c.packet, 5000)
		if n > c.most {
			t.Errorf("%s: %d of 5,000 are taken, want at most %d", c.what, n, c.most)
		}
		seen = append(seen, fmt.Sprintf("%s %d", c.what, n))
		r.run(1)
		if got := len(r.m.Players(nil)); got != 1 {
			t.Errorf("%s: %d players are left, want the honest one", c.what, got)
		}
	}
	figures.Check(t, "taken", 0, "of 5,000 at once are taken before the client is kicked: %s", strings.Join(seen, ", "))
}

// THR-68: requests for a ShotDebug over their limit are counted for the host's figures, and so are probes.
func TestWhatIsIgnoredIsCounted(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	r.playing(1)
	before := r.traffic(1)
	for range 100 {
		r.m.Receive(1, session.Stream, r.now(), rawShotDebugRequest(1))
		r.m.Receive(1, session.Datagram, r.now(), []byte{0})
	}
	got := r.traffic(1)
	if n := got.Ignored; n != 60 {
		t.Errorf("%d of 100 requests are ignored, want 60", n)
	}
	if messages, probes := got.MessagesIn-before.MessagesIn, got.DatagramsIn-before.DatagramsIn; messages != 100 || probes != 100 {
		t.Errorf("%d messages and %d probes are counted, want 100 each", messages, probes)
	}
}

// THR-68: a peer that waits in line keeps its place through a few datagrams, and loses it by many.
func TestDatagramsFromTheLine(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 1, Queue: 2})
	r.playing(1)
	eve, bob := r.join("Eve", session.Key{}), r.join("Bob", session.Key{})
	r.run(6)
	if eve.QueuePlace() != 1 || bob.QueuePlace() != 2 {
		t.Fatalf("places %d and %d, want 1 and 2", eve.QueuePlace(), bob.QueuePlace())
	}
	if n := taken(r, eve.peer, session.Datagram, []byte{0}, 50); n != 50 {
		t.Errorf("%d of 50 stray datagrams are taken, want all, and that it keeps its place", n)
	}
	if n := taken(r, eve.peer, session.Datagram, []byte{0}, 5000); n > 200 {
		t.Errorf("%d datagrams of 5,000 are taken, want at most 200", n)
	}
	r.run(6)
	if got := bob.QueuePlace(); got != 1 {
		t.Errorf("who stood behind is in place %d, want 1", got)
	}
}
