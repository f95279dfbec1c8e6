package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// tour is a smooth round of 3 m/s, on the ground and over it.
func tour() collide.Path {
	p := collide.Path{Loop: true, Smooth: true}
	for i := range 13 {
		a := float64(i) * (2 * math.Pi / 12)
		p.Keys = append(p.Keys, collide.Key{
			At:       clock.Micros(i) * clock.Second,
			Position: geom.V(5.73*geom.Cos(a), .5+float64(.5*geom.Sin(2*a)), 5.73*geom.Sin(a)),
		})
	}
	p.Keys[12].Position = p.Keys[0].Position
	return p
}

// follow runs b for so many seconds of match time.
func (b *body) follow(seconds float64, each func()) {
	b.t.Helper()
	for until := b.w.At + clock.Micros(seconds*1e6); b.w.At < until; {
		if b.dice != nil {
			b.dt = clock.Micros(1000 + b.dice.Intn(39000))
		}
		b.step()
		each()
	}
}

func TestFollowingAPath(t *testing.T) { // VOL-05, MOD-01, MOD-02
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		b := in(t, hz, geom.V(3, 0, 3), nothing)
		b.dice = dice()
		b.m.Paths = []collide.Path{{}, tour()}
		if err := b.m.Check(); err != nil {
			t.Fatal(err)
		}
		b.run(.2)
		start := 2 * clock.Second
		b.s.EnterPath(2, start)
		b.w.At = start
		b.c = Command{Forward: 1, Jump: true, Crouch: true, Yaw: 1}
		was, off := b.s, 0.0
		b.follow(30, func() {
			b.s.Impulse, b.s.Force = geom.V(1, 2, 3), geom.V(4, 5, 6) // counts for nothing
			b.s.LaunchAt(geom.V(9, 9, 9))
			if want := b.m.Paths[1].Pose(b.w.At - start).Translation; b.s.Position != want || b.s.Mode != OnPath {
				t.Fatalf("%s: at %v in mode %v, want %v: where the path is at that time", what, b.s.Position, b.s.Mode, want)
			}
			if was.Mode == OnPath && was.Position != (geom.Vec3{}) && b.w.At > start+clock.Second {
				guess := was.Position.MulAdd(was.Velocity, b.dt.Seconds())
				off = max(off, guess.Dist(b.s.Position)/b.dt.Seconds())
			}
			if got, want := geom.Forward(b.s.Yaw), b.s.Velocity.Flat(geom.Up).Unit(); got.Dist(want) > 1e-9 {
				t.Fatalf("%s: faces %v, goes along %v", what, got, want)
			}
			was = b.s
		})
		if off > 3*.17 { // 17 % of 3 m/s
			t.Errorf("%s: extrapolating errs by %v m/s", what, off)
		}
		if b.total[Jumped] != 0 || b.s.Crouched {
			t.Errorf("%s: the input did something: %+v", what, b.s)
		}
		v := b.s.Velocity
		b.c = Command{}
		b.s.LeavePath()
		if b.step(); b.s.Rail != (Rail{}) || b.s.Velocity.Flat(geom.Up).Dist(v.Flat(geom.Up)) > 3*b.dt.Seconds()*22 || b.s.Mode != Walking && b.s.Mode != Falling {
			t.Errorf("%s: left the path at %v, goes on at %v in mode %v", what, v, b.s.Velocity, b.s.Mode)
		}
		b.run(2)
		if b.s.Mode != Walking || math.Abs(b.gap()-midFloor) > .003 {
			t.Errorf("%s: 2 s later in mode %v, %v m above the floor", what, b.s.Mode, b.gap())
		}
	})
}

func TestTogglingPaths(t *testing.T) { // MOD-01, MOD-03
	b := in(t, 60, geom.V(3, 0, 3), nothing)
	b.m.Paths = []collide.Path{tour()}
	b.c.Forward = 1
	for i := range 100 {
		b.s.EnterPath(1, b.w.At)
		b.follow(.1, func() {})
		if b.s.Mode != OnPath {
			t.Fatalf("round %v: mode %v on the path", i, b.s.Mode)
		}
		b.s.LeavePath()
		at := b.s.Position
		b.follow(.1, func() {})
		if b.s.Mode == OnPath || b.s.Position == at {
			t.Fatalf("round %v: %v in mode %v, want it to obey the input", i, b.s.Position, b.s.Mode)
		}
		var p bits.Packer
		var buf [256]byte
		var got State
		s := b.s
		p.Write(buf[:])
		s.Pack(&p)
		p.Read(p.Bytes())
		if got.Pack(&p); p.Err() != nil || got != b.s {
			t.Fatalf("round %v: packs to %+v, %v", i, got, p.Err())
		}
	}
	b.s.LeavePath() // from no path: nothing
	if b.s.Mode == OnPath {
		t.Error("left a path it was not on")
	}
}

func TestPathsThatTurn(t *testing.T) { // VOL-05
	b := in(t, 60, geom.Vec3{}, nothing)
	b.m.Paths = []collide.Path{{Keys: []collide.Key{{}, {At: clock.Second, Position: geom.V(0, 1, 0), Angle: 2}}}}
	b.s.EnterPath(1, 0)
	b.follow(.5, func() {})
	if math.Abs(b.s.Yaw-1) > .01 || math.Abs(b.s.Position.Y-.5) > .01 {
		t.Errorf("half way: yaw %v at %v, want 1 rad, 0.5 m up", b.s.Yaw, b.s.Position)
	}
	b.follow(2, func() {})
	if math.Abs(b.s.Yaw-2) > 1e-9 || b.s.Position != geom.V(0, 1, 0) || !b.s.Velocity.IsZero() {
		t.Errorf("at the end: yaw %v at %v with %v, want it to rest there", b.s.Yaw, b.s.Position, b.s.Velocity)
	}
	for _, n := range []uint16{0, 2, 65535} {
		b.s.EnterPath(n, 0)
		at := b.s.Position
		b.follow(.1, func() {})
		if b.s.Position != at || !b.s.Velocity.IsZero() {
			t.Errorf("path %v, which is none: moved to %v", n, b.s.Position)
		}
	}
}

func TestBadPathsAreRefused(t *testing.T) {
	m := DefaultModel()
	m.Paths = []collide.Path{{}, {Keys: []collide.Key{{At: 5}}}}
	if err := m.Check(); err == nil || err.Error() != "movement: path 2: key 0 is not at 0" {
		t.Errorf("got %v, want it to name path 2 and its key", err)
	}
}
