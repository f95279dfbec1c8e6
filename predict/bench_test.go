package predict

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
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
		r.a.Place(s)
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
	if c := r.o.Counters(); c.Placed == 0 || c.Replayed == 0 {
		t.Errorf("nothing was corrected: %+v", c)
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
	o.Fold, o.line = 1, 1
	o.Advance(now, 16667, toyInput{X: 1})
	buf := make([]byte, 1200)
	var p, q bits.Packer
	p.Write(buf)
	o.Pack(&p, 1000)
	q.Read(p.Bytes())
	a.in.pack(&q, toy{}, now, new(past[toyInput]))
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
	r.o.Fold = 10
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
