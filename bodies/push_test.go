package bodies_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	docs "github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

// drawnPuck is how a puck was drawn in a frame: for match time at, which of a puck in the player's own
// time is ahead of now.
type drawnPuck struct {
	at  clock.Micros
	now clock.Micros
	remote.DrawnBody
}

// rally is a match in which two players push a puck in turn, and both at once, and what they saw.
type rally struct {
	m     *match
	truth []track.Entity // the puck after each tick
	drawn [2][]drawnPuck
	stats [2]remote.BodyStats
}

// playRally plays 24 s over a network.
func playRally(t testing.TB, net mem.Network) *rally {
	level := rinkLevel()
	r := &rally{m: newMatch(level, geom.V(-6, .02, 1), geom.V(6, .02, -1))}
	r.m.field.Spawn(puckKind, geom.V(0, .08, 0))
	r.m.ticked = func(now clock.Micros) { r.truth = r.m.field.Bodies(r.truth) }
	experiment(t, r.m, level, net, 24*clock.Second, func(i int, p *player, local, at clock.Micros) movement.Command {
		r.stats[i] = p.screen.Stats()
		list := p.screen.Drawn()
		if len(list) == 0 {
			return movement.Command{}
		}
		b, now := list[0], p.Now(local)
		r.drawn[i] = append(r.drawn[i], drawnPuck{at: now + b.Lead, now: now, DrawnBody: b})
		return chase(i, p, &b, at)
	})
	return r
}

// chase walks at the puck: the first player in the first 5 s of every 12, the second in the next 5, both
// in the last 2. A player that has none of it goes back.
func chase(i int, p *player, b *remote.DrawnBody, at clock.Micros) movement.Command {
	self, phase := p.Self(), math.Mod(at.Seconds(), 12)
	if self == nil {
		return movement.Command{}
	}
	goal := b.Position
	if mine := phase >= 10 || int(phase/5) == i; !mine {
		goal = geom.V(float64(12*i)-6, 0, float64(1-2*i))
	}
	way := goal.Sub(self.Position).Flat(geom.Up)
	c := movement.Command{Yaw: geom.Yaw(way)}
	if way.Len() > .3 {
		c.Forward = .6
	}
	return c
}

// at returns where the server had the puck at a match time, and false before and after the match.
func (r *rally) at(at clock.Micros) (geom.Vec3, bool) {
	i, _ := slices.BinarySearchFunc(r.truth, at, func(e track.Entity, at clock.Micros) int { return int(e.At - at) })
	if i == 0 || i == len(r.truth) {
		return geom.Vec3{}, false
	}
	a, b := &r.truth[i-1], &r.truth[i]
	return a.Position.Lerp(b.Position, float64(at-a.At)/float64(b.At-a.At)), true
}

// seen is what is wrong with what a player saw of the puck.
type seen struct {
	mean, p99 float64 // metres between the drawn puck and the server's at the instant that it is drawn for
	went      float64 // metres
	reversals int     // frames before which, within 250 ms, it was drawn back by more than 5 cm
	pops      int     // steps of more than 10 cm beyond what its velocity explains
}

// seen returns what a player saw.
func (r *rally) seen(i int) (s seen) {
	var errors []float64
	sum, list := 0.0, r.drawn[i]
	for k := range list {
		d := &list[k]
		if at, ok := r.at(d.at); ok {
			off := d.Position.Dist(at)
			errors, sum = append(errors, off), sum+off
		}
		if k == 0 {
			continue
		}
		was := &list[k-1]
		step, dt := d.Position.Sub(was.Position), (d.now - was.now).Seconds()
		s.went += step.Len()
		if step.Len() > max(d.Velocity.Len(), was.Velocity.Len())*dt+.1 {
			s.pops++
		}
		if r.drawnBack(i, k) > .05 {
			s.reversals++
		}
	}
	slices.Sort(errors)
	s.mean, s.p99 = sum/float64(len(errors)), errors[len(errors)*99/100]
	return s
}

// drawnBack returns how far the puck was drawn against its own motion within 250 ms before a frame.
func (r *rally) drawnBack(i, k int) float64 {
	list, back := r.drawn[i], 0.0
	for n := k; n > 0 && list[k].now-list[n].now <= clock.Second/4; n-- {
		dir := list[n].Velocity.Unit()
		if list[n-1].Velocity.Dot(dir) > 0 { // not when it has just bounced
			back += max(-list[n].Position.Sub(list[n-1].Position).Dot(dir), 0)
		}
	}
	return back
}

