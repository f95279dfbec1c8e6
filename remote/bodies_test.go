package remote

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

const ballKind track.Kind = 1

var rubberBall = rigid.NewBall(.25, 1)

// shapeOf returns the shape of balls.
func shapeOf(k track.Kind) (rigid.Body, bool) { return rubberBall, k == ballKind }

// hall is a floor with walls around it, 2·half wide and deep.
func hall(t testing.TB, half float64) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(half+2, 1, half+2), geom.IdentityQuat, collide.Surface{})
	for _, s := range []float64{-1, 1} {
		b.Box(geom.V(s*(half+1), 2, 0), geom.V(1, 4, half+2), geom.IdentityQuat, collide.Surface{})
		b.Box(geom.V(0, 2, s*(half+1)), geom.V(half+2, 4, 1), geom.IdentityQuat, collide.Surface{})
	}
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// packet is one on its way.
type packet struct {
	arrives clock.Micros
	states  []track.Entity
	self    geom.Vec3 // of a client's: where it stands
}

// linked is a server and a client, each with bodies of its own, and a link between them.
type linked struct {
	server *rigid.World
	bodies *Bodies
	ids    []rigid.ID
	walk   func(now clock.Micros) geom.Vec3 // the player's feet, by the player's clock
	other  func(now clock.Micros) geom.Vec3 // another character's feet, by the server's clock
	way    clock.Micros
	jitter clock.Micros
	loss   float64
	frame  clock.Micros
	random *rand.Rand
	up     []packet
	down   []packet
	tick   int64
	now    clock.Micros
	feet   geom.Vec3 // as the server has them
	lastUp clock.Micros
	speed  float64 // of the player, m/s
}

func newLinked(w *collide.World, rules BodyRules) *linked {
	d := &linked{server: rigid.New(w, rigid.Config{}), way: 50 * ms, frame: clock.Second / 60,
		random: rand.New(rand.NewPCG(1, 2)), speed: 6}
	d.bodies = NewBodies(rigid.New(w, rigid.Config{}), rules, shapeOf)
	return d
}

func (d *linked) add(b rigid.Body) { d.ids = append(d.ids, d.server.Add(b)) }

// arrival returns when a packet arrives, and false if it is lost.
func (d *linked) arrival(now clock.Micros) (clock.Micros, bool) {
	return now + d.way + clock.Micros(d.random.Float64()*float64(d.jitter)), d.random.Float64() >= d.loss
}

// capsule is a person's.
func capsule(feet geom.Vec3) geom.Capsule {
	return geom.Upright(feet.Add(geom.V(0, .88, 0)), geom.Up, .34, .88)
}

// pusherAt is a person as a pusher, nil for one that pushes nothing.
func pusherAt(feet geom.Vec3, solid bool) *rigid.Pusher {
	if !solid {
		return nil
	}
	return &rigid.Pusher{Capsule: capsule(feet)}
}

// serve runs the server's ticks up to now.
func (d *linked) serve(now clock.Micros) {
	for ; clock.TickTime(d.tick+1, 60) <= now; d.tick++ {
		at := clock.TickTime(d.tick+1, 60)
		before := d.feet
		for len(d.up) > 0 && d.up[0].arrives <= at {
			d.feet = d.up[0].self
			d.up = d.up[1:]
		}
		var pushers []rigid.Pusher
		if d.walk != nil {
			// Two moves that arrived at once are no faster than one.
			v := d.feet.Sub(before).Div(1.0 / 60).ClampLen(d.speed)
			pushers = append(pushers, rigid.Pusher{ID: 1, Capsule: capsule(d.feet.MulAdd(v, -1.0/60)), Velocity: v})
		}
		if d.other != nil {
			v := d.other(at).Sub(d.other(at - clock.TickTime(1, 60))).Div(1.0 / 60)
			pushers = append(pushers, rigid.Pusher{ID: 2, Capsule: capsule(d.other(at).MulAdd(v, -1.0/60)), Velocity: v})
		}
		d.server.Step(clock.TickTime(1, 60), at-clock.TickTime(1, 60), pushers)
		w := packet{}
		for i, id := range d.ids {
			m := d.server.Motion(id)
			w.states = append(w.states, track.Entity{ID: track.ID(129 + i), Sample: track.Quantise(track.Sample{
				At:       at,
				GameData: track.GameData{Kind: ballKind},
				Pose: track.Pose{
					Position: m.Position, Velocity: m.Velocity, AngularVelocity: m.AngularVelocity, Rotation: m.Rotation,
					Asleep: m.Asleep,
				},
			})})
		}
		var ok bool
		if w.arrives, ok = d.arrival(at); ok {
			d.down = append(d.down, w)
		}
	}
}

