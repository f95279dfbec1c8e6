package predict

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// heavy is a toy whose step costs about what a character's on a real level does, 2 µs.
type heavy struct{ toy }

func (h heavy) Step(s *toyState, c *toyCommand) {
	h.toy.Step(s, c)
	for range 45 {
		in := c.Input
		in.Fire = false
		t := *s
		h.glide(&t, &in, c.Duration)
	}
}

func BenchmarkHeavyStep(b *testing.B) {
	var rules Rules[toyState, toyInput] = heavy{}
	s, in := toyState{}, toyCommand{Duration: frame60, Input: toyInput{X: 1}}
	for b.Loop() {
		rules.Step(&s, &in)
	}
}

// One new move a packet, with two older ones: read, queued, run, checked and answered.
// It should take no more than 1.3 times BenchmarkHeavyStep.
func BenchmarkHeavyAuthority(b *testing.B) {
	const n = 512
	o := NewOwner[toyState, toyInput](heavy{}, toyState{})
	o.Combining = false
	var packets [n][]byte
	now := clock.Second
	for i := range packets {
		now += frame60
		o.Advance(now-now%Grain, frame60, toyInput{X: 1})
		packets[i] = sealed(o, 1000)
		o.Receive(&toyVerdict{Number: max(o.number, 2) - 2})
	}
	a := NewAuthority[toyState, toyInput](heavy{}, toyState{})
	var p bits.Packer
	i := 0
	for b.Loop() {
		if i%n == 0 {
			b.StopTimer()
			a = NewAuthority[toyState, toyInput](heavy{}, toyState{})
			now = clock.Second
			b.StartTimer()
		}
		now += frame60
		p.Read(packets[i%n])
		if err := a.Receive(now, now, &p); err != nil {
			b.Fatal(err)
		}
		for a.Next(now) {
		}
		if a.Verdict(now).Correction {
			b.Fatal("corrected")
		}
		i++
	}
}

// An authority allocates nothing whatever its owner does: waits, holds, gaps, silence,
// discrepancies and their resolution.
func TestAuthoritiesDoNotAllocate(t *testing.T) {
	a := newToyAuthority(toyState{})
	a.Hold, a.RoundTrip = 20*clock.Millisecond, 60*clock.Millisecond
	now, number := 10*clock.Second, uint32(0)
	moves := make([]toyCommand, 3)
	n := testing.AllocsPerRun(3000, func() {
		now += frame60
		phase := number / 200 % 4
		number++
		if phase == 1 && number%3 == 0 {
			number++
		}
		long := frame60
		if phase == 2 {
			long *= 3
		}
		for i := range moves {
			c := &moves[i]
			c.Number, c.Duration = max(number, 3)-2+uint32(i), long
			c.Stamp = now + clock.Micros(i-2)*frame60
			if phase == 2 {
				c.Stamp += 400 * clock.Millisecond
			}
		}
		if phase != 3 || number%60 == 0 {
			hand(a, now, moves...)
		}
		for a.Next(now) {
		}
		a.Verdict(now)
		if number%7 == 0 {
			confirm(a)
		}
	})
	c := a.Counters()
	if n != 0 || c.Forced < 100 || c.Fillers < 5 || c.Slowed < 5 || a.Discrepancy().Episodes < 2 {
		t.Errorf("%v allocations a tick\n%+v\n%+v", n, c, a.Discrepancy())
	}
}
