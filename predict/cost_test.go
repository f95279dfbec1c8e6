package predict

import (
	"testing"
	"time"

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

// A packet with one new move and two older ones: read, queued, run, checked and
// answered. "times" is how many steps alone would have taken as long: at most 1.3.
func BenchmarkAuthorityAgainstTheStep(b *testing.B) {
	rules := heavy{}
	a, o := NewAuthority[toyState, toyInput](rules, toyState{}, nil), newToyOwner(toyState{})
	now := clock.Second
	for range 3 {
		now += frame60
		o.Advance(now, frame60, toyInput{X: 1})
	}
	var p bits.Packer
	packet := sealed(o, 1000)
	round := func() {
		now += frame60
		p.Read(packet)
		if err := a.Receive(now, now, &p); err != nil {
			b.Fatal(err)
		}
		c := &a.in.moves[0]
		c.Number, c.Stamp, a.in.count, a.in.epoch = max(a.last, 3)+1, now, 1, 0
		a.enqueuePacket(now)
		for a.Next(now) {
		}
		a.Verdict(now)
	}
	var whole, bare time.Duration
	state, in := toyState{}, toyCommand{Duration: frame60, Input: toyInput{X: 1}}
	var step Rules[toyState, toyInput] = rules
	for b.Loop() {
		t := time.Now()
		for range 100 {
			round()
		}
		whole += time.Since(t)
		t = time.Now()
		for range 100 {
			step.Step(&state, &in)
		}
		bare += time.Since(t)
	}
	b.ReportMetric(float64(whole)/float64(bare), "times")
	b.ReportMetric(float64(bare.Nanoseconds())/float64(b.N)/100, "ns/step")
	b.ReportMetric(float64(whole.Nanoseconds())/float64(b.N)/100, "ns/move")
}

// An authority allocates nothing whatever its owner does: waits, holds, gaps, silence,
// discrepancies and their resolution.
func TestAuthoritiesDoNotAllocate(t *testing.T) {
	a := newToyAuthority(toyState{})
	a.InputDelay, a.RoundTrip = 20*clock.Millisecond, 60*clock.Millisecond
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
	if n != 0 || c.ServerDriven < 100 || c.GapFills < 5 || c.Throttles < 5 || a.Discrepancy().Episodes < 2 {
		t.Errorf("%v allocations a tick\n%+v\n%+v", n, c, a.Discrepancy())
	}
}
