package predict

import (
	"bytes"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// A packet that turns out bad at its end changes nothing.
func TestBadPacketsChangeNothing(t *testing.T) {
	a, o := newToyAuthority(toyState{}), newToyOwner(toyState{})
	for i := range clock.Micros(8) {
		o.Advance(20000+i*16667, 16667, toyInput{X: 1})
	}
	b := sealed(o, 1000)
	for cut := range len(b) {
		if err := open(a, clock.Second, b[:cut]); err == nil {
			t.Errorf("%d of %d bytes are taken for a packet", cut, len(b))
		}
	}
	if err := open(a, clock.Second, append(b, 0)); err != bits.ErrLong {
		t.Errorf("a byte after the moves: got %v, want %v", err, bits.ErrLong)
	}
	if a.Queued() != 0 || a.Next(clock.Second) || a.Verdict(clock.Second) != nil {
		t.Errorf("%d queued after bad packets", a.Queued())
	}
}

// Whatever the bytes: an error that changes nothing, or moves within their bounds
// that pack to the same bits again.
func FuzzReceive(f *testing.F) {
	o := newToyOwner(toyState{})
	for i := range clock.Micros(6) {
		o.Advance(20000+i*20000, 16667+i%3, toyInput{X: int(i % 2), Fire: i == 3})
		f.Add(sealed(o, 1000))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a := newToyAuthority(toyState{Ammo: 3})
		now := clock.Second
		var p, again bits.Packer
		p.Read(b)
		if err := a.Receive(now, now, &p); err != nil {
			if a.Queued() != 0 || a.started {
				t.Fatalf("%v, but %d queued", err, a.Queued())
			}
			return
		}
		again.Write(make([]byte, len(b)+8))
		a.in.pack(&again, toy{}, now, pastOf(a))
		if again.Err() != nil || !bytes.Equal(again.Bytes(), b) {
			t.Fatalf("read %x, wrote %x (%v)", b, again.Bytes(), again.Err())
		}
		for steps := 0; a.Next(now); steps++ {
			if d := a.Command().Duration; d < 1 || d > MaxDuration || steps > 2*MaxMoves {
				t.Fatalf("step %d lasts %d µs", steps, d)
			}
		}
		if !a.State().Pos.Finite() {
			t.Fatalf("state %v", a.State())
		}
	})
}
