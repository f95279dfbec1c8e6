package predict

import (
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// traced is the toy, telling in which order it is asked for what.
type traced struct {
	toy
	order *[]string
}

func (g traced) Step(s *toyState, c *toyCommand) {
	*g.order = append(*g.order, "step")
	g.toy.Step(s, c)
}

func (g traced) Combine(start, between *toyState, first, second *toyCommand) bool {
	*g.order = append(*g.order, "combine")
	return g.toy.Combine(start, between, first, second)
}

func (g traced) Differ(predicted, truth *toyState, into []Difference) []Difference {
	*g.order = append(*g.order, "differ")
	return into
}

// What a frame does, in order. A move is saved only after it was simulated; replays come before the new
// input and send nothing. [CMD-03, CMD-08, CMB-11, ACK-10, SRV-04]
func TestOrderOfAFrame(t *testing.T) {
	var order []string
	o := NewOwner[toyState, toyInput](traced{toy{}, &order}, toyState{Vel: geom.V(6, 0, 0)})
	stamp := clock.Second
	frame := func(in toyInput) {
		stamp += 16680
		o.Advance(stamp, 16680, in)
	}
	for _, c := range []struct {
		name, want string
		unacked    int
		do         func()
	}{
		{"the first frame", "step", 1, func() { frame(toyInput{X: 1}) }},
		{"one that joins it", "combine step", 1, func() { frame(toyInput{X: 1}) }},
		{"one that cannot: could it with the same input?", "combine combine step", 2, func() { frame(toyInput{Z: 1}) }},
		{"sending", "", 2, func() { sealed(o, 100) }},
		{"one after that", "step", 3, func() { frame(toyInput{Z: 1}) }},
		{"a correction of the first move comes", "differ", 2, func() {
			o.Receive(&toyVerdict{Number: 1, Correction: true, Epoch: 1})
		}},
		{"the frame after it", "step step step", 3, func() { frame(toyInput{Z: 1}) }},
		{"it is settled before the next", "", 3, func() { o.ApplyCorrection() }},
		{"no time passes", "", 3, func() { o.Advance(stamp, 0, toyInput{}) }},
	} {
		order = nil
		sent := o.Counters().Sent + o.Counters().Resent
		c.do()
		if got := strings.Join(order, " "); got != c.want || o.Unacked() != c.unacked {
			t.Errorf("%s: %q, %d saved; want %q, %d", c.name, got, o.Unacked(), c.want, c.unacked)
		}
		if now := o.Counters().Sent + o.Counters().Resent; now != sent && c.name != "sending" {
			t.Errorf("%s: %d moves were sent", c.name, now-sent)
		}
	}
}

// The slot of a saved move is used again, and nothing of the former move is left in it. [CMD-01, CMD-04]
func TestSlotsOfSavedMovesAreReused(t *testing.T) {
	o := newToyOwner(toyState{Ammo: 9})
	for n := range uint32(3 * ownerMoves) {
		o.Advance(clock.Second+clock.Micros(n)*16680, 16680, toyInput{X: 1, Fire: n%7 == 0})
		m := o.slot(n + 1)
		if m.Number != n+1 || m.sends != 0 || m.after != o.end(o.State()) || m.Input.Fire != (n%7 == 0) {
			t.Fatalf("move %d is saved as %+v", n+1, *m)
		}
		for range n % 4 {
			sealed(o, 1000)
		}
		o.Receive(&toyVerdict{Number: n})
	}
	if c := o.Counters(); c.Dropped != 0 || c.Acked != 3*ownerMoves-1 {
		t.Errorf("%+v", c)
	}
}

// CMD-05, GAP-22: 240 moves a second that nobody answers: by time, not by count, and
// the newest half stays; answers to what was dropped are still worth something.
func TestOverflowByTime(t *testing.T) {
	for _, fps := range []clock.Micros{20, 60, 240} {
		o := newToyOwner(toyState{})
		d := clock.Second / fps
		most := 0
		for i := range 6 * fps {
			o.Advance(clock.Second+i*d, d, toyInput{X: 1})
			most = max(most, o.Unacked())
		}
		if long := clock.Micros(most) * d; long > 2*clock.Second+2*d || long < 1900*clock.Millisecond {
			t.Errorf("%d moves a second: up to %d saved", fps, most)
		}
		o.Receive(&toyVerdict{Number: 2, Correction: true, Epoch: 1, State: toyState{Ammo: 4}})
		n := o.Unacked()
		o.ApplyCorrection()
		if c := o.Counters(); c.Corrections != 1 || c.Replayed != n || o.State().Ammo != 4 || n == 0 {
			t.Errorf("%d moves a second: corrected at a move that was dropped: %+v", fps, c)
		}
	}
}