// play runs frames until an instant, and calls each after every one.
func (d *linked) play(until clock.Micros, each func()) {
	for ; d.now < until; d.now += d.frame {
		d.serve(d.now)
		var feet geom.Vec3
		if d.walk != nil {
			feet = d.walk(d.now)
			at, ok := d.arrival(d.now)
			if !ok {
				at += d.frame // arrives with the next
			}
			d.lastUp = max(d.lastUp, at)
			d.up = append(d.up, packet{arrives: d.lastUp, self: feet})
		}
		d.down = slices.DeleteFunc(d.down, func(p packet) bool {
			if p.arrives <= d.now {
				d.bodies.Receive(p.states, d.now)
			}
			return p.arrives <= d.now
		})
		d.bodies.Step(d.now, d.way+clock.Second/120+d.jitter/2, pusherAt(feet, d.walk != nil))
		each()
	}
}

// missing returns how far each drawn body is from where the server has it now.
func (d *linked) missing() []float64 {
	var out []float64
	since := (d.now - clock.TickTime(d.tick, 60)).Seconds()
	for _, b := range d.bodies.Drawn() {
		m := d.server.Motion(d.ids[b.ID-129])
		out = append(out, b.Position.Dist(m.Position.MulAdd(m.Velocity, since)))
	}
	return out
}

// Balls bounce about in a hall. Both ends simulate, so a bounce off a wall is no error; what is
// drawn is near what the server has at the same instant. [RIG-01, RIG-02]
func TestBodiesAgreeAtTheSameInstant(t *testing.T) {
	d := newLinked(hall(t, 6), BodyRules{})
	for i := range 16 {
		b := rubberBall
		b.Position = geom.V(float64(i%4)*2-3, 1+float64(i%3), float64(i/4)*2-3)
		b.Velocity = geom.V(float64(i%5)*2-4, 2, float64(i%7)-3)
		d.add(b)
	}
	var all []float64
	d.play(4*clock.Second, func() {
		if d.now > clock.Second {
			all = append(all, d.missing()...)
		}
	})
	slices.Sort(all)
	s, median := d.bodies.Stats(), all[len(all)/2]
	t.Logf("median %.3f m, p99 %.3f m; states were off by %.3f m RMS, at most %.3f m; %d snaps",
		median, all[len(all)*99/100], s.RMS(), s.MaxError, s.Snaps)
	if median > .01 || s.Snaps != 0 {
		t.Errorf("median %.3f m, want 0.01; %d snaps", median, s.Snaps)
	}
}

// pushed describes how a ball looks to the player that pushes it about.
type pushed struct {
	back  float64 // the farthest that it was drawn back within a quarter of a second, against its own motion; metres
	frame float64 // the same from one frame to the next
	worst float64 // the largest error of a state
	far   float64 // its distance from its place at the end
	moved float64 // how far it went
}

