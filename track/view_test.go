package track

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
)

// Ticks that come in any order, twice, and far apart, against a plain set.
func TestReceivedAgainstASet(t *testing.T) {
	const seed = 8
	r := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		var got Received
		set := map[uint32]bool{}
		base, newest := uint32(r.IntN(80)), uint32(0)
		if r.IntN(10) == 0 {
			base = 1<<32 - 400
		}
		for range 300 {
			base += uint32(r.IntN(3))
			if r.IntN(50) == 0 && base < 1<<31 {
				base += uint32(r.IntN(150))
			}
			tick := base + uint32(r.IntN(6))
			if r.IntN(5) == 0 && tick > 100 {
				tick -= uint32(r.IntN(100))
			}
			fresh := tick != 0 && !set[tick] && (tick > newest || newest-tick <= ReceivedWindow)
			if got.Wants(tick) != fresh || got.Mark(tick) != fresh {
				t.Fatalf("seed %d: tick %d after %d: wanted %v", seed, tick, newest, fresh)
			}
			if fresh {
				set[tick] = true
				newest = max(newest, tick)
			}
			count := 0
			for back := range uint32(ReceivedWindow + 3) {
				want := newest > back && back <= ReceivedWindow && set[newest-back]
				if newest > back && got.Has(newest-back) != want {
					t.Fatalf("seed %d: newest %d: has %d back: %v want %v", seed, newest, back, !want, want)
				}
				if want {
					count++
				}
			}
			if got.Newest != newest || got.Count() != count {
				t.Fatalf("seed %d: newest %d of %d, want %d of %d", seed, got.Newest, got.Count(), newest, count)
			}
		}
	}
}

// The set's edges: nothing, tick 1, exactly 64 ticks, and one more.
func TestReceivedEdges(t *testing.T) {
	var r Received
	if r.Has(0) || r.Mark(0) || r.Count() != 0 {
		t.Errorf("tick 0 is not one")
	}
	r.Mark(1)
	if r.Mark(65); !r.Has(1) || r.Mask != 1<<63 {
		t.Errorf("64 ticks back: %+v", r)
	}
	if r.Mark(66); r.Has(1) || r.Wants(1) || !r.Wants(2) || r.Has(67) || r.Mask != 1 {
		t.Errorf("65 ticks back: %+v", r)
	}
	if r.Mark(1000); r.Mask != 0 || r.Count() != 1 {
		t.Errorf("a long silence: %+v", r)
	}
}

// A set is read back as it was, and one that names ticks before the first is
// refused.
func TestReceivedPack(t *testing.T) {
	var p bits.Packer
	for _, want := range []Received{{}, {1, 0}, {2, 1}, {64, 1<<63 - 1}, {65, 1<<64 - 1}, {1<<32 - 1, 5}} {
		p.Write(make([]byte, 16))
		w := want
		w.Pack(&p)
		var got Received
		p.Read(p.Bytes())
		got.Pack(&p)
		if p.End(); p.Err() != nil || got != want {
			t.Errorf("%+v: got %+v (%v)", want, got, p.Err())
		}
	}
	for _, bad := range []Received{{1, 1}, {64, 1 << 63}} {
		p.Write(make([]byte, 16))
		p.Uint32(&bad.Newest)
		p.Uint(&bad.Mask, 64)
		p.Read(p.Bytes())
		var got Received
		if got.Pack(&p); p.Err() != bits.ErrRange || got.Mask != 0 {
			t.Errorf("%+v: got %+v (%v), want bits.ErrRange", bad, got, p.Err())
		}
	}
}
