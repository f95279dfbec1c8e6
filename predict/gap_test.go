package predict

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// HIT-15, TIM-04, GAP-11: frames of up to a second, one after the other, of an owner who walks
// on and shoots as often as it has a frame: the server has it where the owner has, but for
// the steps of another length that it made in silence, and each shot leaves from where the
// owner last drew itself, within what is never corrected. Frames of up to 250 ms are
// simulated bit for bit alike.
func TestLongFramesAreFilled(t *testing.T) {
	const seed, tick = 7, 16667
	for _, c := range []struct {
		least, most clock.Micros
		off         float64 // in metres, at most
		corrections int
	}{
		{130 * clock.Millisecond, 240 * clock.Millisecond, 0, 0},
		{300 * clock.Millisecond, 550 * clock.Millisecond, 0.2, 60},
		{130 * clock.Millisecond, 990 * clock.Millisecond, 0.2, 60},
	} {
		r := rand.New(rand.NewPCG(seed, 0))
		o, a := newToyOwner(toyState{Ammo: 1000}), newToyAuthority(toyState{Ammo: 1000})
		now, next := clock.Micros(0), clock.Micros(20_000)
		last, worst, apart, frames := next-16_680, 0.0, 0, 0
		var drawn toyState
		for ; frames < 200; now += tick {
			if now >= next {
				in := toyInput{X: 1 - 2*(frames/20%2), Fire: true}
				if v := a.Verdict(now); v != nil {
					o.Receive(copied(v))
				}
				o.ApplyCorrection()
				drawn = *o.State()
				if o.Advance(next, next-last, in) == nil {
					t.Fatal("a frame without a move")
				}
				if err := open(a, now, sealed(o, 600)); err != nil {
					t.Fatal(err)
				}
				last, next, frames = next, next+c.least+clock.Micros(r.Int64N(int64(c.most-c.least))), frames+1
			}
			for a.Next(now) {
				if a.GapFill() || a.Command().Number != o.Number() {
					continue
				}
				worst = max(worst, a.State().Pos.Dist(o.State().Pos))
				if a.Number() > 1 && a.DrawnState().Pos.Dist(drawn.Pos) > 0.018 {
					apart++
				}
			}
		}
		n := o.Counters().Corrections + o.Counters().Timeouts
		t.Logf("frames of %d to %d ms: %.3f m apart at most, %d shots of %d from elsewhere, %d corrections", c.least/1000, c.most/1000, worst, apart, frames, n)
		if worst > c.off || apart > 0 || n > c.corrections {
			t.Errorf("frames of %d to %d ms: %.3f m apart at most, %d shots of %d from elsewhere, %d corrections; want %.3f, 0 and at most %d",
				c.least/1000, c.most/1000, worst, apart, frames, n, c.off, c.corrections)
		}
	}
}
