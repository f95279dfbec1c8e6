package remote

import (
	"math"
	"slices"
	"testing"

	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// pile is a pit of 48 balls on both ends, and an onlooker with so many frames a second.
func pile(t testing.TB, rate int) *linked {
	d := newLinked(hall(t, 1.6), BodyRules{Time: 200 * ms})
	d.way, d.frame = 40*ms, clock.TickTime(1, rate)
	for i := range 48 {
		b := rubberBall
		b.Position = geom.V(float64(i%4)*.7-1.05, .3+.55*float64(i/16), float64(i/4%4)*.7-1.05)
		b.Rolling = .05
		d.add(b)
	}
	return d
}

// A pile through which a character wades does not jitter for an onlooker, at any frame rate:
// corrected one by one, its balls would be put into each other. [RIG-10]
func TestAPileIsAsCalmAsOnTheServer(t *testing.T) {
	for _, rate := range []int{30, 60, 144} {
		d := pile(t, rate)
		d.other = func(now clock.Micros) geom.Vec3 {
			s := now.Seconds()
			return geom.V(math.Sin(2*s), 0, math.Cos(1.3*s))
		}
		var off, moved []float64
		d.play(10*clock.Second, func() {
			if d.now < 2*clock.Second {
				return
			}
			for i, m := range d.missing() {
				if off = append(off, m); d.server.Motion(d.ids[i]).Velocity.Len() > .2 {
					moved = append(moved, m)
				}
			}
		})
		slices.Sort(off)
		slices.Sort(moved)
		s := d.bodies.Stats()
		t.Logf("%d frames a second: off by %.4f m in the middle, %.3f m at most; the %d %% that move by %.4f m; states by %.4f m RMS; %d snaps",
			rate, off[len(off)/2], off[len(off)-1], 100*len(moved)/len(off), moved[len(moved)/2], s.RMS(), s.Snaps)
		if moved[len(moved)/2] > .05 || off[len(off)-1] > 1 || s.Snaps != 0 || s.RMS() > .02 {
			t.Errorf("%d frames a second: want 5 cm in the middle, 1 m at most, no snaps and states within 2 cm", rate)
		}
	}
}

// Bodies that sleep on the server sleep on the client, beside a pile that is stirred too.
func TestASleepingPileSleepsOnTheClient(t *testing.T) {
	d := pile(t, 144)
	d.play(8*clock.Second, func() {})
	asleep := func() (n, resting int) {
		for i, b := range d.bodies.Drawn() {
			if d.server.Motion(d.ids[i]).Asleep {
				if resting++; b.Asleep {
					n++
				}
			}
		}
		return n, resting
	}
	if n, resting := asleep(); n != resting || resting != len(d.ids) {
		t.Fatalf("%d of %d sleep, on the server %d", n, len(d.ids), resting)
	}
	hash := d.bodies.physics.(*rigid.World).Hash()
	d.play(9*clock.Second, func() {})
	if d.bodies.physics.(*rigid.World).Hash() != hash {
		t.Error("the pile stirred while the server's slept")
	}
	// A character comes and goes in a corner.
	d.other = func(now clock.Micros) geom.Vec3 { return geom.V(-1.2, 3*(11-now.Seconds()), -1.2) }
	d.play(10500*ms, func() {})
	d.other = nil
	d.play(18*clock.Second, func() {})
	if n, resting := asleep(); n != resting || resting != len(d.ids) {
		t.Errorf("after that %d of %d sleep, on the server %d", n, len(d.ids), resting)
	}
}

// The player's own bodies are unchanged by a replay of the others.
func TestAReplayLeavesThePlayersBodies(t *testing.T) {
	b, _ := space(BodyRules{})
	for i, x := range []float64{0, .5, 5} {
		b.Receive([]track.Entity{bodyState(track.ID(140+i), 10*ms, geom.V(x, 0, 0), geom.Vec3{})}, 10*ms)
	}
	b.play(100 * ms)
	mine := b.physics.Motion(b.list[2].body)
	b.list[2].predictedUntil = clock.Second
	b.Receive([]track.Entity{bodyState(140, 60*ms, geom.V(-.1, 0, 0), geom.V(-1, 0, 0))}, 100*ms)
	b.saveMotions()
	if !b.replays(100 * ms) {
		t.Fatal("no pile")
	}
	b.replay(100 * ms)
	if m := b.physics.Motion(b.list[2].body); m != mine {
		t.Errorf("the player's is at %v, was at %v", m.Position, mine.Position)
	}
	want := -.1 - (b.now - 60*ms).Seconds()
	if x := b.physics.Motion(b.list[0].body).Position.X; math.Abs(x-want) > .002 {
		t.Errorf("the other is at %v m, want %v: on at 1 m/s since 60 ms", x, want)
	}
	if n := testing.AllocsPerRun(50, func() { b.replay(b.now) }); n != 0 {
		t.Errorf("got %v allocations a replay, want 0", n)
	}
}

// A state that is late, of another instant than the others', or of now: none is lost. [RIG-01]
func TestStatesOfDifferentInstantsAreReplayed(t *testing.T) {
	b, _ := space(BodyRules{})
	for i := range 4 {
		b.Receive([]track.Entity{bodyState(track.ID(140+i), 10*ms, geom.V(.5*float64(i), 0, 0), geom.Vec3{})}, 10*ms)
	}
	b.play(500 * ms)
	at := []clock.Micros{b.now - clock.Second/3, b.now - 60*ms, b.now - 20*ms, b.now}
	for i, at := range at {
		b.Receive([]track.Entity{bodyState(track.ID(140+i), at, geom.V(.5*float64(i), 0, 0), geom.V(0, 1, 0))}, b.now)
	}
	b.saveMotions()
	b.replay(b.now)
	for i, at := range at {
		m := b.physics.Motion(b.list[i].body)
		want := min(b.now-at, 2*b.rules.PingLimit).Seconds()
		if math.Abs(m.Position.Y-want) > .02 || math.Abs(m.Velocity.Y-1) > .1 {
			t.Errorf("sent %v ms ago: %.3f m up at %.2f m/s, want %.3f m at 1 m/s", (b.now-at).Seconds()*1000, m.Position.Y, m.Velocity.Y, want)
		}
	}
}
