package session_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
)

// pick returns one of a few.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// span returns something from a to b, evenly.
func span(r *rand.Rand, a, b clock.Micros) clock.Micros {
	return a + clock.Micros(r.Int64N(int64(b-a)+1))
}

// spell returns something from a to b, mostly small.
func spell(r *rand.Rand, a, b clock.Micros) clock.Micros {
	return clock.Micros(float64(a) * math.Pow(float64(b)/float64(a), r.Float64()))
}

// honest is a player drawn by a seed, who plays for a while on a link on which things
// happen, and what the server thought of it.
type honest struct {
	*pair
	seed   uint64
	text   string // what was drawn
	begin  clock.Micros
	every  clock.Micros
	quiet  clock.Micros // since when nothing that happened explains anything
	happen [mishapKinds]int
	told   []string             // what happened, and when
	infos  []session.PlayerInfo // scratch
	last   session.PlayerInfo
	jumped int // clock jumps of this connection
	tally  tally
}

// tally is what a server thought of players' time.
type tally struct {
	played      clock.Micros
	frames      int
	happened    int
	Episodes    int // discrepancies detected
	Cut, Slowed int // moves cut, and corrections because of that
	Refused     int // moves refused for their time or number when nothing explains it …
	explained   int // … and soon after a mishap
	overdue     int // moves cut because too much came at once
	stale       int // moves whose time had been simulated without them
	forced      int
	overtaken   int // corrections because of those
	mistaken    int // corrections of predictions: of moves that were lost for good
	jumps       int // of clients' clocks
	playing     int // seconds in which the client was in the world, of …
	seconds     int
	Kicks       int
	executed    int
}

func (t *tally) add(o *tally) {
	t.played += o.played
	for _, f := range []struct {
		to   *int
		more int
	}{
		{&t.frames, o.frames}, {&t.happened, o.happened}, {&t.Episodes, o.Episodes}, {&t.Cut, o.Cut},
		{&t.Slowed, o.Slowed}, {&t.Refused, o.Refused}, {&t.explained, o.explained}, {&t.stale, o.stale},
		{&t.forced, o.forced}, {&t.overtaken, o.overtaken}, {&t.mistaken, o.mistaken}, {&t.jumps, o.jumps},
		{&t.Kicks, o.Kicks}, {&t.overdue, o.overdue},
		{&t.playing, o.playing}, {&t.seconds, o.seconds}, {&t.executed, o.executed},
	} {
		*f.to += f.more
	}
}

// alarms says whether any player was taken for a cheat.
func (t *tally) alarms() bool { return t.Episodes+t.Cut+t.Slowed+t.Refused+t.Kicks > 0 }

func (t *tally) String() string {
	return fmt.Sprintf("%.2f player-hours, %d mishaps, %d moves: %d discrepancies, %d cut, %d corrections to slow down, "+
		"%d refused and %d explained, %d kicked; %d overtaken by silence (%d steps, %d corrections), %d that were too much at once, %d other corrections, %d clock jumps, in the world %.1f %% of the time",
		t.played.Seconds()/3600, t.happened, t.executed, t.Episodes, t.Cut, t.Slowed,
		t.Refused, t.explained, t.Kicks, t.stale, t.forced, t.overtaken, t.overdue, t.mistaken, t.jumps, 100*float64(t.playing)/float64(t.seconds))
}

// calm is for how long after a mishap refused moves are its doing: the queue of a
// stalled network, a clock that finds its way back.
const calm = 10 * clock.Second

// newHonest draws a player. Cheap frame and tick rates are drawn more often, so that an
// hour costs less; every combination is.
func newHonest(t testing.TB, seed uint64, world *collide.World) *honest {
	r := rand.New(rand.NewPCG(seed, 1))
	h := &honest{seed: seed, pair: newPair(t, seed, pick(r, 20, 20, 20, 60, 60, 128), world)}
	h.rnd = r
	f := &h.frames
	f.fps = pick(r, 30, 30, 60, 60, 60, 75, 144, 240, 30+float64(r.Float64()*210))
	f.uneven = pick(r, 0, 0.1, 0.9)
	f.hitch = pick(r, 0, 0, 0.001, 0.01)
	h.config.Tick = pick(r, 0, 0, 0, 0, 20, 30, 60, 128)
	h.config.SendRate = pick(r, 0, 0, 0, 20, 30, 128)
	h.config.InputDelay = pick(r, 0, 0, 0, 0, 0, span(r, 0, 250_000))
	h.combine = r.IntN(4) > 0
	h.clock.grain = pick[clock.Micros](r, 1, 1, 5, 100, 1000)
	h.clock.ppm = pick(r, -500, 500, 0, span(r, -500, 500), span(r, -100, 100), span(r, -10_000, 10_000))
	h.lazy = r.IntN(2) == 0
	way, up := span(r, 0, 300_000), r.Float64()
	h.up.delay = clock.Micros(float64(way) * up)
	h.down.delay = way - h.up.delay
	for _, l := range []*testLink{&h.up, &h.down} {
		l.jitter = pick(r, 0, span(r, 0, 10_000), span(r, 0, 60_000))
		l.spiky, l.ordered = r.IntN(2) == 0, r.IntN(2) == 0
		l.loss = pick(r, 0, 0, 0.01, 0.3*r.Float64(), 0.3)
		l.run = pick(r, 1, 1, 1+float64(r.Float64()*7))
	}
	h.every = pick(r, 15*clock.Second, 60*clock.Second, 180*clock.Second, 3600*clock.Second)
	h.text = fmt.Sprintf("seed %d: %d Hz, %.0f frames/s (uneven %.1f, hitches %.3f), %+v, combining %v, clock %+d ppm in %d µs, lazy %v, "+
		"up %d ± %d ms, %.2f lost in runs of %.1f, down %d ± %d ms, %.2f in %.1f, a mishap each %.0f s",
		seed, h.rate, f.fps, f.uneven, f.hitch, h.config, h.combine, h.clock.ppm, h.clock.grain, h.lazy,
		h.up.delay/1000, h.up.jitter/1000, h.up.loss, h.up.run, h.down.delay/1000, h.down.jitter/1000, h.down.loss, h.down.run, h.every.Seconds())
	return h
}

