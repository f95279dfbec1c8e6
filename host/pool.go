package host

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Pool runs batches of a tick on several cores: Run is a session.ServerConfig.Parallel. It belongs to one match.
type Pool struct {
	work   func(batch int)
	state  atomic.Uint64 // runs so far, batches of this run, and the next batch
	left   atomic.Int32  // batches of this run that have not ended
	failed atomic.Pointer[string]
	wake   chan struct{}
	ended  chan struct{} // the last batch ended in another goroutine than the one that calls Run
	gone   sync.WaitGroup
}

// batchBits is how many bits of Pool.state a number of batches takes.
const batchBits = 16

// NewPool returns a pool that runs batches in the goroutine that calls Run and in so many others, which wait in
// between. Close ends them.
func NewPool(others int) *Pool {
	p := &Pool{wake: make(chan struct{}, others), ended: make(chan struct{}, 1)}
	for range others {
		p.gone.Go(func() {
			seen := uint64(0)
			for range p.wake {
				seen = p.help(seen)
			}
		})
	}
	return p
}

// Close ends the goroutines of the pool and returns when they have ended. Run must not be called any more.
func (p *Pool) Close() {
	close(p.wake)
	p.gone.Wait()
}

// Run calls work for each batch below batches and returns when all calls have returned. A batch begins in whichever
// goroutine is free first, so on a machine that is busy with other things the caller runs all of them. If one
// panics, Run panics with its message and stack.
func (p *Pool) Run(batches int, work func(batch int)) {
	p.work = work
	p.left.Store(int32(batches))
	// The number of the run keeps a helper that was held up since an earlier one from taking a batch by what it read then.
	p.state.Store((p.latest()+1)<<(2*batchBits) | uint64(batches)<<batchBits)
	for range min(batches-1, cap(p.wake)) {
		select {
		case p.wake <- struct{}{}:
		default: // all of them will look
		}
	}
	if !p.take() {
		<-p.ended
	}
	if text := p.failed.Load(); text != nil {
		panic(*text)
	}
}

// linger is how long a goroutine of a pool looks for another run before it sleeps: about as long as a large match
// takes between its moves and its snapshots. To wake it up takes tens of microseconds, and hundreds on a virtual
// machine whose second core sleeps too.
const linger = 500 * time.Microsecond

// help takes batches of the runs after number seen, until none follows soon. It returns the number of the last.
func (p *Pool) help(seen uint64) uint64 {
	for run := p.latest(); run != seen; run = p.next(seen) {
		seen = run
		if p.take() {
			p.ended <- struct{}{}
		}
	}
	return seen
}

// next waits for another run than number seen while linger lasts, and returns the number of the latest. Other
// goroutines that are ready go first.
func (p *Pool) next(seen uint64) uint64 {
	for since := time.Now(); ; runtime.Gosched() {
		if run := p.latest(); run != seen || time.Since(since) > linger {
			return run
		}
	}
}

// latest returns the number of the latest run.
func (p *Pool) latest() uint64 { return p.state.Load() >> (2 * batchBits) }

// take runs batches until none is left to begin, and reports whether it ended the last one.
func (p *Pool) take() (last bool) {
	for {
		s := p.state.Load()
		batch := s & (1<<batchBits - 1)
		if batch >= s>>batchBits&(1<<batchBits-1) {
			return last
		}
		if p.state.CompareAndSwap(s, s+1) {
			p.do(int(batch))
			last = p.left.Add(-1) == 0
		}
	}
}

// do runs a batch.
func (p *Pool) do(batch int) {
	defer func() {
		if v := recover(); v != nil {
			text := fmt.Sprintf("%v\n\n%s", v, debug.Stack())
			p.failed.CompareAndSwap(nil, &text)
		}
	}()
	p.work(batch)
}
