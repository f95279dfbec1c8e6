package session_test

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
)

// circle walks about.
func circle(g *testClient) toyCommand {
	n := int(g.Stats().Moves.Made / 20 % 4)
	return hold([]int{1, 0, -1, 0}[n], []int{0, 1, 0, -1}[n])
}

// moves returns the figures of a player's moves on the server.
func (r *simulation) moves(id session.PlayerID) (refused, corrections int) {
	for _, p := range r.m.Players(nil) {
		if p.ID == id {
			return p.Moves.Refused + p.Moves.Stale, p.Moves.Corrections
		}
	}
	return -1, -1
}

// THR-29: the server misses 500 ms of ticks and goes on from the last one due:
// no move is refused, no player is corrected, and what the missing ticks would have
// said is not waited for. [GAP-68]
func TestTheServerStalls(t *testing.T) { models(t, theServerStalls) }

func theServerStalls(t *testing.T, model int) {
	r := newSimulation(t, session.ServerConfig{})
	r.model = model
	for _, g := range r.playing(2) {
		g.input = circle
	}
	r.run(100)
	for range 3 {
		tick := r.m.TickNumber()
		r.stall(29)
		r.run(1)
		if n := r.m.TickNumber() - tick; n != 30 {
			t.Errorf("%d ticks on, want 30", n)
		}
		r.run(20)
		for _, g := range r.clients {
			if s := g.Stats(); s.LossDown != 0 || s.LossRunDown != 0 {
				t.Errorf("player %d thinks that %.0f %% were lost", g.ID(), 100*s.LossDown)
			}
		}
		r.run(80)
	}
	for _, g := range r.clients {
		if refused, corrections := r.moves(g.ID()); refused+corrections != 0 {
			t.Errorf("player %d: %d moves refused, %d corrections", g.ID(), refused, corrections)
		}
		if s := g.Stats(); s.Bad != 0 || s.ClockJumps != 0 {
			t.Errorf("player %d: %+v", g.ID(), s)
		}
	}
	r.agree()
}

// THR-28: a client stands still for 1 s and for 5 s, while its packets wait: none
// of its moves is refused, and it plays on within a few ticks. [GAP-68]
func TestAClientFreezes(t *testing.T) { models(t, aClientFreezes) }

func aClientFreezes(t *testing.T, model int) {
	late := clock.Micros(0)
	for _, seconds := range []int{1, 5} {
		r := newSimulation(t, session.ServerConfig{})
		r.model = model
		g := r.playing(2)[0]
		g.input, r.clients[1].input = circle, circle
		r.run(100)
		g.frozen = true
		r.run(60 * seconds)
		before, _ := r.m.State(1)
		g.frozen = false
		r.run(8)
		after, _ := r.m.State(1)
		if refused, corrections := r.moves(1); refused+corrections != 0 || g.Stats().ClockJumps != 0 {
			t.Errorf("%d s: %d moves refused, %d corrections, clock jumps %d", seconds, refused, corrections, g.Stats().ClockJumps)
		}
		if d := after.Pos.Dist(before.Pos); d < 0.2 || d > 2 {
			t.Errorf("%d s: moved on by %.2f m", seconds, d)
		}
		age := r.now() - g.View().At
		if age > 300*clock.Millisecond {
			t.Errorf("%d s: others are drawn %d ms late", seconds, age/clock.Millisecond)
		}
		late = max(late, age)
		r.agree()
	}
	if model == 0 {
		figures.Check(t, "back", 0, "8 ticks after a freeze of 1 and 5 s it plays, 0 moves refused, 0 corrections; others are drawn %d ms late", late/clock.Millisecond)
	}
}

// One direction of the link is dead for 3 s, then the other: the round trip shown is
// not what the silence lasted, and the player plays on. [GAP-68]
func TestOneWayIsDead(t *testing.T) { models(t, oneWayIsDead) }