// hash is FNV-1a over the server's puck and all that was drawn.
func (r *rally) hash() uint64 {
	h := fnv.New64a()
	for i := range r.truth {
		fmt.Fprintf(h, "%d %x %x;", r.truth[i].At, r.truth[i].Position, r.truth[i].Rotation)
	}
	for i := range r.drawn {
		for k := range r.drawn[i] {
			fmt.Fprintf(h, "%d %x;", r.drawn[i][k].now, r.drawn[i][k].Position)
		}
	}
	return h.Sum64()
}

// A puck on a floor, pushed by two players in turn and at once, over 150 ms without loss and with 5 %:
// it is drawn where the server will have it, but for what the other player does to it meanwhile, is
// hardly ever drawn back by more than 5 cm within 250 ms, and never pops. [RIG-01, RIG-11,
// GAP-27, GAP-37]
func TestTwoPlayersPushAPuck(t *testing.T) {
	for _, loss := range []float64{0, .05} {
		t.Run(fmt.Sprintf("%.0f %% lost", 100*loss), func(t *testing.T) {
			r := playRally(t, mem.Network{RTT: 150 * time.Millisecond, Loss: loss})
			for i := range r.drawn {
				s := r.seen(i)
				docs.Check(t, fmt.Sprintf("player %d", i+1), .2, "%.1f cm | %.0f cm | %d | %d | %d", 100*s.mean, 100*s.p99, s.reversals, s.pops, r.stats[i].Snaps)
				if s.mean > .1 || s.reversals > 6 || s.pops != 0 || r.stats[i].Snaps != 0 || s.went < 20 {
					t.Errorf("player %d saw %+v, %d snaps; want a mean of 10 cm and 6 frames of reversals at most, and no pop or snap", i+1, s, r.stats[i].Snaps)
				}
			}
		})
	}
}

// The same match twice gives the same bits, on both ends: of the server's puck and of all that was
// drawn.
func TestAMatchIsTheSameBitsTwice(t *testing.T) {
	net := mem.Network{RTT: 150 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: .05}
	if a, b := playRally(t, net).hash(), playRally(t, net).hash(); a != b {
		t.Errorf("hash %#x, then %#x", a, b)
	}
}

// A resting puck moves on the screen of the player that walks into it before it moves on the server,
// by nearly the time that the command takes there, over 150 ms. [RIG-11]
func TestAPushedPuckAnswersAtOnce(t *testing.T) {
	level := rinkLevel()
	m := newMatch(level, geom.V(-3, .02, 0))
	id := m.field.Spawn(puckKind, geom.V(0, .08, 0))
	var here, there clock.Micros // when it moved on the screen, and on the server
	m.ticked = func(now clock.Micros) {
		if there == 0 && m.field.Motion(id).Velocity.Len() > .5 {
			there = now
		}
	}
	experiment(t, m, level, mem.Network{RTT: 150 * time.Millisecond}, 3*clock.Second, func(_ int, p *player, local, _ clock.Micros) movement.Command {
		if list := p.screen.Drawn(); here == 0 && len(list) > 0 && list[0].Velocity.Len() > .5 {
			here = p.Now(local)
		}
		return movement.Command{Yaw: -math.Pi / 2, Forward: .5}
	})
	if early := there - here; here == 0 || there == 0 || early < 60*clock.Millisecond || early > 110*clock.Millisecond {
		t.Errorf("it moved at %v on the screen and at %v on the server, want 60 to 110 ms between", here, there)
	}
}

// A match with pucks in motion allocates nothing, neither on the server nor on a client in its process.
func TestPucksDoNotAllocate(t *testing.T) {
	level := rinkLevel()
	m := newMatch(level, geom.V(-3, .02, 0))
	m.events = make([]bodies.Event, 0, 1<<20)
	for i := range 8 {
		m.field.Spawn(puckKind, geom.V(float64(i)-2, .08, .1*float64(i)))
	}
	m.field.AddZone(bodies.Zone{Half: geom.V(2, 2, 2)})
	p, loop, tick := newPlayer(level), session.Loopback{}, int64(0)
	peer := loop.Add(p)
	step := func() {
		tick++
		now := clock.TickTime(tick, 60)
		p.play(now, movement.Command{Forward: 1, Yaw: geom.WrapAngle(now.Seconds())})
		loop.Send(peer, m, now)
		m.field.SetVelocity(track.ID(129+tick%8), geom.V(3, 0, 2), geom.Vec3{})
		m.Tick(now)
		loop.Deliver(now, m.Outgoing())
	}
	for range 600 {
		step()
	}
	if n := testing.AllocsPerRun(300, step); n != 0 || len(p.screen.Drawn()) != 8 {
		t.Errorf("%v allocations a tick with %d pucks, want none with 8", n, len(p.screen.Drawn()))
	}
}
