package replicate

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/track"
)

// stage is a match of runners that has gone on for a while, and a client that receives all of it
// after lag ticks.
type stage struct {
	sc       *scene
	m        *Match
	s        *Sender
	seen     track.Received
	lag      int
	p        bits.Packer
	buf      [1024]byte
	bytes    int
	entities int
}

// newStage runs 300 steps of others about a client, of a kind.
func newStage(others int, kind track.Kind, rules Rules, lag int) *stage {
	g := &stage{sc: newScene(5), lag: lag}
	g.m = NewMatch(g.sc.frames, nil, rules)
	g.s = NewSender(g.m, 1)
	for i := range others + 1 {
		g.sc.add(track.ID(i+1), kind, 40)
	}
	for range 300 {
		g.sc.tick()
		g.send(1)
	}
	return g
}

// send makes the snapshot of the newest tick if every calls for it, and acknowledges the one of lag
// ticks ago.
func (g *stage) send(every int) {
	if g.sc.n%every != 0 {
		return
	}
	if back := g.sc.n - g.lag; back > 0 {
		g.seen.Mark(uint32(back))
		g.s.Acknowledge(g.seen)
	}
	g.s.Begin(uint32(g.sc.n), g.sc.eye(1))
	for g.s.HasMore() {
		g.p.Write(g.buf[:])
		g.s.Pack(&g.p)
		g.bytes += len(g.p.Bytes())
	}
	g.entities += g.s.Counts().Sent
}

// A runner that turns and jumps takes at most 12 bytes of a snapshot, a resting one at most 0.1,
// refreshes included (REP-01): over the lags of 50 to 200 ms, at 60 and at 20 snapshots a second.
// [GAP-59, WIR-10]
func TestBytesASnapshot(t *testing.T) {
	const others, steps = 9, 3000
	for _, every := range []int{1, 3} {
		var running, standing figures.Range
		for _, lag := range []int{3, 6, 9, 12} {
			run, idle := newStage(others, runner, Rules{}, lag), newStage(others, idler, Rules{}, lag)
			empty := newStage(0, idler, Rules{}, lag)
			for _, g := range []*stage{run, idle, empty} {
				g.bytes, g.entities = 0, 0
				for range steps {
					g.sc.tick()
					g.send(every)
				}
			}
			per := func(g *stage) float64 {
				return float64((g.bytes-empty.bytes)*every) / (others * steps)
			}
			running.Add(per(run))
			standing.Add(per(idle))
			t.Logf("every %d ticks, %3d ms there and back: runner %.2f bytes a snapshot, idler %.3f; head and 9 runners %.1f bytes",
				every, lag*1000/60, per(run), per(idle), float64(run.bytes*every)/steps)
			if per(run) > 12 || per(idle) > 0.1 {
				t.Errorf("want at most 12 and 0.1")
			}
		}
		figures.Check(t, fmt.Sprint("every ", every), 0.05, "%.1f to %.1f bytes running, at most %.2f standing", running.Least, running.Most, standing.Most)
	}
}

// A snapshot allocates nothing once the buffers have grown.
func TestSnapshotsAllocateNothing(t *testing.T) {
	for _, rules := range []Rules{{}, {Radius: 40, Near: 10, Budget: 300}} {
		g := newStage(100, runner, rules, 6)
		if n := testing.AllocsPerRun(50, func() {
			g.sc.tick()
			g.send(1)
		}); n > 0 {
			t.Errorf("%v allocations a snapshot, want none", n)
		}
	}
}

// Reading allocates nothing.
func TestReadingAllocatesNothing(t *testing.T) {
	g := newStage(30, runner, Rules{}, 6)
	var in Inbox
	var seen track.Received
	have := track.NewSnapshotHistory(2 * track.ReceivedWindow)
	*g = *newStage(30, runner, Rules{}, 1000) // nothing acknowledged: all in full
	if n := testing.AllocsPerRun(50, func() {
		g.sc.tick()
		g.send(1)
		g.p.Read(g.p.Bytes())
		if in.Read(&g.p, uint32(g.sc.n), 0, seen, have) == nil {
			t.Fatal(g.p.Err())
		}
	}); n > 0 {
		t.Errorf("%v allocations a snapshot, want none", n)
	}
}

// The cost of building and packing one client's snapshot and of processing its acknowledgement: of
// a client alone, and of one of sixteen whose round trips are 50 to 200 ms, each its own.
func BenchmarkSnapshot(b *testing.B) {
	for _, others := range []int{10, 64} {
		for _, clients := range []int{1, 16} {
			for _, rules := range []Rules{{}, {Radius: 200, Near: 6}} {
				name := fmt.Sprintf("%d others, %d clients, radius %v", others, clients, rules.Radius)
				b.Run(name, func(b *testing.B) { benchSnapshots(b, others, clients, rules) })
			}
		}
	}
}

func benchSnapshots(b *testing.B, others, clients int, rules Rules) {
	g := newStage(others, runner, rules, 6)
	all := []*stage{g}
	for k := 1; k < clients; k++ {
		c := *g
		c.s, c.seen, c.lag = NewSender(g.m, 1), track.Received{}, 3+k%10
		all = append(all, &c)
	}
	for range 150 {
		g.sc.tick()
		for _, c := range all {
			c.send(1)
		}
	}
	g.bytes = 0
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if n%clients == 0 {
			b.StopTimer()
			g.sc.tick()
			b.StartTimer()
		}
		all[n%clients].send(1)
		n++
	}
	b.ReportMetric(float64(g.bytes*clients)/float64(n), "bytes/snapshot")
}