func oneWayIsDead(t *testing.T, model int) {
	for _, up := range []bool{true, false} {
		r := newSimulation(t, session.ServerConfig{})
		r.model = model
		g := r.playing(1)[0]
		g.input = circle
		r.run(60)
		r.fate = func(f flight) []int {
			if f.up == up {
				return nil
			}
			return []int{2}
		}
		r.run(180)
		r.fate = nil
		r.run(5)
		if rtt := g.Stats().RTT; rtt > 100*clock.Millisecond {
			t.Errorf("up dead %v: the client shows a round trip of %d ms", up, rtt/clock.Millisecond)
		}
		r.run(60)
		if rtt := r.m.Players(nil)[0].RTT; rtt > 150*clock.Millisecond {
			t.Errorf("up dead %v: the server shows a round trip of %d ms", up, rtt/clock.Millisecond)
		}
		if g.Stats().ClockJumps != 0 {
			t.Errorf("up dead %v: the clock jumped", up)
		}
		r.run(120)
		r.agree()
	}
}

// THR-30: clocks off by 500 ppm for 5 minutes over an even link: not one
// correction, refused move or jump of the clock. [GAP-68]
func TestClocksThatDrift(t *testing.T) {
	singleThreaded(t)
	models(t, clocksThatDrift)
}

func clocksThatDrift(t *testing.T, model int) {
	r := newSimulation(t, session.ServerConfig{})
	r.model = model
	for i, g := range r.playing(2) {
		g.drift, g.input = []float64{500e-6, -500e-6}[i], circle
	}
	r.run(5 * 60 * 60)
	for _, g := range r.clients {
		refused, corrections := r.moves(g.ID())
		s := g.Stats()
		if refused+corrections != 0 || s.Moves.Corrections != 0 || s.ClockJumps != 0 {
			t.Errorf("drift %v: %d refused, %d corrections, %+v", g.drift, refused, corrections, s)
		}
		if off := g.Now(r.local(g)) - r.now() + 3*clock.Millisecond; off > 5*clock.Millisecond || off < -5*clock.Millisecond {
			t.Errorf("drift %v: off by %d µs at the end", g.drift, off)
		}
	}
	r.agree()
}

// GAP-07: a server whose clock has run for 10⁶ s, and for 800 days just short of the
// last tick number, plays like a new one.
func TestALateClock(t *testing.T) {
	var states [3]toyState
	for i, first := range []int{0, 60_000_000, 1<<32 - 2000} {
		r := newSimulation(t, session.ServerConfig{})
		r.first = first
		r.run(1)
		for _, g := range r.playing(2) {
			g.input = shooter(9)
		}
		r.run(600)
		for _, g := range r.clients {
			refused, corrections := r.moves(g.ID())
			if refused+corrections != 0 || g.count(session.ShotJudged) < 50 || g.Stats().Disagreed != 0 {
				t.Errorf("from tick %d: %d refused, %d corrections, %+v", first, refused, corrections, g.Stats())
			}
		}
		r.agree()
		states[i], _ = r.m.State(1)
		states[i].Ammo.Cooldown = 0
		if states[i].Pos.Dist(states[0].Pos) > 0.01 {
			t.Errorf("from tick %d: ended at %v, a new match at %v", first, states[i].Pos, states[0].Pos)
		}
	}
}

// 64 players: every player sees all others, in snapshots of two datagrams, of which
// some are lost.
func TestSixtyFourPlayers(t *testing.T) {
	singleThreaded(t)
	r := newSimulation(t, session.ServerConfig{Players: 64})
	for _, g := range r.playing(64) {
		g.input = circle
	}
	n := 0
	r.fate = func(f flight) []int {
		if n++; n%20 == 0 {
			return nil
		}
		return []int{2}
	}
	most, size := 0, 0
	r.seen = func(f flight) {
		if !f.up && f.peer == 1 && f.ch == session.Datagram {
			most, size = most+1, size+len(f.bytes)
		}
	}
	r.run(120)
	t.Logf("%.1f datagrams and %d bytes a tick for each player", float64(most)/120, size/120)
	for _, g := range r.clients {
		if len(g.Remotes()) != 63 {
			t.Fatalf("player %d sees %d others", g.ID(), len(g.Remotes()))
		}
		for _, e := range g.Remotes() {
			if s, _ := r.m.State(e.ID); s.Pos.Dist(e.Position) > 2 || e.ID == g.ID() {
				t.Errorf("player %d sees %d at %v, truly at %v", g.ID(), e.ID, e.Position, s.Pos)
			}
		}
	}
	r.fate = nil
	r.agree()
}

