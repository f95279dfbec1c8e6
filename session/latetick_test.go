package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// Once a second a tick begins late, by up to nearly a tick: it reads packets that arrived after its own time. On a link of
// 30 ms each way the server measures 60 ms all the same, and the client's clock is right. [TIM-17]
func TestTicksThatBeginLate(t *testing.T) {
	for seed := range uint64(4) {
		for _, late := range []clock.Micros{4_000, 10_000, 16_000} {
			for _, fps := range []float64{50, 60, 144} {
				p := newPair(t, seed, 60, plane(t))
				p.frames.fps = fps
				p.up.delay, p.down.delay = 30*clock.Millisecond, 30*clock.Millisecond
				p.connect()
				measured := 0
				for from := p.now(); p.now() < from+10*clock.Second; p.tick++ {
					begins := p.now()
					if p.tick%60 == 0 {
						begins += late
					}
					for p.frames.next <= begins {
						p.frame(p.frames.next)
						p.frames.pass(p.rnd)
					}
					p.serveLate(begins)
					if p.now() < from+5*clock.Second {
						continue
					}
					measured++
					trip, off := p.server.Players(nil)[0].MinRTT, p.client.Now(p.clock.read(begins))-begins
					if trip < 59_900 || trip > 60_200 || max(off, -off) > 100 {
						t.Fatalf("seed %d, %v fps, %d µs late: got a round trip of %d µs and a clock that is off by %d µs; want 59900 to 60200 and at most 100",
							seed, fps, late, trip, off)
					}
				}
				if measured < 200 {
					t.Errorf("measured %d times, want 200", measured)
				}
			}
		}
	}
}

// serveLate is one tick of the server, which begins at a match time after its own.
func (p *pair) serveLate(begins clock.Micros) {
	for m := p.up.next(begins); m != nil; m = p.up.next(begins) {
		if err := p.server.Receive(p.peer, m.ch, m.due, m.bytes); err != nil {
			panic(err)
		}
	}
	p.server.Tick(p.now())
	for _, e := range p.server.Events() {
		if e.Kind == session.Joined {
			p.server.SetState(e.Player, geom.Vec3{})
		}
	}
	p.server.Send()
	for _, out := range p.server.Outgoing() {
		p.down.send(begins, p.rnd, out)
	}
}

// Every tick begins late, by the same time, as on a machine that wakes late. A client of 60 frames a second, all of
// whose datagrams arrive between a tick's time and its beginning, plays within two seconds, and its clock follows. [TIM-17]
func TestEveryTickBeginsLate(t *testing.T) {
	const late, up = 10 * clock.Millisecond, 30 * clock.Millisecond
	p := newPair(t, 1, 60, plane(t))
	p.up.delay, p.down.delay = up, up
	p.frames.sleep(p.now() + clock.TickTime(3, 60) - up + late/2) // arrives 5 ms after a tick
	p.connect()
	from := p.now()
	for ; p.now() < from+10*clock.Second; p.tick++ {
		begins := p.now() + late
		for p.frames.next <= begins {
			p.frame(p.frames.next)
			p.frames.pass(p.rnd)
		}
		p.serveLate(begins)
		if p.now() < from+2*clock.Second {
			continue
		}
		// The server answers up to a tick's lateness after the time that it names: half of that is the clock's error.
		off := p.client.Now(p.clock.read(begins)) - begins
		if p.client.Phase() != session.Playing || max(off, -off) > late {
			t.Fatalf("%d ms after the beginning: got phase %d and a clock that is off by %d µs; want phase %d and at most %d µs",
				(p.now()-from)/clock.Millisecond, p.client.Phase(), off, session.Playing, late)
		}
	}
}
