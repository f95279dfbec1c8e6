package session_test

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// HIT-16: the server's machine is busy with other things: its ticks are late, some of them by several ticks, which
// are skipped. Snapshots come late then, so clients draw others later; that is no fault of theirs, and their shots are
// judged as they aimed. So it is where the players' machine is the same and their frames are late too.
func TestShotsWhileTheServerIsBusy(t *testing.T) {
	singleThreaded(t)
	for _, c := range []struct {
		name          string
		often, seldom clock.Micros // by how much a tick is late: at most, and one in 50
		frames        clock.Micros // by how much a frame is late, one in 30
		stall         clock.Micros // all of them stand still for so long, once in 5 s
	}{
		{"ticks late by up to 10 ms", 10 * ms, 10 * ms, 0, 0},
		{"and some by up to 60 ms", 10 * ms, 60 * ms, 0, 0},
		{"and some by up to 150 ms", 10 * ms, 150 * ms, 0, 0},
		{"frames too", 10 * ms, 60 * ms, 60 * ms, 0},
		{"a stall of 130 ms in 5 s", 0, 0, 0, 130 * ms},
	} {
		for _, rtt := range []clock.Micros{1 * ms, 60 * ms} {
			for seed := range uint64(2) {
				r := newRing(t, 30+seed, session.ServerConfig{}, rifle, geom.V(0, 0, 0), geom.V(10, 0, 0))
				for _, p := range r.parties {
					p.line(rtt/2, rtt/2)
				}
				dice := r.rnd
				r.late = func() clock.Micros {
					if c.stall > 0 && dice.IntN(300) == 0 {
						return c.stall
					}
					if dice.IntN(50) == 0 {
						return clock.Micros(dice.Int64N(int64(c.seldom) + 1))
					}
					return clock.Micros(dice.Int64N(int64(c.often) + 1))
				}
				r.parties[0].every = func(clock.Micros) clock.Micros {
					if c.frames > 0 && dice.IntN(30) == 0 {
						return clock.Second/60 + clock.Micros(dice.Int64N(int64(c.frames)))
					}
					return clock.Second / 60
				}
				r.parties[1].input = orbiting(geom.Vec3{}, 10)
				allAgree(r, fmt.Sprintf("%s, %d ms, seed %d", c.name, rtt/ms, 30+seed))
			}
		}
	}
}

// HIT-16: some of the others stand still now and then, each by itself: their samples come late and all draw everybody
// later for it, by what is rare. A server has to see the same rare things as its clients.
func TestShotsAmongPlayersWhoStall(t *testing.T) {
	singleThreaded(t)
	const stall = 300 * ms
	for _, others := range []int{4, 15} {
		for seed := range uint64(3) {
			places := []geom.Vec3{geom.V(0, 0, 0)}
			for i := range others {
				sin, cos := geom.SinCos(float64(i))
				places = append(places, geom.V(10*cos, 0, 10*sin))
			}
			r := newRing(t, 40+seed, session.ServerConfig{Players: 20}, rifle, places...)
			dice := r.rnd
			for i, p := range r.parties {
				p.line(5*ms, 5*ms)
				if i == 0 {
					continue
				}
				p.input = orbiting(geom.Vec3{}, 10)
				p.every = func(clock.Micros) clock.Micros {
					if dice.IntN(280*others) == 0 { // as seldom as what just decides the delay: once in 4.7 s in all
						return stall/2 + clock.Micros(dice.Int64N(int64(stall)/2))
					}
					return clock.Second / 60
				}
			}
			allAgree(r, fmt.Sprintf("%d others stall for up to %d ms, seed %d", others, stall/ms, 40+seed))
		}
	}
}

// allAgree lets the first player shoot for a minute, and requires that every verdict is what its screen showed.
func allAgree(r *ring, what string) {
	r.t.Helper()
	fire := shoots(rifle, func(*party, clock.Micros, *shot.Claim) {})
	r.ready()
	r.parties[0].input = fire
	r.run(r.now() + 60*clock.Second)
	s := r.parties[0].Stats()
	why := map[string]int{}
	for _, e := range r.shots {
		if !e.Receipt.Agrees {
			why[e.Receipt.Reason.String()]++
		}
	}
	agreed, judged := s.Agreed, s.Agreed+s.Disagreed
	r.t.Logf("%s: %d of %d shots agreed, %d corrections; %v", what, agreed, judged, s.Moves.Corrections, why)
	if judged < 100 || agreed != judged {
		r.t.Errorf("%s: %d of %d shots agreed, want all; %v", what, agreed, judged, why)
	}
}
