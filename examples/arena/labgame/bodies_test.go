package labgame

import (
	"math"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/track"
)

// hall is a scenario in which ann stands in a corner and two others walk about.
const hall = `
duration: 20s
geometry:
  - box: {min: [-8, -1, -8], max: [8, 0, 8]}
  - box: {min: [-9, -1, -9], max: [-8, 5, 9]}
  - box: {min: [8, -1, -9], max: [9, 5, 9]}
  - box: {min: [-9, -1, -9], max: [9, 5, -8]}
  - box: {min: [-9, -1, 8], max: [9, 5, 9]}
network: {rtt: 80ms}
players:
  - {name: ann, at: [7.4, 0, 7.4], frame: 60}
  - {name: bob, at: [3, 0, 0], frame: 60, script: [{at: 0s, forward: 1, turn: 70}]}
  - {name: cid, at: [-3, 0, 2], frame: 60, script: [{at: 0s, forward: 1, turn: -50}]}
`

// thirtyTwo are balls in the hall.
func thirtyTwo() []arena.Entity {
	var out []arena.Entity
	for i := range 32 {
		at := geom.V(float64(i%8)*1.6-5.6, .3, float64(i/8)*2.5-4)
		out = append(out, arena.Entity{Kind: "ball", Position: at})
	}
	return out
}

// drifting is a client's physics that knows of no collisions: a body goes straight on,
// until the server says something else.
type drifting struct{ list []body.Motion }

func (d *drifting) Add(b body.Body) body.ID {
	d.list = append(d.list, b.Motion)
	return body.ID(len(d.list))
}
func (d *drifting) Remove(body.ID)                {}
func (d *drifting) Motion(id body.ID) body.Motion { return d.list[id-1] }
func (d *drifting) Set(id body.ID, m body.Motion) { d.list[id-1] = m }
func (d *drifting) Touches() []body.Touch         { return nil }
func (d *drifting) Step(t, _ clock.Micros, _ []body.Pusher) {
	for i := range d.list {
		m := &d.list[i]
		m.Position = m.Position.MulAdd(m.Velocity, t.Seconds())
		m.Rotation = m.Rotation.Integrate(m.AngularVelocity, t.Seconds())
	}
}

// shot is where a body was drawn at an instant.
type frameOf struct {
	at     clock.Micros
	bodies []remote.DrawnBody
}

// asPlayed is what a client drew, and where the server had the bodies at each tick.
type asPlayed struct {
	frames []frameOf
	truth  [][]track.Entity // by tick
	stats  remote.BodyStats
	lab    *lab.BodyFigures // ann's, as the lab has them
}

// played plays the hall with 32 balls; ours are ann's bodies.
func played(t *testing.T, ours *remote.Bodies, sets ...string) *asPlayed {
	t.Helper()
	p := &asPlayed{}
	game := &noted{Game: New()}
	game.Entities = thirtyTwo()
	begin := clock.Micros(0)
	game.drew = func(a *actor, local clock.Micros) {
		now := a.Now(local)
		if begin == 0 {
			begin = now
		}
		drawn := a.Bodies()
		p.stats = a.BodyStats()
		if ours != nil {
			ours.Receive(a.NewEntities(), now)
			ours.Retain(a.Entities())
			ours.Step(now, 0, nil)
			drawn, p.stats = ours.Drawn(), ours.Stats()
		}
		if now-begin > clock.Second {
			p.frames = append(p.frames, frameOf{now, slices.Clone(drawn)})
		}
	}
	game.ticks = func(m *match, _ clock.Micros) { p.truth = append(p.truth, m.Bodies(nil)) }
	game.joined = func(a *actor) { a.NoBodies = ours != nil }
	p.lab = shown(t, game, staged(t, game, hall, sets...)).Players["ann"].Bodies
	return p
}

// errors returns how far the bodies were drawn from where the server had them at the
// same instant, ascending, and of those that moved there alone.
func (p *asPlayed) errors() (all, moved []float64) {
	for _, f := range p.frames {
		i, _ := slices.BinarySearchFunc(p.truth, f.at, func(e []track.Entity, at clock.Micros) int {
			if len(e) == 0 {
				return -1
			}
			return int(e[0].At - at)
		})
		if i == 0 || i >= len(p.truth) || len(p.truth[i-1]) == 0 {
			continue
		}
		a, b := p.truth[i-1], p.truth[i]
		share := float64(f.at-a[0].At) / float64(b[0].At-a[0].At)
		for _, d := range f.bodies {
			k := slices.IndexFunc(a, func(e track.Entity) bool { return e.ID == d.ID })
			if p.reset(i, k) {
				continue
			}
			off := d.Position.Dist(a[k].Position.Lerp(b[k].Position, share))
			if all = append(all, off); a[k].Velocity.Len() > .2 {
				moved = append(moved, off)
			}
		}
	}
	slices.Sort(all)
	slices.Sort(moved)
	return all, moved
}

// reset reports whether the game has put a body elsewhere, as a ball after a goal, within 100 ms
// before tick i: a client learns of it half a round trip later.
func (p *asPlayed) reset(i, body int) bool {
	now := p.truth[i][body].At
	for ; i > 0 && len(p.truth[i-1]) > body && now-p.truth[i][body].At < 100*clock.Millisecond; i-- {
		if p.truth[i][body].Position.Dist(p.truth[i-1][body].Position) > 2 {
			return true
		}
	}
	return false
}

// 32 bodies at a ping of 80 ms that collide on the server alone: after a second the
// median error of those that move is below 5 cm, and a body is put elsewhere at once
// only from more than 4 m away or where it is stuck; with jitter and loss, too. A client
// that simulates collisions does no worse. [E2E-10]
func TestThirtyTwoBodiesAgree(t *testing.T) {
	ofServer := func(r remote.BodyRules) func() *remote.Bodies {
		return func() *remote.Bodies { return remote.NewBodies(&drifting{}, r, arena.BodyOfKind) }
	}
	for _, c := range []struct {
		what   string
		bodies func() *remote.Bodies // ann's; nil: the arena's own
	}{
		{"collisions on the server only", ofServer(remote.BodyRules{})},
		{"collisions on both ends", func() *remote.Bodies { return nil }},
	} {
		for _, line := range []string{"network={rtt: 80ms}", "network={rtt: 80ms, jitter: 20ms, loss: 0.02}"} {
			ours := c.bodies()
			p := played(t, ours, line)
			all, moved := p.errors()
			if len(moved) < len(all)/10 {
				t.Fatalf("%d of %d drawn bodies moved", len(moved), len(all))
			}
			median, p95 := moved[len(moved)/2], moved[len(moved)*95/100]
			figures.Check(t, c.what+", "+line, 0.2, "%.1f mm | %.1f cm | %.0f cm | %.0f cm | %d, %d stuck",
				1000*all[len(all)/2], 100*median, 100*p95, 100*moved[len(moved)-1], p.stats.Snaps, p.stats.Stuck)
			if all[len(all)/2] > .05 || median > .05 || p.stats.Snaps > p.stats.Stuck {
				t.Errorf("%s, %s: median %.3f m, of those that moved %.3f m, want 0.05; %d snaps, %d stuck",
					c.what, line, all[len(all)/2], median, p.stats.Snaps, p.stats.Stuck)
			}
			if off := p.lab.Error.P50 - median; ours == nil && math.Abs(off) > .002 || p.lab.Snaps > p.stats.Snaps {
				t.Errorf("the lab has %+v, and a median of %.4f m was measured here", p.lab, median)
			}
		}
	}
}
