package session_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/predict"
)

// swindle is a way to want more time than there is. It plays at 125 frames a second on
// a link of 40 ms each way.
type swindle struct {
	name   string
	clock  float64                             // its whole clock is so many times as fast, if not 0
	stamps float64                             // that of its stamps alone, which nothing sets right
	length float64                             // each move claims to last so many times as long
	burst  [2]clock.Micros                     // but only for the first of these in each of the second, after lose
	shift  func(now clock.Micros) clock.Micros // of its stamps
	hold   clock.Micros                        // its way up is let go at once, every so often
	lose   clock.Micros                        // its packets are lost for so much of each second
	way    clock.Micros                        // of the way up; 0: 40 ms
	drop   clock.Micros                        // after 20 s the way up takes so much less
	late   bool                                // its first words are held for 3 s
}

// gained is what came of it.
type gained struct {
	minute, end, most, tick clock.Micros // after a minute, in the end, ever, in one tick beyond its length
	window                  clock.Micros // within a second, beyond that: what it catches up and gains at once
	noticed                 clock.Micros // after so long; below zero: never
	corrections             float64      // a minute
	refused                 string
}

// play plays it for a while.
func (w swindle) play(t testing.TB, world *collide.World, long clock.Micros) gained {
	p := newPair(t, 7, 60, world)
	p.frames.fps = 125
	p.up.delay, p.down.delay = 40*clock.Millisecond, 40*clock.Millisecond
	if w.way > 0 {
		p.up.delay = w.way
	}
	p.config.SendRate = 125
	if w.length > 0 {
		p.config.Lasted = func(d clock.Micros) clock.Micros {
			if at := p.now() - w.lose; w.burst[1] == 0 || at%w.burst[1] < w.burst[0] {
				return clock.Micros(float64(d) * w.length)
			}
			return d
		}
	}
	var ends []clock.Micros              // what it had gained after each tick
	var begin, last, before clock.Micros // the first tick with a move, the last one, what was run by then
	g := gained{noticed: -1}
	p.ticked = func(now clock.Micros) {
		if begin == 0 && p.judge.ran > 0 {
			begin, last = now, now-clock.TickTime(1, 60)
		}
		g.end = p.judge.ran - (now - begin)
		g.most = max(g.most, g.end)
		if begin > 0 {
			ends = append(ends, g.end)
			g.window = max(g.window, g.end-slices.Min(ends[max(0, len(ends)-60):]))
		}
		g.tick = max(g.tick, p.judge.ran-before-(now-last))
		before, last = p.judge.ran, now
	}
	p.connect()
	for begin == 0 {
		if w.late && p.client.Self() != nil { // its first moves come late
			w.late, p.up.hold = false, p.now()+2*clock.Second
		}
		p.run(p.now())
	}
	w.begin(p, begin)
	for at := begin; at < begin+long; at += clock.Second {
		if w.drop > 0 && at == begin+20*clock.Second {
			p.up.delay -= w.drop
		}
		p.run(at + clock.Second)
		if at < begin+60*clock.Second {
			g.minute = g.end
		}
	}
	if p.noticed > 0 {
		g.noticed = p.noticed - begin
	}
	m := p.client.Stats().Moves
	g.corrections = float64(m.Corrections+m.Timeouts+m.Throttles) * 60 / long.Seconds()
	g.refused = p.refused
	return g
}

// begin has the cheat begin.
func (w *swindle) begin(p *pair, now clock.Micros) {
	if w.clock > 0 {
		p.clock.set(now, clock.Micros((w.clock-1)*1e6), 0)
	}
	p.shift = w.shift
	if w.stamps > 0 {
		p.shift = func(at clock.Micros) clock.Micros { return clock.Micros(float64(at-now) * (w.stamps - 1)) }
	}
	if ticked := p.ticked; w.lose > 0 {
		p.ticked = func(now clock.Micros) {
			if ticked(now); now%clock.Second < w.lose {
				p.up.cut = now + 20*clock.Millisecond
			}
		}
	}
	if w.hold > 0 {
		p.up.lockstep, p.up.off = w.hold, 1<<60
	}
}

