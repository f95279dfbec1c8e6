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

// progress shows how many runs are finished: on a terminal as a bar that disappears at the
// end, else as lines. It is safe for concurrent use.
type progress struct {
	mu       sync.Mutex
	out      io.Writer
	begun    time.Time
	lastLine time.Time // time of the last printed line

	runs, over                int
	total, done               float64 // seconds of match time
	bar                       *mpb.Bar
	container                 *mpb.Progress
	runInterval, partInterval time.Duration // least time between lines: after runs, within a run
}

// newProgress starts the progress of so many runs that simulate so many seconds together.
func newProgress(out io.Writer, runs int, seconds float64) *progress {
	p := &progress{out: out, begun: time.Now(), runs: runs, total: seconds, partInterval: 5 * time.Second}
	p.lastLine = p.begun
	if runs > 20 { // short runs in their hundreds would scroll the results away
		p.runInterval = 2 * time.Second
	}
	if f, ok := out.(*os.File); ok && isTerminal(f) {
		p.container = mpb.New(mpb.WithOutput(f), mpb.WithWidth(72), mpb.WithRefreshRate(100*time.Millisecond))
		p.bar = p.container.New(thousandths(seconds), mpb.BarStyle(),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return p.count() })),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.speed() })))
	}
	return p
}

// isTerminal reports whether f is a terminal that can draw a bar.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// thousandths returns the bar's whole numbers of milliseconds; rounded up, so that a run
// shorter than one has a length.
func thousandths(seconds float64) int64 { return int64(math.Ceil(1000 * seconds)) }

// advance adds seconds of match time. The bar stops one step before its end: a full bar
// would complete itself and stay on the terminal when close aborts it.
func (p *progress) advance(seconds float64) {
	p.mu.Lock()
	p.done = min(p.done+seconds, p.total)
	done := min(thousandths(p.done), thousandths(p.total)-1)
	if p.bar == nil && time.Since(p.lastLine) >= p.partInterval {
		p.line("")
	}
	p.mu.Unlock()
	if p.bar != nil {
		p.bar.SetCurrent(done) // may call count and speed: without the lock
	}
}

// finish counts a finished run; what is its result in a few words.
func (p *progress) finish(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over++
	if p.bar == nil && (p.over == p.runs || time.Since(p.lastLine) >= p.runInterval) {
		p.line(what)
	}
}

func (p *progress) line(what string) {
	p.lastLine = time.Now()
	if what != "" {
		what = ": " + what
	}
	fmt.Fprintf(p.out, "backstep: %d/%d runs, %s%s\n", p.over, p.runs, p.rate(), what)
}

// count and speed are the text beside the bar, which calls them from its own goroutine.
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

// rate returns the seconds of match time per second, and how long the rest will take.
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

// close removes the bar.
func (p *progress) close() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.container.Wait()
	}
}
