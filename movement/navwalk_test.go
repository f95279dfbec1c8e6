package movement

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// What nav-walking remembers travels with the state, bit for bit; what no writer
// writes is refused.
func TestNavTravelsWithTheState(t *testing.T) {
	for _, c := range []struct {
		name string
		nav  Nav
		ok   bool
	}{
		{"nothing yet", Nav{}, true},
		{"a polygon", Nav{Polygon: 1}, true},
		{"between two projections", Nav{Polygon: 4e9, From: 0.012, To: -0.3, Since: 99_999}, true},
		{"a time before the last projection", Nav{Polygon: 1, Since: -1}, false},
		{"an hour and more", Nav{Polygon: 1, Since: 2 * clock.Second * 3600}, false},
		{"a height out of this world", Nav{Polygon: 1, From: 1e9}, false},
		{"a height that is none", Nav{Polygon: 1, To: math.NaN()}, false},
	} {
		var buf [64]byte
		var w, r bits.Packer
		w.Write(buf[:])
		sent := c.nav
		sent.pack(&w)
		r.Read(w.Bytes())
		var got Nav
		got.pack(&r)
		if ok := w.Err() == nil && r.Err() == nil; ok != c.ok || ok && got != c.nav {
			t.Errorf("%s: %+v came as %+v, %v, %v", c.name, c.nav, got, w.Err(), r.Err())
		}
	}
}