// swindles are all that are tried.
func swindles() []swindle {
	ms, s := clock.Millisecond, clock.Second
	always := func(d clock.Micros) func(clock.Micros) clock.Micros {
		return func(clock.Micros) clock.Micros { return d }
	}
	list := []swindle{{name: "honest"}}
	for _, k := range []float64{1.01, 1.05, 1.1, 1.5, 2, 10} {
		list = append(list, swindle{name: fmt.Sprintf("moves that last %v×", k), length: k})
	}
	for _, k := range []float64{1.01, 1.05, 1.1, 1.5, 2, 10} {
		list = append(list, swindle{name: fmt.Sprintf("the whole clock %v×", k), clock: k})
	}
	for _, k := range []float64{1.01, 1.05, 1.1, 1.5, 2, 10} {
		list = append(list, swindle{name: fmt.Sprintf("stamps at %v×, never set right", k), stamps: k})
	}
	for _, d := range []clock.Micros{250 * ms, s, 5 * s} {
		list = append(list,
			swindle{name: fmt.Sprintf("lag switch of %v s", d.Seconds()), hold: d},
			swindle{name: fmt.Sprintf("lag switch of %v s, moves that last 2×", d.Seconds()), hold: d, length: 2},
			swindle{name: fmt.Sprintf("lag switch of %v s, the whole clock 1.1×", d.Seconds()), hold: d, clock: 1.1})
	}
	for _, d := range []clock.Micros{240 * ms, 440 * ms} { // the first teaches the server to wait for the second
		list = append(list,
			swindle{name: fmt.Sprintf("packets lost for %v s of each second", d.Seconds()), lose: d},
			swindle{name: fmt.Sprintf("packets lost for %v s of each second, moves that last 2×", d.Seconds()), lose: d, length: 2},
			swindle{name: fmt.Sprintf("packets lost for %v s of each second, the whole clock 1.1×", d.Seconds()), lose: d, clock: 1.1},
			swindle{name: fmt.Sprintf("packets lost for %v s of each second, then 25 ms of moves that last 10×", d.Seconds()), lose: d, length: 10, burst: [2]clock.Micros{25 * ms, s}})
	}
	return append(list,
		swindle{name: "bursts: 10× for 25 ms each second", length: 10, burst: [2]clock.Micros{25 * ms, s}},
		swindle{name: "bursts: 10× for 100 ms each 10 s", length: 10, burst: [2]clock.Micros{100 * ms, 10 * s}},
		swindle{name: "stamps 200 ms ahead", shift: always(200 * ms)},
		swindle{name: "stamps 1 s ahead", shift: always(s)},
		swindle{name: "stamps 200 ms behind", shift: always(-200 * ms)},
		swindle{name: "stamps 5 s behind", shift: always(-5 * s)},
		swindle{name: "stamps that jump 200 ms to and fro each second", shift: func(now clock.Micros) clock.Micros { return now / s % 2 * 200 * ms }},
		swindle{name: "stamps that jump 2 s to and fro each 5 s", shift: func(now clock.Micros) clock.Micros { return now / (5 * s) % 2 * 2 * s }},
		swindle{name: "stamps that fall behind at 0.5× for 1 s and catch up", shift: func(now clock.Micros) clock.Micros { return -(now % s / 2) }},
		swindle{name: "late first words, then moves that last 2×", late: true, length: 2},
		swindle{name: "a way up of 500 ms that takes 40 of a sudden, moves that last 1.5×", way: 500 * ms, drop: 460 * ms, length: 1.5},
	)
}

// phase is what any player may seem to gain between the first tick with a move and another: a
// tick, a frame, and what the clock was off by at first.
const phase = 30 * clock.Millisecond

// THR-18 and THR-19, GAP-12, TIM-16: whatever players do with their time, over the real ends of
// a session they never gain more than the slack and one move at any time, and no more in
// ten minutes than in one, which make hours plays. docs/fair-time.md shows the table.
func TestGains(t *testing.T) {
	singleThreaded(t)
	world := plane(t)
	const slack = 250 * ms // the default of predict.Limits.MaxTimeDiscrepancy
	long := 60 * clock.Second
	if os.Getenv("BACKSTEP_HOURS") != "" {
		long = 600 * clock.Second
	}
	for _, w := range swindles() {
		g := w.play(t, world, long)
		noticed := "–"
		if g.noticed >= 0 {
			noticed = fmt.Sprintf("%.2f", g.noticed.Seconds())
		}
		if long == 60*clock.Second {
			figures.Check(t, w.name, 0.1, "%d | %d | %d | %s | %.0f", g.minute/1000, g.most/1000, g.tick/1000, noticed, g.corrections)
		} else {
			t.Logf("%s: %d ms in a minute, %d in %.0f s, at most %d, %d in a tick", w.name, g.minute/1000, g.end/1000, long.Seconds(), g.most/1000, g.tick/1000)
		}
		if g.most > slack+phase || g.window > 2*slack+phase || g.tick > slack+predict.MaxDuration {
			t.Errorf("%s: gained %d µs, %d within a second, %d in a tick", w.name, g.most, g.window, g.tick)
		}
		if g.refused != "" {
			t.Errorf("%s: let go: %s", w.name, g.refused)
		}
	}
}
