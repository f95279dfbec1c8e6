package movement

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/golden"
)

// course is a place with everything in it: slopes of 20°, 40° and 50°, stairs of
// two rises, walls at odd angles, crates, a beam to crouch under, a pit.
func course() collide.WorldAt {
	var b collide.Builder
	none := collide.Surface{}
	box(&b, geom.V(-30, -2, -30), geom.V(30, 0, 8), none)
	box(&b, geom.V(-30, -4, 8), geom.V(30, -1.5, 30), none)
	b.Ramp(geom.V(-12, 0, -4), 6, 2.5, 7, 0, none)
	b.Ramp(geom.V(-4, 0, -6), 5, 4, 4.75, .4, none)
	b.Ramp(geom.V(4, 0, -6), 5, 6, 5, -.3, none)
	b.Stairs(geom.V(12, 0, -2), 4, .15, .3, 12, 0, none)
	b.Stairs(geom.V(18, 0, -2), 4, .3, .3, 8, .7, none)
	box(&b, geom.V(-20, 1, 0), geom.V(-14, 2, 6), none)
	for i := range 24 {
		a := float64(i) * .61
		at := geom.Forward(a).Mul(3 + float64(i)*.9)
		h := float64(i%5)*.13 + .1
		b.Box(geom.V(at.X, h, at.Z), geom.V(.3+h, h, .4), geom.YawQuat(a), none)
	}
	for i := range 8 { // the fence
		a := float64(i) * (math.Pi / 4)
		b.Box(geom.Forward(a).Mul(26), geom.V(12, 4, .1), geom.YawQuat(a), none)
	}
	w := b.MustBake()
	return collide.WorldAt{World: w}
}

// player is a script by dice: what it holds changes four times a second of match
// time, whatever the frame rate.
type player struct {
	dice uint32
	held Command
	next clock.Micros
}

func (p *player) roll(n uint32) uint32 {
	p.dice = p.dice*1664525 + 1013904223
	return (p.dice >> 8) % n
}

// at returns the command for the frame that begins at match time now.
func (p *player) at(now clock.Micros) Command {
	for ; p.next <= now; p.next += clock.Second / 4 {
		axis := []float64{-1, 0, .5, 1, 1, 1}
		p.held.Forward, p.held.Right = axis[p.roll(6)], axis[p.roll(6)]
		if p.roll(3) == 0 {
			p.held.Yaw += float64(p.roll(1000))/250 - 2
		}
		p.held.Jump, p.held.Crouch = p.roll(4) == 0, p.roll(6) == 0
		p.held.Quantise()
	}
	return p.held
}

// TestGoldenRun walks, jumps and crouches for 60 s over the course, at 60 and at
// 144 frames a second. The hashes are the same on every processor (PRF-14).
func TestGoldenRun(t *testing.T) {
	w := course()
	m := DefaultModel()
	var f StepContext
	var out strings.Builder
	for _, hz := range []int{60, 144} {
		for seed := range uint32(4) {
			s, p := Spawn(geom.V(0, 0, 2), 0), player{dice: seed}
			h := s.Hash()
			events := 0
			for i := range int64(60 * hz) {
				now := clock.TickTime(i, hz)
				c := p.at(now)
				Step(&m, &s, &c, clock.TickTime(i+1, hz)-now, &w, &f)
				h = h*1099511628211 ^ s.Hash()
				events += len(f.Events())
			}
			fmt.Fprintf(&out, "%d Hz, seed %d: %d events, hash %016x\n", hz, seed, events, h)
		}
	}
	golden.Check(t, "testdata/run.golden", out.String())
}
