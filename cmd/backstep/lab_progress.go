package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress says how far the runs are: on a terminal a bar, which is gone when they
// are over, else a line now and then. It may be used by several goroutines.
type progress struct {
	mu    sync.Mutex
	out   io.Writer
	begun time.Time
	told  time.Time // when the last line was printed

	runs, over   int
	total, done  float64 // seconds of match time
	bar          *mpb.Bar
	container    *mpb.Progress
	every, still time.Duration // least time between lines: of runs, of parts of one
}

// newProgress begins: so many runs that simulate so many seconds together.
func newProgress(out io.Writer, runs int, seconds float64) *progress {
	p := &progress{out: out, begun: time.Now(), runs: runs, total: seconds, still: 5 * time.Second}
	p.told = p.begun
	if runs > 20 {
		p.every = 2 * time.Second
	}
	if f, ok := out.(*os.File); ok && isTerminal(f) {
		p.container = mpb.New(mpb.WithOutput(f), mpb.WithWidth(72), mpb.WithRefreshRate(100*time.Millisecond))
		p.bar = p.container.New(thousandths(seconds), mpb.BarStyle(),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return p.count() })),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.speed() })))
	}
	return p
}

// isTerminal is whether something looks at f as it is written.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

func thousandths(seconds float64) int64 { return int64(math.Ceil(1000 * seconds)) }

// advance adds seconds of match time.
func (p *progress) advance(seconds float64) {
	p.mu.Lock()
	p.done = math.Min(p.done+seconds, p.total)
	done := min(thousandths(p.done), thousandths(p.total)-1)
	if p.bar == nil && time.Since(p.told) >= p.still {
		p.line("")
	}
	p.mu.Unlock()
	if p.bar != nil {
		p.bar.SetCurrent(done) // asks count and speed, perhaps: without the lock
	}
}

// finish is told of a run that is over, and in a few words what came of it.
func (p *progress) finish(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over++
	if p.bar == nil && (p.over == p.runs || time.Since(p.told) >= p.every) {
		p.line(what)
	}
}

func (p *progress) line(what string) {
	p.told = time.Now()
	if what != "" {
		what = ": " + what
	}
	fmt.Fprintf(p.out, "backstep: %d/%d runs, %s%s\n", p.over, p.runs, p.rate(), what)
}

// count and speed are what the bar shows beside itself; it asks from a goroutine
// of its own.
func (p *progress) count() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%d/%d runs ", p.over, p.runs)
}

func (p *progress) speed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rate()
}

// rate is seconds of match time a second, and how long the rest will take.
func (p *progress) rate() string {
	past := time.Since(p.begun).Seconds()
	if p.done <= 0 || past <= 0 {
		return "– s/s"
	}
	rate := p.done / past
	text := fmt.Sprintf("%.0f s/s", rate)
	if left := p.total - p.done; left > 0 && p.over < p.runs {
		text += ", " + time.Duration(math.Ceil(left/rate)*1e9).String() + " left"
	}
	return text
}

// close takes the bar away.
func (p *progress) close() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.container.Wait()
	}
}