const mishapKinds = 12

// mishaps are what happens to honest players. Each says until when.
var mishaps = [mishapKinds]struct {
	name string
	do   func(h *honest, now clock.Micros) clock.Micros
}{
	{"a network that loses everything", func(h *honest, now clock.Micros) clock.Micros {
		return h.lines(now+spell(h.rnd, 200_000, 5*clock.Second), func(l *testLink, end clock.Micros) { l.cut = end })
	}},
	{"a network that holds everything", func(h *honest, now clock.Micros) clock.Micros {
		return h.lines(now+spell(h.rnd, 200_000, 5*clock.Second), func(l *testLink, end clock.Micros) { l.hold = end })
	}},
	{"5 s lost", func(h *honest, now clock.Micros) clock.Micros {
		return h.lines(now+5*clock.Second, func(l *testLink, end clock.Micros) { l.cut = end })
	}},
	{"5 s held", func(h *honest, now clock.Micros) clock.Micros {
		return h.lines(now+5*clock.Second, func(l *testLink, end clock.Micros) { l.hold = end })
	}},
	{"a page that freezes", func(h *honest, now clock.Micros) clock.Micros {
		end := now + spell(h.rnd, 50_000, 5*clock.Second)
		h.frames.sleep(end)
		return end
	}},
	{"a tab in the background", func(h *honest, now clock.Micros) clock.Micros {
		end := now + spell(h.rnd, clock.Second, 60*clock.Second)
		if h.rnd.IntN(2) == 0 {
			h.frames.sleep(end)
		} else {
			h.frames.slow = end
		}
		return end
	}},
	{"another route", func(h *honest, now clock.Micros) clock.Micros {
		h.lines(0, func(l *testLink, _ clock.Micros) {
			other := h.up.delay + h.down.delay - l.delay
			l.delay = min(max(l.delay+span(h.rnd, -200_000, 200_000), 0), 300_000, 500_000-other)
		})
		return now
	}},
	{"a connection made anew", func(h *honest, now clock.Micros) clock.Micros {
		end := now + span(h.rnd, 0, 5*clock.Second)
		h.frames.sleep(end)
		h.run(end)
		h.note()
		h.connect()
		h.last = session.PlayerInfo{}
		return end
	}},
	{"a laptop asleep", func(h *honest, now clock.Micros) clock.Micros {
		long := spell(h.rnd, clock.Second, 120*clock.Second)
		h.frames.sleep(now + long)
		h.up.cut, h.down.cut = now+long, now+long
		h.run(now + long - 1)
		if h.rnd.IntN(2) == 0 {
			h.clock.set(now+long-1, h.clock.ppm, -min(long, h.clock.shown)) // its clock slept too
		}
		if long > 8*clock.Second {
			h.note()
			h.connect()
			h.last = session.PlayerInfo{}
		}
		return now + long
	}},
	{"a server that stalls", func(h *honest, now clock.Micros) clock.Micros {
		h.stall = now + spell(h.rnd, 50_000, 2*clock.Second)
		return h.stall
	}},
	{"an oscillator that warms up", func(h *honest, now clock.Micros) clock.Micros {
		h.clock.set(now, min(max(h.clock.ppm+span(h.rnd, -50, 50), -10_000), 10_000), 0)
		return now
	}},
	{"a machine whose clock runs otherwise from now on", func(h *honest, now clock.Micros) clock.Micros {
		h.clock.set(now, span(h.rnd, -10_000, 10_000), 0)
		return now
	}},
}

// lines does something to one way or both.
func (h *honest) lines(end clock.Micros, do func(*testLink, clock.Micros)) clock.Micros {
	which := h.rnd.IntN(3)
	if which != 1 {
		do(&h.up, end)
	}
	if which != 0 {
		do(&h.down, end)
	}
	return end
}

