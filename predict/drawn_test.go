package predict

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// A server pushes an owner that walks and shoots: each shot leaves from where the owner
// drew itself, also in the round trip in which it does not know of the push. Where
// packets are lost a shot may be off that was in a lost packet when the owner learnt, but
// not one in a hundred. [E2E-05, HIT-17]
func TestPushedOwnersShootFromWhereTheyAreDrawn(t *testing.T) {
	for _, c := range []struct {
		loss, most float64 // most is the share of moves that may be off
	}{{0, 0}, {0.05, 0.01}} {
		for seed := range uint64(10) {
			var pushed clock.Micros
			moves, off, presently := 0, 0, 0
			l := link{seed: seed, fps: 60, ping: 50 * clock.Millisecond, jitter: 10 * clock.Millisecond, loss: c.loss}
			l.push = func(now clock.Micros, a *toyAuthority) {
				a.RoundTrip = 100 * clock.Millisecond
				if now-pushed > 700*clock.Millisecond {
					pushed = now
					a.Modify(func(s *toyState) { s.Vel.X += 3 })
				}
			}
			l.ran = func(a *toyAuthority, drawn toyState) {
				moves++
				if a.DrawnState().Pos.Dist(drawn.Pos) > 0.018 {
					off++
				}
				if a.StateBefore().Pos.Dist(drawn.Pos) > 0.018 {
					presently++
				}
			}
			l.play(t, 30*clock.Second)
			if share := float64(off) / float64(moves); share > c.most || presently < moves/20 {
				t.Errorf("seed %d, %v %% loss: %d of %d moves left from elsewhere (%.4f), want %v; %d would in the state with the push, want many",
					seed, 100*c.loss, off, moves, share, c.most, presently)
			}
		}
	}
}

// An owner that claims not to know of a push is believed for the round trip and 250 ms, no longer. [HIT-17]
func TestUnawareOwnersAreBelievedForARoundTrip(t *testing.T) {
	o, a := newToyOwner(toyState{Ammo: 1000}), newToyAuthority(toyState{Ammo: 1000})
	a.RoundTrip = 100 * clock.Millisecond
	const frame = 417 * TimeQuantum
	pushedAt, until := clock.Micros(0), clock.Micros(0)
	for i := range 100 {
		now := clock.Second + clock.Micros(i)*frame
		o.Advance(now, frame, toyInput{X: 1})
		if err := open(a, now, sealed(o, 600)); err != nil { // and no verdict reaches it
			t.Fatal(err)
		}
		for a.Next(now) {
			if pushedAt > 0 && *a.DrawnState() != *a.StateBefore() {
				until = a.Stamp()
			}
		}
		if i == 20 {
			pushedAt = a.Stamp()
			a.Modify(func(s *toyState) { s.Vel.Z += 3 })
		}
	}
	if got, want := until-pushedAt, a.RoundTrip+maxUnaware; got > want || got < want-2*frame {
		t.Errorf("shots left from the state without the push for %d ms, want %d", got/1000, want/1000)
	}
}

// A pushed owner is put elsewhere before it knows of the push, as one that dies of it. Its next moves come from where it
// was, and their shots leave from the new place all the same: nobody shoots from where it died. [HIT-17]
func TestAnOwnerThatWasPutElsewhereShootsFromThere(t *testing.T) {
	o, a := newToyOwner(toyState{Ammo: 1000}), newToyAuthority(toyState{Ammo: 1000})
	a.RoundTrip = 100 * clock.Millisecond
	const frame, at = 417 * TimeQuantum, 20
	ran := 0
	for i := range 2 * at {
		now := clock.Second + clock.Micros(i)*frame
		o.Advance(now, frame, toyInput{X: 1})
		if err := open(a, now, sealed(o, 600)); err != nil { // and no verdict reaches it
			t.Fatal(err)
		}
		for a.Next(now) {
			if i <= at {
				continue
			}
			if ran++; *a.DrawnState() != *a.StateBefore() {
				t.Fatalf("a shot of move %d leaves from %v, want %v", a.Number(), a.DrawnState().Pos, a.StateBefore().Pos)
			}
		}
		if i == at {
			a.Modify(func(s *toyState) { s.Vel.Z += 3 })
			a.SetState(toyState{Ammo: 1000, Pos: geom.V(50, 0, 0)}, 0, 0)
		}
	}
	if ran < at/2 {
		t.Errorf("%d moves were run after that, want some %d", ran, at)
	}
}

// All packets are lost for 650 ms now and then, longer than an owner is waited for, and for 240 ms in
// between. The owner turns and shoots all the while: of its moves that are run, each shot leaves from
// where the owner drew itself, also until it has applied the correction after a silence. Only the first
// outage may come before it is known that the link loses packets in runs. [HIT-19, TIM-16]
func TestOwnersShootFromWhereTheyAreDrawnAfterASilence(t *testing.T) {
	for seed := range uint64(10) {
		moves, off, presently := 0, 0, 0
		l := link{seed: seed, fps: 60, ping: 50 * clock.Millisecond, jitter: 10 * clock.Millisecond}
		l.stall = func(now clock.Micros) (clock.Micros, bool) {
			at := now % (3 * clock.Second)
			return 0, at > 500*ms && at < 740*ms || at > 1500*ms && at < 2150*ms
		}
		l.ran = func(a *toyAuthority, drawn toyState) {
			a.RoundTrip = 100 * clock.Millisecond
			moves++
			if a.DrawnState().Pos.Dist(drawn.Pos) > 0.018 {
				off++
			}
			if a.StateBefore().Pos.Dist(drawn.Pos) > 0.018 {
				presently++
			}
		}
		l.play(t, 60*clock.Second)
		if c := l.a.Counters(); off > moves/100 || presently < moves/30 || c.Timeouts < 6 || c.Corrections > 0 {
			t.Errorf("seed %d: %d of %d moves left from elsewhere, want at most those of one outage; %d would in the server's state, want many\n%+v",
				seed, off, moves, presently, c)
		}
	}
}
