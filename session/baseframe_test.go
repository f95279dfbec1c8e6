package session

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// BAS-01: in which base's frame a player is sent, as it walks onto a lift, jumps on it, jumps
// from it onto a train, gets off, and falls down a shaft for longer than 2 s.
func TestFrameOfABase(t *testing.T) {
	const lift, train = 1, 2
	var r baseFrame
	var none moverFrames
	for i, c := range []struct {
		at    clock.Micros // ms
		base  collide.MoverID
		aloft bool
		want  baseFrame // base, previous, since in ms
	}{
		{100, 0, false, baseFrame{}},
		{200, 0, true, baseFrame{}},
		{300, lift, false, baseFrame{base: lift, since: 300}},
		{400, 0, true, baseFrame{base: lift, since: 300}},
		{500, lift, false, baseFrame{base: lift, since: 300}},
		{600, 0, true, baseFrame{base: lift, since: 300}},
		{700, train, false, baseFrame{base: train, previous: lift, since: 700}},
		{900, 0, false, baseFrame{previous: train, since: 900}},
		{1000, 0, true, baseFrame{previous: train, since: 900}},
		{1100, lift, false, baseFrame{base: lift, since: 1100}},
		{3099, 0, true, baseFrame{base: lift, since: 1100}},
		{3100, 0, true, baseFrame{previous: lift, since: 3100}},
	} {
		pose := track.Sample{BaseLink: track.BaseLink{Base: c.base, Airborne: c.aloft}}
		r.update(&pose, c.at*clock.Millisecond-7, c.at*clock.Millisecond, &none)
		if got := (baseFrame{base: r.base, previous: r.previous, since: r.since / clock.Millisecond}); got != c.want {
			t.Errorf("%d: got %+v want %+v", i, got, c.want)
		}
	}
}

// turntables is a world of two of them, 4 m in radius, that turn at 180°/s about
// (0, 0, 0) and, the other way, about (8.1, 0, 0), and a train.
func turntables(t *testing.T) *collide.World {
	var b collide.Builder
	table := func(name string, x, angle float64) {
		b.Mover(name, collide.Path{Loop: true, Keys: []collide.Key{
			{Position: geom.V(x, 0, 0)}, {At: 2 * clock.Second, Position: geom.V(x, 0, 0), Angle: angle},
		}}, func(b *collide.Builder) {
			b.Box(geom.V(0, -.2, 0), geom.V(4, .2, 4), geom.IdentityQuat, collide.Surface{})
		})
	}
	table("a", 0, 2*math.Pi)
	table("b", 8.1, -2*math.Pi)
	b.Mover("train", collide.Path{Keys: []collide.Key{{}, {At: 100 * clock.Second, Position: geom.V(1000, 0, 0)}}}, func(b *collide.Builder) {
		b.Box(geom.V(0, -.2, 0), geom.V(4, .2, 4), geom.IdentityQuat, collide.Surface{})
	})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// BAS-10: in the air a player is sent in the frame of a base that turns only as long as it
// is above it, up to where that frame would move by 1 m/s more than the rim does; in that
// of a train it stays.
func TestATurningBaseIsLeftAtItsRim(t *testing.T) {
	c := newMoverFrames(turntables(t))
	for _, q := range []struct {
		base collide.MoverID
		at   geom.Vec3
		want bool
	}{
		{1, geom.V(0, 3, 0), true}, {1, geom.V(3.9, 20, 3.9), true}, {1, geom.V(0, -2, 3), true},
		{1, geom.V(4.3, 1, 0), true}, {1, geom.V(4.33, 1, 0), false}, {1, geom.V(9, 1, 0), false},
		{3, geom.V(9, 1, 0), true}, {3, geom.V(9, 1, 900), true}, {0, geom.V(0, 1, 0), false}, {9, geom.V(0, 1, 0), true},
	} {
		if got := c.carry(q.base, q.at, 2*clock.Second); got != q.want {
			t.Errorf("in the air at %v, off mover %d: sent in its frame %v, want %v", q.at, q.base, got, q.want)
		}
	}
}

// BAS-10: however players hop from one turning base to another, onto the ground and back, a
// change of the frame that they are sent in comes once the one before is drawn; and what
// they stand on is their frame in the end.
func TestAChangeOfBaseWaitsForTheOneBefore(t *testing.T) {
	const seed, step = 3, 10 * clock.Millisecond
	rnd := rand.New(rand.NewPCG(seed, 0))
	w := turntables(t)
	c := newMoverFrames(w)
	var r baseFrame
	pose := track.Sample{}
	changes, waits, wait := 0, 0, clock.Micros(0)
	for at := clock.Second; at < 200*clock.Second; at += step {
		if rnd.IntN(25) == 0 {
			pose.Base, pose.Position = collide.MoverID(rnd.IntN(3)), geom.V(rnd.Float64()*8-4, 0, rnd.Float64()*8-4)
			pose.Airborne = pose.Base == collide.Static && rnd.IntN(2) == 0
		}
		before := r
		apart := c.apart(&pose, r.previous, r.base, at-50*clock.Millisecond)
		r.update(&pose, at-50*clock.Millisecond, at, &c)
		if r.since != before.since {
			changes++
			if before.since != 0 && r.since-before.since < track.BaseBlendTimeFor(apart) {
				t.Errorf("seed %d: at %d from %+v to %+v: %d ms after the change before, %.2f m apart", seed, at, before, r, (r.since-before.since)/1000, apart)
			}
			if r.lag != 50*clock.Millisecond || r.previous != before.base {
				t.Errorf("seed %d: at %d from %+v to %+v: want a lag of 50 ms and the base before", seed, at, before, r)
			}
		}
		if wait += step; r.base == r.on {
			wait = 0
		} else if waits++; wait > track.MaxBaseBlendTime {
			t.Fatalf("seed %d: at %d %+v is still sent in another base's frame than it stands on", seed, at, r)
		}
	}
	if changes < 150 || waits < 150 {
		t.Errorf("%d changes, %d steps of waiting: too few to mean anything", changes, waits)
	}
}
