package parkour_test

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/parkour"
)

// hero is a game's state.
type hero struct {
	movement.State
	Parkour parkour.State
}

func (h *hero) pack(p *bits.Packer) {
	h.State.Pack(p)
	h.Parkour.Pack(p)
}

// runner is one character in a world, moved by commands.
type runner struct {
	t     testing.TB
	m     parkour.Model
	h     hero
	c     movement.Command
	f     movement.StepContext
	w     collide.WorldAt
	d     clock.Micros
	begun map[string]int // how often each activity began
	top   float64        // the greatest height of the feet
}

// in returns a character at feet, facing −Z, in a world that build describes on top of a
// floor at height 0.
func in(t testing.TB, hz int, feet geom.Vec3, build func(b *collide.Builder)) *runner {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(200, 1, 200), geom.IdentityQuat, collide.Surface{})
	build(&b)
	world := b.MustBake()
	r := &runner{t: t, m: parkour.DefaultModel(), w: collide.WorldAt{World: world}, d: clock.Second / clock.Micros(hz), begun: map[string]int{}}
	r.h.State = movement.Spawn(feet, 0)
	if err := r.m.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// box adds a box from corner to corner.
func box(b *collide.Builder, lo, hi geom.Vec3) {
	b.Box(lo.Add(hi).Mul(.5), hi.Sub(lo).Mul(.5), geom.IdentityQuat, collide.Surface{})
}

// ladder adds a ladder's volume from corner to corner.
func ladder(t testing.TB, b *collide.Builder, lo, hi geom.Vec3) {
	t.Helper()
	if err := b.VolumeBox(collide.Volume{Name: "ladder.001"}, lo.Add(hi).Mul(.5), hi.Sub(lo).Mul(.5), geom.IdentityQuat); err != nil {
		t.Fatal(err)
	}
}

// doing names what the character does.
func (h *hero) doing() string {
	switch {
	case h.Mode == parkour.Ladder:
		return "ladder"
	case h.Mode == parkour.Mantle:
		return "mantle"
	case h.Parkour.Sliding:
		return "slide"
	case h.Parkour.Prone:
		return "prone"
	}
	return h.Mode.String()
}

// step moves once, and checks what holds after any move: the state survives packing, the
// same move from the packed state gives the same bits, and the body is not inside anything.
func (r *runner) step() {
	r.t.Helper()
	r.c.Quantise()
	before := r.h
	was := r.repacked()
	r.w.At += r.d
	r.move(&was)
	r.move(&r.h)
	if was != r.h {
		r.t.Fatalf("from a packed state\ngot  %+v\nwant %+v\nfrom %+v", was, r.h, before)
	}
	if !r.h.Position.Finite() || !r.h.Velocity.Finite() {
		r.t.Fatalf("not finite: %+v", r.h)
	}
	if now := r.h.doing(); now != before.doing() {
		r.begun[now]++
	}
	r.top = max(r.top, r.h.Position.Y)
}

func (r *runner) move(h *hero) {
	parkour.Step(&r.m, &h.Parkour, &h.State, &r.c, r.d, &r.w, &r.f)
}

// repacked returns the hero as it is on the other end.
func (r *runner) repacked() hero {
	r.t.Helper()
	var buf [1024]byte
	p := bits.NewWriter(buf[:])
	r.h.pack(&p)
	var got hero
	p.Read(p.Bytes())
	got.pack(&p)
	if p.End(); p.Err() != nil || got != r.h {
		r.t.Fatalf("packed\n%+v, read (%v)\n%+v", r.h, p.Err(), got)
	}
	return got
}

// run moves for so many seconds.
func (r *runner) run(seconds float64) {
	r.t.Helper()
	for range int(seconds/r.d.Seconds() + .5) {
		r.step()
		if r.inside() > .005 {
			r.t.Fatalf("%.4f m inside something: %+v", r.inside(), r.h)
		}
	}
}

// until moves until the hero does that, for at most 5 s.
func (r *runner) until(what string) {
	r.t.Helper()
	for range int(5 / r.d.Seconds()) {
		if r.h.doing() == what {
			return
		}
		r.step()
	}
	r.t.Fatalf("never %s: %s at %v, %v m/s", what, r.h.doing(), r.h.Position, r.h.Velocity)
}

// inside returns how deep the body is in something, in metres.
func (r *runner) inside() float64 {
	var store [16]collide.Contact
	deepest := 0.0
	for _, x := range r.w.Contacts(r.m.Capsule(&r.h.State), 0, store[:0]) {
		deepest = max(deepest, -x.Distance)
	}
	return deepest
}

// press holds Jump for one move.
func (r *runner) press() {
	r.t.Helper()
	r.c.Jump = true
	r.step()
	r.c.Jump = false
}

// everyRate runs a test at several frame rates.
func everyRate(t *testing.T, test func(t *testing.T, hz int)) {
	for _, hz := range []int{30, 60, 144, 240} {
		t.Run(fmt.Sprint(hz, " Hz"), func(t *testing.T) { test(t, hz) })
	}
}
