package predict

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// rig exchanges packets and verdicts without allocating.
type rig struct {
	o    *toyOwner
	a    *toyAuthority
	p    bits.Packer
	buf  [1200]byte
	now  clock.Micros
	lost int
	v    *toyVerdict
}

func newRig() *rig {
	return &rig{o: newToyOwner(toyState{Ammo: 9}), a: newToyAuthority(toyState{Ammo: 9}), now: clock.Second}
}

// round is one frame of everything: move, pack, receive, run, answer, and sometimes
// a correction with its replay.
func (r *rig) round() {
	r.now += 16667
	r.o.Advance(r.now, 16667, toyInput{X: 1})
	r.p.Write(r.buf[:])
	r.o.Pack(&r.p, 1000)
	r.p.Read(r.p.Bytes())
	if r.a.Receive(r.now, r.now, &r.p) != nil {
		panic(r.p.Err())
	}
	for r.a.Next(r.now) {
	}
	if r.lost++; r.lost%30 == 0 {
		s := *r.a.State()
		s.Pos.X++
		r.a.SetState(s, 0, 0)
	}
	switch r.lost % 10 {
	case 0:
		r.v = r.a.Verdict(r.now)
	case 4:
		if r.v != nil {
			r.o.Receive(r.v)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	r := newRig()
	if n := testing.AllocsPerRun(500, r.round); n != 0 {
		t.Errorf("a frame of everything allocates %v times, want 0", n)
	}
	if c := r.o.Counters(); c.Teleports == 0 || c.Replayed == 0 {
		t.Errorf("nothing was corrected: %+v", c)
	}
}

// The owner alone: frames of which four make a move, urgent ones, a line that stalls,
// corrections of all causes with what they were about. [CMD-04]
func TestOwnerNeverAllocates(t *testing.T) {
	o := NewOwner[toyState, toyInput](toy{}, toyState{Ammo: 9})
	var p bits.Packer
	var v toyVerdict
	buf := make([]byte, 1200)
	now, n := clock.Second, 0
	frame := func() {
		now += 4160
		n++
		o.Advance(now, 4160, toyInput{X: 1 - n/40%2, Fire: n%50 == 0})
		if n%4 > 0 && !o.Urgent() {
			return
		}
		o.SetLoss(float64(n%30)/100, n%9)
		p.Write(buf)
		o.Pack(&p, 600)
		if n%400 > 200 {
			return // nothing is answered
		}
		v.Number = o.Number()
		if v.Correction = n%24 == 0; v.Correction {
			v.Number -= uint32(min(o.Unacked()-1, 5))
			v.Epoch++
			v.State, v.Cause = *o.State(), Cause(n/24%5)
			v.State.Vel.Z++
			v.State.Ammo = n % 9
		}
		o.Receive(&v)
		if len(o.RecentCorrections()) > 16 {
			panic("too many corrections")
		}
	}
	if n := testing.AllocsPerRun(20000, frame); n != 0 {
		t.Errorf("an owner's frame allocates %v times, want 0", n)
	}
	if c := o.Counters(); c.Combined < 5000 || c.Stalled == 0 || c.Corrections == 0 || c.Throttles == 0 || c.Replayed == 0 || c.NotCombined == 0 {
		t.Errorf("not everything happened: %+v", c)
	}
}

// BenchmarkOwnerAgainstTheStep is a frame: a move, a correction that is explained and
// waits, a replay of twelve moves, and that with a move. "times" is how many bare steps
// would have taken as long: the replay at most 13.
func BenchmarkOwnerAgainstTheStep(b *testing.B) {
	running := toyState{Vel: geom.V(6, 0, 0)}
	for _, c := range []struct {
		name             string
		unacked          int
		correct, advance bool
		timed            int // 1 Receive, 2 Advance
	}{
		{"move", 0, false, true, 2}, {"explain", 12, true, true, 1}, {"replay12", 12, true, false, 2}, {"replay12+move", 12, true, true, 2},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := NewOwner[toyState, toyInput](heavy{}, running)
			o.Combining = false
			now, v := clock.Second, toyVerdict{Correction: c.correct, State: running}
			frame := func(d clock.Micros) {
				now += d
				o.Advance(now, d, toyInput{X: 1})
			}
			for range c.unacked {
				frame(16680)
			}
			var whole, bare time.Duration
			state, in := running, toyCommand{Duration: 16680, Input: toyInput{X: 1}}
			var step Rules[toyState, toyInput] = heavy{}
			for b.Loop() {
				t := time.Now()
				v.Number, v.Epoch = o.Number()-uint32(c.unacked), v.Epoch+1
				o.Receive(&v)
				took := time.Since(t)
				t = time.Now()
				if frame(0); c.advance {
					frame(16680)
				}
				if c.timed == 2 {
					took = time.Since(t)
				}
				whole += took
				t = time.Now()
				for range 13 {
					step.Step(&state, &in)
				}
				bare += time.Since(t)
			}
			b.ReportMetric(float64(whole)/float64(bare)*13, "times")
		})
	}
}

func BenchmarkBareStep(b *testing.B) {
	var rules Rules[toyState, toyInput] = toy{}
	s, in := toyState{}, toyCommand{Duration: 16667, Input: toyInput{X: 1}}
	for b.Loop() {
		rules.Step(&s, &in)
	}
}

func BenchmarkOwnerAdvance(b *testing.B) {
	o := newToyOwner(toyState{})
	now := clock.Second
	v := toyVerdict{}
	for b.Loop() {
		now += 16667
		v.Number = o.Advance(now, 16667, toyInput{X: 1}).Number
		o.Receive(&v)
	}
}

func BenchmarkReplayTwelve(b *testing.B) {
	o := newToyOwner(toyState{})
	now := clock.Second
	v := toyVerdict{Correction: true}
	for range 12 {
		now += 16667
		o.Advance(now, 16667, toyInput{X: 1})
	}
	for b.Loop() {
		v.Epoch++
		o.Receive(&v)
		o.Advance(now, 0, toyInput{})
	}
}

func BenchmarkPackTen(b *testing.B) {
	o := newToyOwner(toyState{})
	now := clock.Second
	for range 10 {
		now += 16667
		o.Advance(now, 16667, toyInput{X: 1})
	}
	var p bits.Packer
	buf := make([]byte, 1200)
	for b.Loop() {
		p.Write(buf)
		o.Pack(&p, 1000)
	}
}

func BenchmarkAuthorityMove(b *testing.B) {
	o, a := newToyOwner(toyState{}), newToyAuthority(toyState{})
	now := clock.Second
	o.Redundancy, o.lossRedundancy = 1, 1
	o.Advance(now, 16667, toyInput{X: 1})
	buf := make([]byte, 1200)
	var p, q bits.Packer
	p.Write(buf)
	o.Pack(&p, 1000)
	q.Read(p.Bytes())
	a.in.pack(&q, toy{}, now, new(baselineTable[toyInput]))
	for b.Loop() {
		now += 16667
		c := &a.in.moves[0]
		c.Number, c.Stamp = c.Number+1, now
		a.enqueue(c)
		for a.Next(now) {
		}
		a.Verdict(now)
	}
}

func BenchmarkAuthorityReceiveTen(b *testing.B) {
	r := newRig()
	r.o.Redundancy = 10
	for range 10 {
		r.now += 16667
		r.o.Advance(r.now, 16667, toyInput{X: 1})
	}
	r.p.Write(r.buf[:])
	r.o.Pack(&r.p, 1000)
	bytes := r.p.Bytes()
	var p bits.Packer
	for b.Loop() {
		p.Read(bytes)
		r.a.Receive(r.now, r.now, &p)
	}
}
