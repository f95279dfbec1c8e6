package main

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// correctionEvent is an EventCorrection as a page reads it.
type correctionEvent struct {
	cause, known byte
	distance     float64
	replayed     int
	fields       map[string]float64
}

func readCorrection(b []byte) correctionEvent {
	f32 := func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
	c := correctionEvent{b[0], b[1], f32(b[2:]), int(binary.LittleEndian.Uint16(b[6:])), map[string]float64{}}
	count := int(b[8])
	for b = b[9:]; len(b) > 0; count-- {
		n := 1 + int(b[0])
		c.fields[string(b[1:n])] = f32(b[n:])
		b = b[n+4:]
	}
	if count != 0 {
		c.fields["more fields than were counted"] = float64(count)
	}
	return c
}

// ACK-14: each correction is reported once, in the frame that applied it, with its cause
// and the fields that were not as predicted.
func TestCorrectionsAreReportedWithTheirCause(t *testing.T) {
	p := newPage(t)
	p.hello("Ann", "", "floor")
	p.run(clock.Second)
	id := session.PlayerID(stateBlock[StateSelf])
	if n := len(p.events[EventCorrection]); n != 1 || p.events[EventCorrection][0][0] != CauseTeleport {
		t.Fatalf("after joining %d corrections are reported, want the one that placed the player", n)
	}
	p.match.Modify(id, func(h *arena.Hero) { h.Velocity = geom.V(3, 0, 0) })
	p.run(clock.Second)
	if n := len(p.events[EventCorrection]); n != 2 {
		t.Fatalf("after a push %d corrections are reported, want 2", n)
	}
	push := readCorrection(p.events[EventCorrection][1])
	if by := push.fields["velocity"]; push.cause != CauseServerForce || push.known != 1 || by < 1 || by > 3 {
		t.Errorf("the push: %+v, want altered, known, velocity 3 m/s less the friction", push)
	}
	h, _ := p.match.State(id)
	h.Position = h.Position.Add(geom.V(0, 0, -4))
	p.match.SetState(id, h)
	p.run(clock.Second)
	moved := readCorrection(p.events[EventCorrection][2])
	if moved.cause != CauseTeleport || math.Abs(moved.distance-4) > .1 || math.Abs(moved.fields["position"]-moved.distance) > 1e-6 {
		t.Errorf("the move: %+v, want placed, 4 m in position", moved)
	}
	for cause, want := range [Causes]float64{CauseTeleport: 2, CauseServerForce: 1} {
		if got := stateBlock[CauseBase+cause]; got != want {
			t.Errorf("cause %d: counted %v times, want %v", cause, got, want)
		}
	}
}

// A new session reports all of its own corrections and no others.
func TestANewSessionReportsOnlyItsOwnCorrections(t *testing.T) {
	p := newPage(t)
	p.hello("Ann", "", "floor")
	p.run(clock.Second)
	key := p.events[EventResume][0]
	lost(float64(p.now))
	p.match.Disconnect(p.peer)
	p.peer, p.events = 2, map[byte][][]byte{}
	p.hello("Ann", string(key[1:]), "floor")
	p.run(clock.Second)
	if n := len(p.events[EventCorrection]); n != 1 {
		t.Errorf("%d corrections are reported, want the one that placed the player", n)
	}
}

// The page's slider: the server applies the requested input delay, in the next session too.
func TestInputDelayIsApplied(t *testing.T) {
	p := newPage(t)
	defer setInputDelay(0)
	setInputDelay(-5) // before there is anybody to ask
	p.hello("Ann", "", "floor")
	p.run(clock.Second)
	granted := func(want clock.Micros) {
		t.Helper()
		if got := p.match.Players(nil)[0].Delay; got != want || stateBlock[StateInputDelay] != want.Seconds() {
			t.Errorf("the server holds moves for %d µs, the page shows %v s; want %d µs", got, stateBlock[StateInputDelay], want)
		}
	}
	granted(0)
	setInputDelay(120)
	p.run(2 * clock.Second)
	granted(120 * clock.Millisecond)
	setInputDelay(9999)
	p.run(2 * clock.Second)
	granted(250 * clock.Millisecond)
	lost(float64(p.now))
	p.match.Disconnect(p.peer)
	p.peer = 2
	p.hello("Ann", "", "floor")
	p.run(2 * clock.Second)
	if got := p.match.Players(nil); got[len(got)-1].Delay != 250*clock.Millisecond {
		t.Errorf("in the next session the server holds moves for %d µs, want 250 ms", got[len(got)-1].Delay)
	}
}

// The figures of the line are there, and are what the session says.
func TestThePageSeesTheLinkQuality(t *testing.T) {
	p := newPage(t)
	p.hello("Ann", "", "floor")
	p.run(3 * clock.Second)
	p.now += clock.Second / 60
	frame(float64(p.now))
	n, s := core.player.Stats(), &stateBlock
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"bars", s[StateQuality], float64(clock.Fine)},
		{"datagrams up", s[StateDatagramsUp], float64(n.Out.Datagrams)},
		{"datagrams down", s[StateDatagramsDown], float64(n.In.Datagrams)},
		{"moves made and frames combined", s[StateMoves] + s[StateCombined], float64(n.Moves.Made + n.Moves.Combined)},
		{"moves sent", s[StateSent], float64(n.Moves.Sent)},
		{"moves sent again", s[StateResent], float64(n.Moves.Resent)},
		{"way up and down", s[StateDelayUp] + s[StateDelayDown], s[StateRTT]},
		{"warning", s[StateHighPing], 0},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
	if s[StateDatagramsUp] < 150 || s[StateSent] < 150 {
		t.Errorf("in 3 s: %v datagrams up, %v moves sent", s[StateDatagramsUp], s[StateSent])
	}
}

// A page with a wall in its level that the server's lacks stops where the server goes
// on: each correction says that the prediction was wrong, where, and by how much.
func TestAMispredictionIsReportedWithItsFields(t *testing.T) {
	p := newPage(t)
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(30, 1, 30), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1, 3), geom.V(5, 1, .2), geom.IdentityQuat, collide.Surface{})
	other, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	load(t, other.AppendBinary(nil))
	p.hello("Ann", "", "floor")
	p.run(clock.Second)
	inputBlock[InputForward] = 1
	p.run(clock.Second)
	inputBlock[InputForward] = 0
	named, all := 0, p.events[EventCorrection][1:]
	for _, body := range all {
		c := readCorrection(body)
		if c.cause != CauseMisprediction || c.known != 1 {
			t.Errorf("%+v, want mistaken", c)
		}
		if c.distance > 0.017 && c.fields["position"] == c.distance && c.fields["velocity"] > 0 {
			named++
		}
	}
	if named == 0 || float64(len(all)) != stateBlock[CauseBase+CauseMisprediction] || stateBlock[StateCorrection] < 0.017 {
		t.Errorf("%d corrections are reported, %d of them with position and velocity, %v are counted, the largest %.3f m",
			len(all), named, stateBlock[CauseBase+CauseMisprediction], stateBlock[StateCorrection])
	}
}