// play plays for a while, from the very first packet on.
func (h *honest) play(long clock.Micros) {
	begin := h.now()
	h.begin = begin
	h.connect()
	h.quiet = begin + calm
	next := begin + clock.Micros(h.rnd.ExpFloat64()*float64(h.every))
	for t := begin; t < begin+long && h.refused == ""; {
		t = min(t+clock.Second, next)
		h.run(t)
		h.note()
		if h.tally.seconds++; h.client.Phase() == session.Playing {
			h.tally.playing++
		}
		if t == next {
			k := h.rnd.IntN(len(mishaps))
			h.happen[k]++
			h.tally.happened++
			h.tell("%s", mishaps[k].name)
			h.quiet = max(h.quiet, mishaps[k].do(h, t)+calm)
			next = max(t, h.quiet-calm) + clock.Micros(h.rnd.ExpFloat64()*float64(h.every)) + 1
		}
	}
	h.note()
	h.tally.played, h.tally.frames, h.tally.Kicks = h.now()-begin, h.count, h.kicked
}

// tell notes what happens now.
func (h *honest) tell(format string, what ...any) {
	h.told = append(h.told, fmt.Sprintf("%.1f s: ", (h.now()-h.begin).Seconds())+fmt.Sprintf(format, what...))
}

// note adds up what the server counted since the last time.
func (h *honest) note() {
	h.infos = h.server.Players(h.infos[:0])
	k := slices.IndexFunc(h.infos, func(i session.PlayerInfo) bool { return i.Connected })
	if k < 0 {
		return
	}
	now := h.infos[k]
	a, b := &now.Moves, &h.last.Moves
	if a.Executed < b.Executed || a.Teleports < b.Teleports {
		b = &predict.AuthorityCounters{} // the seat was given anew
	}
	t := &h.tally
	if more := a.Refused - b.Refused; more > 0 && h.server.Now() > h.quiet {
		h.tell("%d REFUSED", more)
		t.Refused += more
	} else {
		t.explained += more
	}
	if a.Cut > b.Cut {
		h.tell("%d CUT", a.Cut-b.Cut)
	}
	t.Cut += a.Cut - b.Cut
	t.Slowed += a.Throttles - b.Throttles
	t.stale += a.Stale - b.Stale
	t.forced += a.ServerDriven - b.ServerDriven
	t.overdue += a.Overdue - b.Overdue
	t.overtaken += a.Timeouts - b.Timeouts
	t.mistaken += a.Corrections - b.Corrections
	t.executed += a.Executed - b.Executed
	if more := now.Discrepancy.Episodes - h.last.Discrepancy.Episodes; more > 0 {
		t.Episodes += more
		h.tell("DETECTED")
	}
	jumps := h.client.Stats().ClockJumps
	t.jumps += max(jumps-h.jumped, 0)
	h.jumped = jumps
	h.last = now
}

// TIM-12: no player honest is ever taken for a cheat: no discrepancy is detected, no move
// is cut, or refused for its time, and no player is corrected to slow down, whatever the
// clock within 1 % (TIM-15), the link, the page, the laptop. BACKSTEP_HOURS is how many hours are played in
// all.
func TestHours(t *testing.T) {
	singleThreaded(t)
	hours, most := 1.5, 180*clock.Second
	if v, err := strconv.ParseFloat(os.Getenv("BACKSTEP_HOURS"), 64); err == nil {
		hours, most = v, 3600*clock.Second
	}
	first, _ := strconv.ParseUint(os.Getenv("BACKSTEP_SEED"), 10, 64)
	world := plane(t)
	var (
		lock  sync.Mutex
		all   tally
		group sync.WaitGroup
		kinds [mishapKinds]int
		begin = time.Now()
		said  = begin
		seed  = first
	)
	for range min(2, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			lock.Lock()
			defer lock.Unlock()
			for all.played < clock.Micros(hours*3600e6) {
				h := newHonest(t, seed, world)
				seed++
				lock.Unlock()
				h.play(spell(rand.New(rand.NewPCG(h.seed, 2)), 60*clock.Second, most))
				lock.Lock()
				all.add(&h.tally)
				for k, n := range h.happen {
					kinds[k] += n
				}
				if h.tally.alarms() || h.refused != "" {
					t.Errorf("%s\n%s %q\n%v", h.text, h.refused, h.told, &h.tally)
				}
				if time.Since(said) > time.Minute {
					said = time.Now()
					t.Logf("%d seeds, %.1f hours a minute: %v", seed-first, all.played.Seconds()/60/time.Since(begin).Seconds(), &all)
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d seeds from %d: %v", seed-first, first, &all)
	t.Logf("| in %.1f hours of %d players | times |", all.played.Seconds()/3600, seed-first)
	t.Logf("|---|---:|")
	for k, n := range kinds {
		t.Logf("| %s | %d |", mishaps[k].name, n)
	}
	t.Logf("%.1f hours a minute", all.played.Seconds()/60/time.Since(begin).Seconds())
}