// pushing makes a player walk into a ball, which moves by itself at first.
func pushing(t testing.TB, d *linked, walk func(now clock.Micros) geom.Vec3, rolls geom.Vec3) pushed {
	t.Helper()
	b := rubberBall
	b.Position, b.Velocity = geom.V(0, .25, -2), rolls
	d.add(b)
	d.walk = walk
	var f pushed
	var at, v geom.Vec3
	var taken []geom.Vec3 // by how much each frame's drawn motion differed from the ball's own
	d.play(6*clock.Second, func() {
		drawn := d.bodies.Drawn()
		if len(drawn) == 0 {
			return
		}
		now := drawn[0]
		if !v.IsZero() {
			// Its motion between two frames is between what its velocities say.
			a, b := at.MulAdd(v, d.frame.Seconds()), at.MulAdd(now.Velocity, d.frame.Seconds())
			taken = append(taken, beyond(now.Position, a, b))
			sum := geom.Vec3{}
			for i := range min(len(taken), int(clock.Second/4/d.frame)) {
				sum = sum.Add(taken[len(taken)-1-i])
				f.back = max(f.back, -sum.Dot(now.Velocity.Unit()))
			}
			f.frame = max(f.frame, -taken[len(taken)-1].Dot(now.Velocity.Unit()))
		}
		f.moved += now.Position.Dist(at)
		at, v = now.Position, now.Velocity
	})
	f.far = d.missing()[0]
	f.worst = d.bodies.Stats().MaxError
	return f
}

// beyond returns the vector from the nearest point of a–b to p.
func beyond(p, a, b geom.Vec3) geom.Vec3 {
	ab := b.Sub(a)
	share := geom.Clamp(p.Sub(a).Dot(ab)/max(ab.LenSq(), 1e-12), 0, 1)
	return p.Sub(a.MulAdd(ab, share))
}

// The figure of issue 6: a player that pushes a ball about at 100 ms RTT never sees it drawn back
// by more than 10 cm, neither in a frame nor in a quarter of a second.
func TestTheOwnersPushDoesNotRubberBand(t *testing.T) {
	sway := func(now clock.Micros) float64 { return .3 * math.Sin(3*now.Seconds()) }
	walks := []struct {
		what  string
		walk  func(now clock.Micros) geom.Vec3
		rolls geom.Vec3
	}{
		{"walks on", func(now clock.Micros) geom.Vec3 { return geom.V(0, 0, -6*now.Seconds()+2) }, geom.Vec3{}},
		{"in bends", func(now clock.Micros) geom.Vec3 { return geom.V(sway(now), 0, -4*now.Seconds()+2) }, geom.Vec3{}},
		{"in steps", func(now clock.Micros) geom.Vec3 {
			s := now.Seconds()
			whole := math.Floor(s)
			return geom.V(0, 0, 2-3*(whole+min((s-whole)*2, 1)))
		}, geom.Vec3{}},
		{"stands in its way", func(clock.Micros) geom.Vec3 { return geom.V(.1, 0, 3) }, geom.V(0, 0, 5)},
		{"runs to meet it", func(now clock.Micros) geom.Vec3 { return geom.V(.1, 0, 6-5*min(now.Seconds(), 2)) }, geom.V(0, 0, 4)},
	}
	for _, link := range []struct {
		what   string
		jitter clock.Micros
		loss   float64
		most   float64
	}{{"100 ms", 0, 0, .1}, {"100 ms, 30 ms of jitter, 2 % lost", 30 * ms, .02, .15}} {
		for _, w := range walks {
			for _, rate := range []int{60, 144} {
				d := newLinked(hall(t, 150), BodyRules{})
				d.jitter, d.loss, d.frame = link.jitter, link.loss, clock.TickTime(1, rate)
				f := pushing(t, d, w.walk, w.rolls)
				t.Logf("%s, %s, %d frames a second: %.1f m; back by %.4f m in a frame, %.3f m in 250 ms; states off by at most %.3f m; at last %.3f m off",
					link.what, w.what, rate, f.moved, f.frame, f.back, f.worst, f.far)
				if f.back > link.most || f.moved < 2 {
					t.Errorf("%s: back by %.3f m, want %v at most; it went %.2f m", w.what, f.back, link.most, f.moved)
				}
			}
		}
	}
}
