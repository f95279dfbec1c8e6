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

// Frames so long that the server leaves out a part of them cost corrections, and these name their cause: the
// owner was silent for too long, its rules predicted nothing wrong. A server that has learnt to wait
// for half a second simulates less in one instant. [TIM-16]
func TestCorrectionsOfLongFramesNameTheirCause(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	timeouts := 0
	for range 40 {
		p := newPair(toy{})
		p.frames(t, 120, &toyInput{X: 1})
		for range 5 {
			p.cut = true // a run of lost packets
			p.frames(t, 14, &toyInput{X: 1})
			p.cut = false
			p.frames(t, r.IntN(60), &toyInput{Z: 1})
			long := 300*clock.Millisecond + clock.Micros(r.Int64N(300_000))
			for end := p.now + long - frame60; p.now < end; { // the screen stands still
				p.frame(t, nil)
			}
			p.now += frame60
			p.o.Advance(p.now-p.now%TimeQuantum, long, toyInput{X: -1})
			p.mail, p.due = append(p.mail, sealed(p.o, 1000)), append(p.due, p.now+30*clock.Millisecond)
			p.frames(t, r.IntN(60), &toyInput{X: -1})
		}
		c := p.a.Counters()
		if timeouts += c.Timeouts; c.Corrections > 0 {
			t.Errorf("seed %d: %d corrections are called mispredictions, want none: %v", seed, c.Corrections, p.cause)
		}
	}
	if timeouts < 20 {
		t.Errorf("only %d corrections after timeouts", timeouts)
	}
}

// What a silence leaves wrong may be too little for a correction at first and more later: that is not a
// misprediction either, until a claim has agreed exactly. [GAP-11]
func TestTheRestOfASilenceIsNoMisprediction(t *testing.T) {
	for _, c := range []struct {
		agrees bool
		want   Cause
	}{{false, Timeout}, {true, Misprediction}} {
		p := newPair(toy{})
		p.frames(t, 60, &toyInput{X: 1})
		if !c.agrees {
			p.o.state.Pos.Y += 0.010
		}
		p.frames(t, 5, &toyInput{X: 1}) // moves of before are on their way
		p.a.silence.timedOut = true
		p.frames(t, 10, &toyInput{X: 1})
		if len(p.cause) > 0 {
			t.Fatalf("10 mm are corrected: %v", p.cause)
		}
		p.o.state.Pos.Y += 0.025 // what the 10 mm lead to
		p.frames(t, 10, &toyInput{X: 1})
		if len(p.cause) != 1 || p.cause[0] != c.want {
			t.Errorf("a claim agreed before: %v: corrections by %v, want one by %v", c.agrees, p.cause, c.want)
		}
	}
}
