package body

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// A heap that falls over goes on in another world, bit for bit. [THR-63]
func TestAHeapGoesOnInAnotherWorld(t *testing.T) {
	heap := func() *World {
		w := New(nil, Config{Gravity: 3})
		ground := NewBox(geom.V(20, 1, 20), 0)
		ground.Position = geom.V(0, -1, 0)
		w.Add(ground)
		for i := range 9 {
			b := NewBox(geom.V(.4, .4, .4), 10)
			if i%3 == 2 {
				b = NewBall(.4, 5)
			}
			b.Position = geom.V(float64(i%2)*.1, .5+float64(i)*.85, 0)
			w.Add(b)
		}
		w.Remove(4)
		return w
	}
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 0))
		a, b := heap(), heap()
		ticks := 20 + r.IntN(200)
		step := func(w *World, i int) { w.Step(clock.Second/60, clock.TickTime(int64(i), 60), nil) }
		for i := range ticks {
			step(a, i)
		}
		p := bits.NewWriter(make([]byte, 1<<16))
		a.Checkpoint(&p)
		saved := bytes.Clone(p.Bytes())
		p.Read(saved)
		b.Checkpoint(&p)
		if p.End(); p.Err() != nil {
			t.Fatalf("seed %d: %v", seed, p.Err())
		}
		for i := range 200 {
			if got, want := b.Hash(), a.Hash(); got != want {
				t.Fatalf("seed %d: %d ticks after tick %d the hash is %x, want %x", seed, i, ticks, got, want)
			}
			step(a, ticks+i)
			step(b, ticks+i)
		}
	}
}
