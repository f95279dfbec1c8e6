package host_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/backstep-net/backstep/host"
)

// A pool runs each part once, run after run, whether there are more batches than goroutines or fewer. Its goroutines end
// with it: TestMain looks for what is left. [ENT-14]
func TestPoolsAtOnce(t *testing.T) {
	for _, others := range []int{0, 1, 3} {
		p := host.NewPool(others)
		var ran [9]atomic.Int32
		work := func(part int) { ran[part].Add(1) }
		for run := range 2000 {
			p.Run(1+run%len(ran), work)
			for part := range ran {
				want := int32(1)
				if part > run%len(ran) {
					want = 0
				}
				if n := ran[part].Swap(0); n != want {
					t.Fatalf("%d goroutines, run %d: part %d ran %d times, want %d", others+1, run, part, n, want)
				}
			}
		}
		p.Close()
	}
}

// Parts run at once: each of two waits for the other.
func TestPartsOfAPoolRunAtOnce(t *testing.T) {
	p := host.NewPool(1)
	defer p.Close()
	for range 100 {
		var both sync.WaitGroup
		both.Add(2)
		p.Run(2, func(int) {
			both.Done()
			both.Wait()
		})
	}
}

// A part that panics lets the others end, and then Run panics where it was called, with the stack of the part: the
// match ends and the server goes on.
func TestAPartPanics(t *testing.T) {
	for bad := range 4 {
		p := host.NewPool(2)
		var ran atomic.Int32
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, "no such player") || !strings.Contains(text, "TestAPartPanics") {
					t.Errorf("got %q, want the panic of part %d and its stack", text, bad)
				}
			}()
			p.Run(4, func(part int) {
				ran.Add(1)
				if part == bad {
					panic("no such player")
				}
			})
		}()
		if ran.Load() != 4 {
			t.Errorf("%d batches ran, want 4", ran.Load())
		}
		p.Close()
	}
}

// A run allocates nothing.
func TestAPoolAllocatesNothing(t *testing.T) {
	p := host.NewPool(1)
	defer p.Close()
	work := func(int) {}
	if n := testing.AllocsPerRun(1000, func() { p.Run(2, work) }); n != 0 {
		t.Errorf("a run allocates %v times", n)
	}
}

// BenchmarkPool is how long two batches of 100 µs take, and how long two that do nothing.
func BenchmarkPool(b *testing.B) {
	for name, long := range map[string]time.Duration{"empty": 0, "100µs": 100 * time.Microsecond} {
		b.Run(name, func(b *testing.B) {
			p := host.NewPool(1)
			defer p.Close()
			work := func(int) {
				for begin := time.Now(); time.Since(begin) < long; {
				}
			}
			for b.Loop() {
				p.Run(2, work)
				time.Sleep(time.Millisecond) // as between two phases
			}
		})
	}
}
