package movement

import (
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

func TestReplayFromAPackedState(t *testing.T) { // PRF-14, SRV-13
	w, m := course(), DefaultModel()
	r := rand.New(rand.NewSource(3))
	s, p := Spawn(geom.V(0, 0, 2), 0), player{dice: 9}
	var f, g StepContext
	var buf [256]byte
	var packer bits.Packer
	var other State
	for i := range 10000 {
		if i%37 == 0 { // a correction: the other end goes on from what it received
			packer.Write(buf[:])
			s.Pack(&packer)
			packer.Read(packer.Bytes())
			other.Pack(&packer)
			if packer.Err() != nil {
				t.Fatal(packer.Err())
			}
		}
		if r.Intn(100) == 0 {
			s.Impulse = geom.V(r.NormFloat64(), 3*r.Float64(), r.NormFloat64())
			other.Impulse = s.Impulse
		}
		c := p.at(clock.Micros(i) * 10000)
		Step(&m, &s, &c, 10000, &w, &f)
		Step(&m, &other, &c, 10000, &w, &g)
		if s != other || s.Hash() != other.Hash() {
			t.Fatalf("move %d: the replay differs:\n%+v\n%+v", i, s, other)
		}
	}
}