// THR-18: a client whose clock runs 1 %, 10 %, twice or ten times too fast gains
// what the limits leave it once, and no rate: 60 s at 6 m/s are 360 m. It plays on, most of the way. [TIM-12, GAP-68]
func TestFastClocksGainNothing(t *testing.T) { models(t, fastClocksGainNothing) }

func fastClocksGainNothing(t *testing.T, model int) {
	for _, fast := range []float64{0.01, 0.1, 1, 9} {
		r := newSimulation(t, session.ServerConfig{})
		r.model = model
		g := r.playing(1)[0]
		start, _ := r.m.State(1)
		begin := r.tick
		g.drift = fast
		g.input = func(*testClient) toyCommand { return hold(1, 0) }
		for r.tick < begin+3600 {
			r.run(600)
			s, _ := r.m.State(1)
			seconds := float64(r.tick-begin) / 60
			gain := s.Pos.Dist(start.Pos)/toySpeed - seconds
			if gain > 0.3 || gain < -seconds/4 {
				t.Errorf("%v times as fast: after %.0f s gained %.3f s, want at most 0.3, and three quarters of the way", 1+fast, seconds, gain)
			}
			if r.tick == begin+3600 {
				t.Logf("%v times as fast: gained %.3f s in a minute", 1+fast, gain)
			}
		}
	}
}

// THR-19: packets held back for 1 and 5 s and sent at once take the player no further than it would have
// been; in the second after them it plays on. [GAP-68]
func TestHoldingPacketsBack(t *testing.T) { models(t, holdingPacketsBack) }

func holdingPacketsBack(t *testing.T, model int) {
	for _, seconds := range []int{1, 5} {
		r := newSimulation(t, session.ServerConfig{})
		r.model = model
		g := r.playing(1)[0]
		g.input = func(*testClient) toyCommand { return hold(1, 0) }
		start, _ := r.m.State(1)
		begin := r.tick
		until := begin + 60*seconds
		r.fate = func(f flight) []int {
			if f.up {
				return []int{max(until-r.tick, 2)}
			}
			return []int{2}
		}
		r.run(60*seconds + 60)
		s, _ := r.m.State(1)
		d, most := s.Pos.Dist(start.Pos), toySpeed*(float64(r.tick-begin)/60+0.1)
		if d > most || d < toySpeed {
			t.Errorf("%d s held: %.2f m, want %v to %.2f", seconds, d, toySpeed, most)
		}
	}
}

// A death, a respawn and a teleport are placements, which the game gets events of, and no
// corrections. [GAP-68]
func TestPlacementsAreNoCorrections(t *testing.T) { models(t, placementsAreNoCorrections) }

func placementsAreNoCorrections(t *testing.T, model int) {
	r := newSimulation(t, session.ServerConfig{})
	r.model = model
	g := r.playing(2)[0]
	g.input, r.clients[1].input = circle, circle
	for i := range 4 {
		r.run(60)
		s, _ := r.m.State(1)
		if i%2 == 0 {
			s.Dead = true
			r.m.SetState(1, s)
		} else {
			r.m.spawn(1, geom.V(50, 0, float64(i)))
		}
	}
	r.run(60)
	m := g.Stats().Moves
	if m.Corrections != 0 || m.Teleports != 5 || m.MaxDistance != 0 || g.count(session.Teleported) != 5 {
		t.Errorf("%+v, %d events", m, g.count(session.Teleported))
	}
	r.agree()
}

// The same packets give the same match, bit for bit.
func TestAMatchIsDeterministic(t *testing.T) {
	play := func() string {
		r := newSimulation(t, session.ServerConfig{})
		r.playing(4)
		r.fate = weather(11)
		for i, g := range r.clients {
			g.input = shooter(5 + i)
		}
		r.run(300)
		text := fmt.Sprint(r.m.hash())
		for _, g := range r.clients {
			text += g.Fingerprint()
		}
		return text
	}
	if a, b := play(), play(); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}
