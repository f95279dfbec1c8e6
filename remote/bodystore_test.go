package remote

import (
	"math"
	"strings"
	"testing"

	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// recorder is a solver that records its calls.
type recorder struct {
	*rigid.World
	calls []string
}

func (s *recorder) Set(id rigid.ID, m rigid.Motion) {
	s.calls = append(s.calls, "set")
	s.World.Set(id, m)
}

func (s *recorder) Step(d, at clock.Micros, p []rigid.Pusher) {
	s.calls = append(s.calls, "step")
	s.World.Step(d, at, p)
}

// bodyState returns a state of a ball.
func bodyState(id track.ID, at clock.Micros, position, velocity geom.Vec3) track.Entity {
	return track.Entity{ID: id, Sample: track.Sample{
		At:       at,
		GameData: track.GameData{Kind: ballKind, Life: 1},
		Pose:     track.Pose{Position: position, Velocity: velocity},
	}}
}

// space returns bodies in empty space without gravity.
func space(rules BodyRules) (*Bodies, *recorder) {
	s := &recorder{World: rigid.New(nil, rigid.Config{Gravity: -1})}
	return NewBodies(s, rules, shapeOf), s
}

// play runs frames of 60 a second up to an instant; no character pushes.
func (b *Bodies) play(until clock.Micros) {
	for b.now < until {
		b.Step(b.now+clock.Second/60, 0, nil)
	}
}

// A body's entry holds its newest state, stamp and arrival. The first one makes the body, older
// ones change nothing, and bodies of removed entities are removed. [RIG-01]
func TestTheTargetStore(t *testing.T) {
	b, _ := space(BodyRules{})
	b.Receive([]track.Entity{bodyState(140, 100*ms, geom.V(.1, 0, 0), geom.Vec3{}), bodyState(150, 100*ms, geom.V(5, 0, 0), geom.Vec3{}),
		{ID: 145, Sample: track.Sample{GameData: track.GameData{Kind: 77}}}}, 140*ms)
	if len(b.list) != 2 || b.list[0].id != 140 || b.list[0].stateAt != 100*ms || b.list[0].receivedAt != 140*ms {
		t.Fatalf("after the first states: %d bodies", len(b.list))
	}
	b.Step(150*ms, 0, nil)
	if at := b.Drawn()[0].Position; at.Dist(geom.V(.1, 0, 0)) > 1e-9 {
		t.Errorf("drawn at %v, want where its state says", at)
	}
	b.Receive([]track.Entity{bodyState(140, 120*ms, geom.V(.2, 0, 0), geom.Vec3{})}, 160*ms)
	b.Receive([]track.Entity{bodyState(140, 110*ms, geom.V(.9, 0, 0), geom.Vec3{})}, 170*ms) // overtaken
	if h := &b.list[0]; h.stateAt != 120*ms || h.state.Position.X != .2 || h.receivedAt != 160*ms {
		t.Errorf("after a newer and an older state: %+v", h.state)
	}
	entities := []track.Entity{{ID: 140}, {ID: 150}}
	b.Retain(entities)
	b.Retain(entities[1:])
	b.Step(180*ms, 0, nil)
	if d := b.Drawn(); len(d) != 1 || d[0].ID != 150 {
		t.Errorf("after 140 is removed: %v", d)
	}
	// A body that no frame has shown yet stays for a second.
	b.Receive([]track.Entity{bodyState(160, 200*ms, geom.V(9, 0, 0), geom.Vec3{})}, 200*ms)
	for _, c := range []struct {
		at   clock.Micros
		want int
	}{{900 * ms, 2}, {1300 * ms, 1}} {
		b.play(c.at)
		b.Retain(entities[1:])
		if len(b.list) != c.want {
			t.Errorf("at %v s: %d bodies, want %d", c.at.Seconds(), len(b.list), c.want)
		}
	}
	// Another life is another body; a teleport is drawn at once.
	next := bodyState(150, 2*clock.Second, geom.V(1, 1, 1), geom.Vec3{})
	next.Life++
	b.Receive([]track.Entity{next}, 2*clock.Second)
	next.At, next.Teleport, next.Position = 2100*ms, 1, geom.V(2, 2, 2)
	b.Receive([]track.Entity{next}, 2100*ms)
	b.Step(2100*ms, 0, nil)
	if d := b.Drawn(); len(d) != 1 || d[0].Position.Dist(next.Position) > 1e-9 || b.Stats().Snaps != 0 {
		t.Errorf("after a jump: %+v", d)
	}
}

// A state that arrived and differs is applied before the physics step, once: the body is set to the
// state, and to the result of the replay. [RIG-02, RIG-08]
func TestTargetsComeBeforeTheStep(t *testing.T) {
	b, s := space(BodyRules{})
	b.Receive([]track.Entity{bodyState(140, 10*ms, geom.Vec3{}, geom.Vec3{})}, 10*ms)
	b.Step(20*ms, 0, nil)
	b.Receive([]track.Entity{bodyState(140, 20*ms, geom.V(1, 0, 0), geom.Vec3{})}, 30*ms)
	s.calls = nil
	for i := range 3 {
		b.Step(30*ms+clock.Micros(i)*16*ms, 0, nil)
	}
	if got, want := strings.Join(s.calls, " "), "set set step step step"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A body more than 4 m away is put in place at once, one 4 m away is not. [RIG-06, RIG-08]
func TestHardSnaps(t *testing.T) {
	for _, far := range []float64{4, 4.01} {
		b, _ := space(BodyRules{})
		b.Receive([]track.Entity{bodyState(140, 10*ms, geom.Vec3{}, geom.Vec3{})}, 10*ms)
		b.Step(20*ms, 0, nil)
		b.Receive([]track.Entity{bodyState(140, 20*ms, geom.V(far, 0, 0), geom.Vec3{})}, 30*ms)
		b.Step(36*ms, 0, nil)
		at, snaps := b.Drawn()[0].Position.X, b.Stats().Snaps
		if hard := far > 4; hard != (snaps == 1) || hard != (math.Abs(at-far) < .01) {
			t.Errorf("%v m away: drawn at %.3f, %d snaps", far, at, snaps)
		}
	}
}

// A body whose place is in a wall that only the client has is pushed out of it again and again.
// Nothing is left to approach, so after half a second it is drawn there. [RIG-06]
func TestStuckBodiesAreFreed(t *testing.T) {
	var builder collide.Builder
	builder.Box(geom.V(1.1, 0, 0), geom.V(1, 2, 2), geom.IdentityQuat, collide.Surface{})
	wall, err := builder.Bake()
	if err != nil {
		t.Fatal(err)
	}
	b := NewBodies(rigid.New(wall, rigid.Config{Gravity: -1}), BodyRules{}, shapeOf)
	freed := clock.Micros(0)
	for frame := int64(0); freed == 0 && frame < 120; frame++ {
		at := clock.TickTime(frame, 60)
		if frame%6 == 0 { // ten states a second
			x := -.4
			if at > 100*ms {
				x = .4
			}
			b.Receive([]track.Entity{bodyState(140, at, geom.V(x, 0, 0), geom.Vec3{})}, at)
		}
		b.Step(at, 0, nil)
		if b.Stats().Stuck > 0 {
			freed = at
		}
	}
	if freed < 600*ms || freed > 850*ms || b.Drawn()[0].Position.X < .3 {
		t.Errorf("freed after %v s, drawn at %v; want half a second after 0.2 s", freed.Seconds(), b.Drawn()[0].Position)
	}
}

// The error that a state reveals disappears from the drawn body with the time constant, whatever the
// frame rate: half of it in 600 ms · ln 2 = 416 ms. The body itself is in its place at once, with the
// server's velocity. [RIG-05, RIG-10, GAP-27]
func TestTheDrawnBodyFollowsAtEveryFrameRate(t *testing.T) {
	for _, rate := range []int{30, 60, 120, 144} {
		b, _ := space(BodyRules{})
		b.Receive([]track.Entity{bodyState(140, 10*ms, geom.Vec3{}, geom.Vec3{})}, 10*ms)
		frame, at := clock.TickTime(1, rate), 20*ms
		b.Step(at, 0, nil)
		b.Receive([]track.Entity{bodyState(140, 15*ms, geom.V(1, 0, 0), geom.Vec3{})}, at)
		half := clock.Micros(0)
		for half == 0 {
			at += frame
			b.Step(at, 0, nil)
			if b.Drawn()[0].Position.X >= .5 {
				half = at - 20*ms
			}
		}
		if s := half.Seconds(); s < .416*.95 || s > .416*1.05+frame.Seconds() {
			t.Errorf("%d frames a second: half of it after %.3f s, want 0.416", rate, s)
		}
		if m := b.physics.Motion(b.list[0].body); math.Abs(m.Position.X-1) > 1e-6 || m.Velocity.Len() > 1e-6 {
			t.Errorf("the body is at %v with %v m/s, want 1 m and rest", m.Position.X, m.Velocity)
		}
	}
}

// A body that rests on the server rests here, in exactly the same place, and wakes when it wakes
// there.
func TestBodiesRestWithTheServer(t *testing.T) {
	b, _ := space(BodyRules{})
	rest := bodyState(140, 10*ms, geom.V(0, .2501, 0), geom.Vec3{})
	b.Receive([]track.Entity{rest}, 10*ms)
	b.play(200 * ms)
	rest.At, rest.Position.Y, rest.Asleep = 100*ms, .25, true
	b.Receive([]track.Entity{rest}, 200*ms)
	b.play(220 * ms)
	if m := b.physics.Motion(b.list[0].body); !m.Asleep || m.Position != rest.Position {
		t.Errorf("at rest: %+v", m)
	}
	moves := bodyState(140, 240*ms, geom.V(0, .25, 0), geom.V(2, 0, 0))
	b.Receive([]track.Entity{moves}, 300*ms)
	b.play(320 * ms)
	if m := b.physics.Motion(b.list[0].body); m.Asleep || math.Abs(m.Velocity.X-2) > .1 {
		t.Errorf("awake: %+v", m)
	}
}

// States from before a touch are ignored if the body was not in the player's time yet. Later ones
// are compared with what the player did.
func TestStatesFromBeforeATouchAreIgnored(t *testing.T) {
	d := newLinked(hall(t, 20), BodyRules{})
	ball := rubberBall
	ball.Position, ball.Velocity = geom.V(0, .25, -14), geom.V(0, 0, 9)
	d.add(ball)
	d.walk = func(now clock.Micros) geom.Vec3 { return geom.V(0, 0, 0) }
	back := 0.0
	last := 0.0
	d.play(4*clock.Second, func() {
		if drawn := d.bodies.Drawn(); len(drawn) > 0 {
			if z := drawn[0].Position.Z; drawn[0].Predicted && drawn[0].Velocity.Z < -1 {
				back = max(back, z-last)
			}
			last = drawn[0].Position.Z
		}
	})
	if s := d.bodies.Stats(); s.Ignored == 0 || s.Ignored > 10 || back > .02 {
		t.Errorf("%d states ignored, want those of 60 ms; drawn back by %.3f m after the bounce", s.Ignored, back)
	}
}

func TestBodiesDoNotAllocate(t *testing.T) {
	d := newLinked(hall(t, 6), BodyRules{})
	for i := range 33 {
		b := rubberBall
		b.Position = geom.V(float64(i%6)*1.2-3, .5+float64(i/18), float64(i/6%3)*1.2-2)
		d.add(b)
	}
	d.walk = func(now clock.Micros) geom.Vec3 { return geom.V(2*math.Sin(now.Seconds()), 0, 1) }
	d.play(3*clock.Second, func() {})
	var states []track.Entity
	for i, id := range d.ids {
		m := d.server.Motion(id)
		states = append(states, bodyState(track.ID(129+i), 0, m.Position, m.Velocity))
		states[i].Life = 0
	}
	now := d.now
	step := func() {
		now += clock.Second / 60
		for i := range states {
			states[i].At = now - 50*ms
		}
		d.bodies.Receive(states, now)
		d.bodies.Retain(states)
		d.bodies.Step(now, 60*ms, pusherAt(d.walk(now), true))
	}
	for range 60 {
		step()
	}
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("got %v allocations a frame, want 0", n)
	}
}

// BenchmarkReplay is a frame of 48 bodies in a pile through which another character wades, a state
// of each in every frame.
func BenchmarkReplay(b *testing.B) {
	d := pile(b, 60)
	d.other = func(now clock.Micros) geom.Vec3 { return geom.V(math.Sin(2*now.Seconds()), 0, 0) }
	d.play(4*clock.Second, func() {})
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		d.serve(d.now)
		b.StartTimer()
		d.play(d.now+d.frame, func() {})
	}
}

// BenchmarkBodies is a frame of 33 bodies in a pit: at rest, and with a character in it.
func BenchmarkBodies(b *testing.B) {
	for _, what := range []string{"at rest", "pushed about"} {
		b.Run(what, func(b *testing.B) {
			d := newLinked(hall(b, 2.2), BodyRules{})
			for i := range 33 {
				ball := rubberBall
				ball.Position = geom.V(float64(i%6)*.6-1.5, .5+float64(i/18), float64(i/6%3)*.6-1)
				d.add(ball)
			}
			d.play(6*clock.Second, func() {})
			now := d.now
			b.ReportAllocs()
			for b.Loop() {
				now += clock.Second / 60
				feet := geom.V(1.5*math.Sin(now.Seconds()), 0, math.Cos(now.Seconds()))
				d.bodies.Step(now, 60*ms, pusherAt(feet, what != "at rest"))
			}
		})
	}
}
