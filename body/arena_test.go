package body_test

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// Bodies flung about the arena, its lifts, bridge and pool, with characters running among them, at
// 20 and 60 Hz: none falls out of it, none gets faster than it was flung, and in the end nearly all
// sleep.
func TestArenaHolds(t *testing.T) {
	l, err := level.Read(assets.Arena)
	if err != nil {
		t.Fatal(err)
	}
	for seed, d := range []clock.Micros{tick, 50 * clock.Millisecond} {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		w := body.New(l.World, body.Config{})
		for range 60 {
			b := randomBody(r, 14)
			b.Position = geom.V(r.Float64()*40-20, 12+r.Float64()*5, r.Float64()*40-20)
			w.Add(b)
		}
		for at := clock.Micros(0); at < 20*clock.Second; at += d {
			p := make([]body.Pusher, 8)
			for i := range p {
				x := float64(at.Seconds()*6) - 40
				p[i] = body.Pusher{ID: uint16(i), Capsule: geom.Upright(geom.V(x, 0.9, float64(i)*5-20), geom.Up, 0.35, 0.9), Velocity: geom.V(6, 0, 0)}
			}
			w.Step(d, at, p)
			for id := body.ID(1); int(id) < w.Len(); id++ {
				if m := w.Motion(id); m.Position.Y < l.KillHeight+1 || m.Velocity.Len() > 45 {
					t.Fatalf("seed %d, %.2f s: body %d got %+v, want it above %.1f m and no faster than 45 m/s",
						seed, at.Seconds(), id, w.Body(id), l.KillHeight)
				}
			}
		}
		deep := 0.0
		v := collide.WorldAt{World: l.World, At: 20 * clock.Second}
		for id := body.ID(1); int(id) < w.Len(); id++ {
			b := w.Body(id)
			r := min(b.Half.X, b.Half.Y, b.Half.Z) // the ball inside it
			for _, c := range v.Contacts(geom.Capsule{A: b.Position, B: b.Position, Radius: r}, 0, make([]collide.Contact, 0, 9)) {
				if deep = min(deep, c.Distance); c.Distance < -0.02 {
					t.Errorf("seed %d: body %d is %.3f m in %+v: %+v", seed, id, -c.Distance, c, b)
				}
			}
		}
		t.Logf("%v a tick: after 20 s %d of 60 are awake, the deepest %.4f m in the level", d, w.Awake(), -deep)
		if w.Awake() > 30 {
			t.Errorf("%d of 60 are awake, want at most 30", w.Awake())
		}
	}
}
