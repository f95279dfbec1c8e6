package bench

import (
	"context"
	"runtime"
	"strconv"
	"time"

	"github.com/backstep-net/backstep/host"
)

// newOtherMemory returns what is read between ticks where caches are to be cold: 32 MB.
func newOtherMemory() []byte {
	other := make([]byte, 32<<20)
	for i := range other {
		other[i] = byte(i) // memory that was never written is one page of zeros
	}
	return other
}

// measureMatches times the server's share of a tick of whole matches, at session level: every packet that comes and
// every packet that goes, without sockets.
func measureMatches(ctx context.Context, m *Meter) error {
	for _, c := range []struct {
		name string
		load Load
	}{
		{"match10_128", Load{Players: 10, TickRate: 128, Seconds: 8}},
		{"match40_60", Load{Players: 40, TickRate: 60, Seconds: 8}},
		{"match100_30", Load{Players: 100, TickRate: 30, Seconds: 8}},
	} {
		c.load.Seconds = max(1, int(float64(c.load.Seconds)*m.options.Share))
		if err := measureMatch(ctx, m, c.name, c.load); err != nil {
			return err
		}
	}
	return nil
}

func measureMatch(ctx context.Context, m *Meter, name string, load Load) error {
	world, err := m.world(matchScene)
	if err != nil {
		return err
	}
	m.Progress("recording " + name)
	recording, err := Record(load, world)
	if err != nil {
		return err
	}
	r := &Replay{Recording: recording}
	if err := r.Check(); err != nil {
		return err
	}
	other := newOtherMemory()
	var due time.Time
	between := map[string]func(){
		"":      nil,
		"_cold": func() { readAll(other) },
		"_paced": func() {
			due = due.Add(time.Second / time.Duration(load.TickRate))
			time.Sleep(time.Until(due))
		},
	}
	for _, kind := range []string{"", "_cold", "_paced"} {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := m.Time(name+kind+"_us", Work{
			Calls: r.Ticks(), Batch: 1,
			Begin:   func() { r.Rewind(); due = time.Now() },
			Between: between[kind],
			Call:    func(int) { r.Tick() },
		})
		if err != nil {
			return err
		}
	}
	switch name {
	case "match10_128":
		m.Set("allocs_per_tick", allocations(r))
	case "match100_30":
		return measureCores(ctx, m, name, recording)
	}
	return nil
}

// coreRuns is how many runs of one and of two cores alternate. The least time of each tick counts: what other programs
// take of the second core is not the match's.
const coreRuns = 5

// measureCores times the ticks of a match on one core and on two by the wall clock: processor time does not show what
// the second core gains.
func measureCores(ctx context.Context, m *Meter, name string, recording *Recording) error {
	pool := host.NewPool(1)
	defer pool.Close()
	two := *recording
	two.load.Workers, two.load.Parallel = 2, pool.Run
	replays := []*Replay{{Recording: recording}, {Recording: &two}}
	if err := replays[1].Check(); err != nil {
		return err
	}
	best := make([][]time.Duration, len(replays))
	for range m.Fewer(coreRuns) {
		for k, r := range replays {
			if err := ctx.Err(); err != nil {
				return err
			}
			m.Progress(name + "_cores" + strconv.Itoa(k+1) + "_us")
			best[k] = leastOf(best[k], r.wallTimes())
		}
	}
	for k, ticks := range best {
		m.setCalls(name+"_cores"+strconv.Itoa(k+1)+"_us", ticks)
	}
	return nil
}

// wallTimes plays the match and returns how long each tick takes by the wall clock.
func (r *Replay) wallTimes() []time.Duration {
	r.Rewind()
	list := make([]time.Duration, r.Ticks())
	for i := range list {
		t := time.Now()
		r.Tick()
		list[i] = time.Since(t)
	}
	return list
}

// leastOf returns the lesser of each two durations; before the first run there is none.
func leastOf(before, now []time.Duration) []time.Duration {
	for i, d := range before {
		now[i] = min(now[i], d)
	}
	return now
}

// allocations returns how often a tick allocates, once warm.
func allocations(r *Replay) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r.Rewind()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range r.Ticks() {
		r.Tick()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(r.Ticks())
}

// readAll reads every cache line of a memory, so that it takes the place of all others in the caches.
//
//go:noinline
func readAll(memory []byte) {
	sum := byte(0)
	for i := 0; i < len(memory); i += 64 {
		sum += memory[i]
	}
	memory[0] = sum
}
