package predict

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// The server pushes in every tick (wind) while none of its answers arrives, for as long as it takes 60,
// 64, 128, 256 or 300 corrections. With the first that arrives the owner has the true state, and both
// agree from then on. [GAP-23]
func TestCorrectionsThatAreAllLost(t *testing.T) {
	for _, unheard := range []int{1, 59, 60, 61, 63, 64, 65, 127, 128, 129, 200, 255, 256, 257, 300} {
		o, a := newToyOwner(toyState{Ammo: 5}), newToyAuthority(toyState{Ammo: 5})
		now := clock.Micros(0)
		step := func(wind, heard bool) {
			now += clock.Second / 60
			o.Advance(now, clock.Second/60, toyInput{X: 1})
			if err := open(a, now, sealed(o, 600)); err != nil {
				t.Fatal(err)
			}
			for a.Next(now) {
			}
			if wind {
				a.Modify(func(s *toyState) { s.Pos.Z += 0.01 })
			}
			if v := a.Verdict(now); heard {
				o.Receive(copied(v))
			}
		}
		for range 30 {
			step(false, true)
		}
		for range unheard {
			step(true, false)
		}
		for range 60 {
			step(false, true)
		}
		if a.correcting || *o.State() != *a.State() || o.Counters().ServerForces == 0 {
			t.Errorf("%d unheard: correcting %v, owner %+v, authority %+v", unheard, a.correcting, *o.State(), *a.State())
		}
		before := a.Counters()
		a.Modify(func(s *toyState) { s.Pos.Z++ })
		for range 10 {
			step(false, true)
		}
		if *o.State() != *a.State() || a.Counters().Corrections != before.Corrections {
			t.Errorf("%d unheard: the next push: owner %+v, authority %+v, %+v", unheard, *o.State(), *a.State(), a.Counters())
		}
	}
}

// As many corrections are open as there may be, and the owner applies the newest. Before its packet arrives the server
// pushes once more, which replaces the correction that the owner has: it is begun again, and the owner learns of that
// push as of any other. [GAP-23]
func TestACorrectionThatWasReplacedIsBegunAgain(t *testing.T) {
	o, a := newToyOwner(toyState{Ammo: 5}), newToyAuthority(toyState{Ammo: 5})
	now := clock.Micros(0)
	step := func(pushes int) {
		now += clock.Second / 60
		o.Advance(now, clock.Second/60, toyInput{X: 1})
		if err := open(a, now, sealed(o, 600)); err != nil {
			t.Fatal(err)
		}
		for a.Next(now) {
		}
		for range pushes {
			a.Modify(func(s *toyState) { s.Pos.Z += 0.01 })
		}
		o.Receive(copied(a.Verdict(now)))
	}
	for range 30 {
		step(0)
	}
	step(maxOpenCorrections)
	now += clock.Second / 60
	o.Advance(now, clock.Second/60, toyInput{X: 1})
	a.Modify(func(s *toyState) { s.Pos.Z += 0.01 })
	if err := open(a, now, sealed(o, 600)); err != nil {
		t.Fatal(err)
	}
	for range 30 {
		step(0)
	}
	if n := a.Counters().Corrections; *o.State() != *a.State() || n != 0 {
		t.Errorf("owner %+v, authority %+v, %d mispredictions; want the same state, and none", *o.State(), *a.State(), n)
	}
}
