package splitview

import (
	"math"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// pageFrame is a frame as the page reads it: web/src/split/frame.ts, by hand.
type pageFrame struct {
	time, behind, late, youSeeLate, roundTrip clock.Micros
	corrections                               int
	views                                     Picture
	packets                                   []Packet
	events                                    []Event
}

// readFrame reads a frame, and fails where it has more or fewer numbers.
func readFrame(t *testing.T, b []float64) (f pageFrame) {
	t.Helper()
	next := func() float64 {
		if len(b) == 0 {
			t.Fatal("the frame ends early")
		}
		v := b[0]
		b = b[1:]
		return v
	}
	count := func() int { return int(next()) }
	is := func() bool { return next() == 1 }
	at := func() clock.Micros { return clock.Micros(math.Round(next() * 1000)) }
	vec := func() geom.Vec3 { return geom.V(next(), next(), next()) }
	f.time, f.behind, f.late, f.youSeeLate, f.roundTrip, f.corrections = at(), at(), at(), at(), at(), count()
	f.packets, f.events = make([]Packet, count()), make([]Event, count())
	for v := range f.views {
		for i := range f.views[v] {
			f.views[v][i] = Figure{vec(), vec(), next(), next(), is()}
		}
	}
	for i := range f.packets {
		f.packets[i] = Packet{count(), is(), count(), count(), at(), at(), is(), count()}
	}
	for i := range f.events {
		e := Event{Kind: count(), Player: count(), At: at(), From: vec(), To: vec(), Hit: is(), Agrees: is(), Ago: at(), Moved: next(), Pushed: is()}
		e.Ghost = Figure{Position: vec(), Yaw: next(), Present: is()}
		f.events[i] = e
	}
	if len(b) > 0 {
		t.Fatalf("the frame has %d numbers more", len(b))
	}
	return f
}

// What the page reads of a frame is the match: its packets and events, whole and in order, what the three see at the
// time that is drawn, and your corrections but for pushes.
func TestThePageReadsTheMatch(t *testing.T) {
	m := newMatch(t, 75, 30, 0.1, 4)
	first := readFrame(t, m.AppendFrame(nil))
	mispredicted, kinds, hits := first.corrections, map[int]int{}, 0
	for range 60 * stepRate {
		m.step(nil)
		m.shown = m.now
		packets, events, after := slices.Clone(m.packets), slices.Clone(m.events), m.after
		f := readFrame(t, m.AppendFrame(nil))
		for i := range events {
			// The page draws a ghost where it stood, and nothing else of it.
			e := &events[i]
			e.Ghost = Figure{Position: e.Ghost.Position, Yaw: e.Ghost.Yaw, Present: e.Ghost.Present}
			if kinds[e.Kind]++; e.Kind == Corrected && e.Player == 0 && !e.Pushed {
				mispredicted++
			}
			if e.Hit {
				hits++
			}
		}
		if !slices.Equal(f.packets, packets) || !slices.Equal(f.events, events) {
			t.Fatalf("at %v: the page reads\n%+v\n%+v\nwant\n%+v\n%+v", m.now, f.packets, f.events, packets, events)
		}
		for v := range f.views {
			for i := range f.views[v] {
				if !near(f.views[v][i], after[v][i]) {
					t.Fatalf("at %v: view %d, player %d: the page reads %+v, want %+v", m.now, v, i, f.views[v][i], after[v][i])
				}
			}
		}
		if f.time != m.now || f.corrections != mispredicted {
			t.Fatalf("at %v: the page reads the time %v and %d corrections, want %d", m.now, f.time, f.corrections, mispredicted)
		}
	}
	t.Logf("events by kind: %v, %d hits; %d corrections without pushes", kinds, hits, mispredicted)
	for kind := range 5 {
		if kinds[kind] == 0 {
			t.Errorf("no event of kind %d in a minute", kind)
		}
	}
}

// In slow motion everybody glides: a frame a quarter of a step later shows each figure of each view a quarter of the
// way further, so four frames make the same way as a step.
func TestSlowMotionGlides(t *testing.T) {
	const parts = 4
	m := newMatch(t, 75, 0, 0, 4)
	m.shown = clock.TickTime(m.steps, stepRate)
	for range 5 * stepRate {
		from, begin := m.after, m.now
		end := clock.TickTime(m.steps+1, stepRate)
		for k := 1; k <= parts; k++ {
			at := begin + (end-begin)*clock.Micros(k)/parts
			m.Advance(at-m.shown, nil)
			f := readFrame(t, m.AppendFrame(nil))
			share := float64(at-begin) / float64(end-begin)
			for v := range f.views {
				for i, got := range f.views[v] {
					a, b := from[v][i], m.after[v][i]
					want := a.Position.Add(b.Position.Sub(a.Position).Mul(share))
					if got.Position.Dist(want) > 1e-4 || f.time != at {
						t.Fatalf("view %d, player %d, %v after the step at %v: got %v at %v, want %v, %.2f of the way from %v to %v",
							v, i, at-begin, begin, got.Position, f.time, want, share, a.Position, b.Position)
					}
				}
			}
		}
	}
}

// A figure between two steps, by hand: it moves and turns by the share, the short way round, and is as fast as after
// the step. One that was put elsewhere, or was not to be seen before, is there at once.
func TestAFigureBetweenTwoSteps(t *testing.T) {
	figure := func(x, yaw, air float64, present bool) Figure {
		return Figure{geom.V(x, 0, 0), geom.V(0, x, 0), yaw, air, present}
	}
	between := func(a, b Figure) Figure { return between(&a, &b, 0.25) }
	for _, c := range []struct {
		what      string
		got, want Figure
	}{
		{"moves", between(figure(1, 0, 0, true), figure(2, 0.4, 1, true)), Figure{geom.V(1.25, 0, 0), geom.V(0, 2, 0), 0.1, 1, true}},
		{"at most two metres", between(figure(1, 0, 0, true), figure(3, 0, 0, true)), Figure{geom.V(1.5, 0, 0), geom.V(0, 3, 0), 0, 0, true}},
		{"was put elsewhere", between(figure(1, 0, 0, true), figure(3.1, 1, 0, true)), figure(3.1, 1, 0, true)},
		{"appears", between(figure(1, 0, 0, false), figure(2, 1, 0, true)), figure(2, 1, 0, true)},
		{"goes", between(figure(1, 0, 0, true), figure(1, 0, 0, false)), figure(1, 0, 0, false)},
	} {
		if !near(c.got, c.want) {
			t.Errorf("a figure that %s: got %+v, want %+v", c.what, c.got, c.want)
		}
	}
	half := between(figure(0, math.Pi-0.1, 0, true), figure(0, 0.3-math.Pi, 0, true))
	if math.Abs(geom.WrapAngle(half.Yaw-math.Pi)) > 1e-6 {
		t.Errorf("a figure that turns over π: got %v a quarter of the way from π − 0.1 to π + 0.3, want π", half.Yaw)
	}
}

// near reports whether two figures are equal but for rounding.
func near(a, b Figure) bool {
	return a.Position.Dist(b.Position) < 1e-9 && a.Velocity == b.Velocity && math.Abs(geom.WrapAngle(a.Yaw-b.Yaw)) < 1e-9 && a.Air == b.Air && a.Present == b.Present
}

// However slowly they join, everybody sees everybody in the first frame.
func TestTheFirstFrameIsComplete(t *testing.T) {
	for _, n := range [][2]int{{0, 0}, {500, 0}, {500, 500}} {
		m := newMatch(t, n[0], n[1], 0.2, 8)
		f := readFrame(t, m.AppendFrame(nil))
		for v := range f.views {
			for i, one := range f.views[v] {
				if !one.Present {
					t.Errorf("%d ms and %d ms of jitter: view %d does not show player %d", n[0], n[1], v, i)
				}
			}
		}
		if len(f.packets)+len(f.events) > 0 {
			t.Errorf("%d ms: %d packets and %d events of the time before", n[0], len(f.packets), len(f.events))
		}
		if want := clock.Micros(2*n[0]) * clock.Millisecond; f.roundTrip < want {
			t.Errorf("%d ms: a round trip of %v, want %v at least", n[0], f.roundTrip, want)
		}
	}
}

// When a screen drew what a view shows of it, by hand: between two moves by share, after the newest as long after it,
// and of a view older than all that are kept nothing is known.
func TestWhenAViewWasDrawn(t *testing.T) {
	var few, many moveLog
	few.add(100, 90)
	few.add(200, 195)
	for i := range clock.Micros(300) {
		many.add(10*i, 10*i-5)
	}
	for _, c := range []struct {
		log        *moveLog
		view, want clock.Micros
	}{{&few, 100, 90}, {&few, 150, 142}, {&few, 200, 195}, {&few, 230, 225}, {&many, 2990, 2985}, {&many, 2999, 2994}, {&many, 1004, 999}, {&many, 100, 100}} {
		if got := c.log.drawnAt(c.view); got != c.want {
			t.Errorf("of %d moves, a view of %d: got %d, want %d", c.log.count, c.view, got, c.want)
		}
	}
}
