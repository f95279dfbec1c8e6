package session_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// leaper is the toy whose players gain speed as people do, and jump where they look up.
type leaper struct{ toy }

func (g *leaper) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	if s.Dead {
		return
	}
	s.Ammo.Step(&g.weapons[0], c.Shot.Fire, false, d)
	s.Yaw = c.Yaw
	dt := d.Seconds()
	sin, cos := geom.SinCos(c.Yaw)
	x, z := float64(c.X)-1, float64(c.Z)-1
	want := geom.V(x*cos+z*sin, 0, z*cos-x*sin).ClampLen(1).Mul(toySpeed)
	rise := s.Vel.Y
	s.Vel.Y = 0
	if s.Pos.Y <= 0 {
		s.Vel = s.Vel.Add(want.Sub(s.Vel).ClampLen(20 * dt))
		if rise = 0; c.Yaw > 2.8 && c.Yaw < 3 {
			rise = 4.2
		}
	}
	s.Vel.Y = rise
	s.Pos = s.Pos.MulAdd(s.Vel, dt)
	if s.Pos.Y > 0 {
		s.Vel.Y -= 9.8 * dt
	} else {
		s.Pos.Y, s.Vel.Y = 0, 0
	}
}

// lively plays as people do in a fight: runs another way every half second or so, turns all
// the time, jumps now and then, and shoots about once a second.
func lively(seed uint64) func(*testClient) toyCommand {
	r := rand.New(rand.NewPCG(seed, 77))
	way, until, yaw, turn := hold(0, -1), 0, 2*math.Pi*r.Float64(), 0.
	frame := 0
	return func(g *testClient) toyCommand {
		if frame++; frame > until {
			way, until = hold(r.IntN(3)-1, r.IntN(3)-1), frame+10+r.IntN(40)
			if g.Self().Pos.Len() > 25 {
				way = hold(0, -1)
			}
		}
		if turn += .02 * r.NormFloat64(); r.IntN(20) == 0 {
			turn = .03 * r.NormFloat64()
		}
		if p := g.Self().Pos; p.Len() > 25 { // back to the middle
			yaw = geom.Atan2(p.X, p.Z)
		}
		yaw = geom.WrapAngle(yaw + turn)
		c := way
		c.Yaw = shot.Claim{Fire: true, Yaw: yaw}.Quantise().Yaw
		if r.IntN(60) == 0 && g.Self().Ammo.Ready() && !g.Waiting() {
			c.Shot = shot.Claim{Yaw: yaw}
			g.Aim(&c.Shot)
		}
		return c
	}
}

// fight is a match of n leapers that has gone on for two seconds, on a link that takes 50 ms
// each way.
func fight(t testing.TB, config session.ServerConfig, n int) *simulation {
	config.Players = n
	r := newSimulationOf(t, config, func() toyGame { return &leaper{*newToy()} })
	r.lag = int(50*clock.Millisecond*clock.Micros(r.rate)/clock.Second) + 1
	r.m.place = func(id session.PlayerID) geom.Vec3 {
		sin, cos := geom.SinCos(float64(id))
		return geom.V(sin, 0, cos).Mul(float64(3 + id%16))
	}
	r.playing(n)
	for i, g := range r.clients {
		g.input = lively(uint64(i))
	}
	r.run(2 * r.rate)
	return r
}

// mean is of a list.
func mean(list []float64) float64 {
	sum := 0.
	for _, v := range list {
		sum += v
	}
	return sum / float64(max(len(list), 1))
}

// Issue 6: ten players in a fight, sixty snapshots a second: at most 8 kB/s down to each.
// [REP-01, REP-07]
func TestTenPlayersAtSixtyHertz(t *testing.T) {
	const seconds = 10
	r := fight(t, session.ServerConfig{}, 10)
	before := r.m.Players(nil)
	off := fightOn(r, seconds*60)
	most := 0.
	for i, p := range r.m.Players(nil) {
		most = max(most, float64(p.Traffic.BytesOut-before[i].Traffic.BytesOut)/seconds)
		if p.Moves.Corrections > 0 || p.Traffic.Bad > 0 {
			t.Errorf("player %d: %+v", p.ID, p)
		}
	}
	sent := r.m.Players(nil)[0].Snapshots
	figures.Check(t, "down", 0.1, "%.1f kB/s down at most, %.1f bytes a sample; others drawn %.1f mm off on average, %.1f mm p99",
		most/1000, float64(sent.Bytes)/float64(sent.Entities), 1000*mean(off), 1000*off[len(off)*99/100])
	if most > 8000 || mean(off) > .002 {
		t.Error("want 8,000 B/s at most, and 2 mm")
	}
	for _, g := range r.clients {
		if s := g.Stats(); s.Disagreed > 0 || s.Agreed < 5 {
			t.Errorf("player %d: %d shots as seen, %d not", g.ID(), s.Agreed, s.Disagreed)
		}
	}
}

// fightOn goes on with a fight, and returns how far others were drawn from the truth.
func fightOn(r *simulation, ticks int) []float64 {
	var off []float64
	for range ticks {
		r.run(1)
		for _, g := range r.clients {
			for _, e := range g.Remotes() {
				if s, ok := r.m.Truth(e.ID, g.View().At); ok {
					off = append(off, s.Position.Dist(e.Position))
				}
			}
		}
	}
	slices.Sort(off)
	return off
}

// Issue 6: a hundred players in view of each other, twenty snapshots a second: at most
// 24 kB/s down to each, and others drawn at most 5 cm off on average. [REP-07, GAP-59]
func TestAHundredPlayersAtTwentyHertz(t *testing.T) {
	singleThreaded(t)
	const seconds = 2
	r := fight(t, session.ServerConfig{TickRate: 60, SnapshotRate: 20}, 100)
	before := r.m.Players(nil)
	off := fightOn(r, seconds*60)
	most := 0.
	for i, p := range r.m.Players(nil) {
		most = max(most, float64(p.Traffic.BytesOut-before[i].Traffic.BytesOut)/seconds)
	}
	sent := r.m.Players(nil)[0].Snapshots
	figures.Check(t, "down", 0.1, "%.1f kB/s down at most, %.1f bytes a sample, %.0f of 99 others a snapshot; others drawn %.1f mm off on average, %.1f mm p99",
		most/1000, float64(sent.Bytes)/float64(sent.Entities), float64(sent.Entities)/float64(sent.Sent), 1000*mean(off), 1000*off[len(off)*99/100])
	if most > 24_000 || mean(off) > .05 {
		t.Error("want 24,000 B/s at most, and 50 mm")
	}
	agreed, not := uint64(0), uint64(0)
	for _, g := range r.clients {
		agreed, not = agreed+g.Stats().Agreed, not+g.Stats().Disagreed
	}
	if not > 0 || agreed < 100 {
		t.Errorf("%d shots as seen, %d not", agreed, not)
	}
}
