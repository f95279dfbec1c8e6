package track

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
)

// An id takes 10 bits up to 1,022, as it did when that was nearly the largest; larger ones take more, and one above
// MaxID is refused. [WIR-21]
func TestPackID(t *testing.T) {
	for _, least := range []ID{0, 1} {
		for id := least; id <= MaxID; id++ {
			var p bits.Packer
			p.Write(make([]byte, 3))
			PackID(&p, &id, least)
			n := p.Bits()
			if small := id-least < 1023; small != (n == 10) || n > IDBits(id) || p.Err() != nil {
				t.Errorf("id %d takes %d bits, IDBits says %d at most: %v", id, n, IDBits(id), p.Err())
			}
			got := ID(7)
			p.Read(p.Bytes())
			if PackID(&p, &got, least); got != id || p.Err() != nil {
				t.Errorf("got %d want %d: %v", got, id, p.Err())
			}
		}
	}
	var p bits.Packer
	p.Read([]byte{0xff, 0xff, 0xff})
	id := ID(0)
	if PackID(&p, &id, 0); p.Err() == nil || id > MaxID {
		t.Errorf("read the id %d, want an error", id)
	}
}

// A set of ids has what was added since it was cleared, in order, small and large ids alike.
func TestIDSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s idSet
	for round := range 200 {
		s.clear()
		var want []ID
		for range r.IntN(40) {
			id := ID(1 + r.IntN(int(MaxID)>>(3*(round%2))))
			s.add(id)
			want = append(want, id)
		}
		slices.Sort(want)
		if want = slices.Compact(want); !slices.Equal(s.append(nil), want) {
			t.Fatalf("round %d: got %v want %v", round, s.append(nil), want)
		}
		for id := range MaxID + 1 {
			if _, has := slices.BinarySearch(want, id); s.has(id) != has {
				t.Fatalf("round %d: has %d: %v", round, id, !has)
			}
		}
	}
}
