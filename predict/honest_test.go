package predict

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// honest is a player with a clock.Sync, on a line that changes.
type honest struct {
	name   string
	fps    int
	ppm    clock.Micros                        // its oscillator is off by
	up     func(now clock.Micros) clock.Micros // one-way time, without jitter
	down   func(now clock.Micros) clock.Micros //
	jitter clock.Micros                        // one-sided, each way
	loss   float64                             // each way
	cut    func(now clock.Micros) (lost bool)  // everything is lost, both ways
	hold   func(now clock.Micros) clock.Micros // everything is held until then
	pause  func(now clock.Micros) bool         // no frames: a tab in the background
	moves  int                                 // that are run at least; 0: of 50 s in a minute
}

func steady(d clock.Micros) func(clock.Micros) clock.Micros {
	return func(clock.Micros) clock.Micros { return d * clock.Millisecond }
}

// echo is what the server says in answer, and when that arrives.
type echo struct{ at, sent, server, hold clock.Micros }

// play runs it for a while and returns what the authority did.
func (h *honest) play(t *testing.T, seed uint64, long clock.Micros) *meter {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 77))
	a := newToyAuthority(toyState{})
	m := &meter{a: a, seed: seed}
	var (
		sync         clock.Sync
		trips        clock.MinDelay
		mail         []packed
		back         []echo
		moves        [4096]toyCommand // by number
		number       uint32
		frame, tick  int64
		newest, from clock.Micros // when the newest packet was sent, and came
		stamp        clock.Micros
	)
	way := func(now clock.Micros, long clock.Micros) (clock.Micros, bool) {
		at := now + long
		if h.jitter > 0 {
			at += clock.Micros(r.Int64N(int64(h.jitter)))
		}
		if h.hold != nil {
			at = max(at, h.hold(now))
		}
		return at, r.Float64() < h.loss || h.cut != nil && h.cut(now)
	}
	begin := 20 * clock.Second
	for now := begin; now < begin+long; now += 1000 {
		local := 7*clock.Second + now + now*h.ppm/1e6
		if clock.TickTime(frame+1, h.fps) <= now-begin {
			frame++
			for i := len(back) - 1; i >= 0; i-- {
				if e := back[i]; e.at <= now {
					sync.Sample(e.sent, local, e.server, e.hold)
					back = append(back[:i], back[i+1:]...)
				}
			}
			at := sync.Now(local)
			at -= at % TimeQuantum
			playing := now > begin+clock.Second && !(h.pause != nil && h.pause(now))
			if playing && at > stamp {
				if stamp > 0 {
					number++
					moves[number%4096] = toyCommand{Number: number, Stamp: at, Duration: min(at-stamp, MaxDuration)}
				}
				stamp = at
			}
			if at, lost := way(now, h.up(now)); !lost && (h.pause == nil || !h.pause(now)) {
				mail = append(mail, packed{at, toyCommand{Number: number, Stamp: now}})
			}
		}
		for clock.TickTime(tick+1, 60) <= now-begin {
			tick++
			mail = due(mail, now, func(p packed) {
				var four []toyCommand
				for n := max(p.move.Number, 4) - 3; n <= p.move.Number; n++ {
					four = append(four, moves[n%4096])
				}
				hand(a, p.at, four...)
				if p.move.Stamp > newest {
					newest, from = p.move.Stamp, p.at
				}
				trips.Note(p.at, p.at-p.move.Stamp+h.down(p.move.Stamp))
			})
			a.RoundTrip = max(trips.Delay(), 0)
			m.tick(t, now)
			a.Verdict(now)
			confirm(a)
			if newest == 0 {
				continue
			}
			if at, lost := way(now, h.down(now)); !lost {
				back = append(back, echo{at, 7*clock.Second + newest + newest*h.ppm/1e6, now, now - from})
			}
		}
	}
	return m
}

// between is true from a to b seconds of match time.
func between(now clock.Micros, a, b clock.Micros) bool {
	return now >= a*clock.Second && now < b*clock.Second
}

// An honest player is never flagged, and no move of it is cut: on any link, with any oscillator, after
// any freeze. [TIM-12]
func TestHonestPlayersAreNeverFlagged(t *testing.T) {
	changing := func(now clock.Micros) clock.Micros {
		if now/(10*clock.Second)%2 == 1 {
			return 250 * clock.Millisecond
		}
		return 50 * clock.Millisecond
	}
	stall := func(now clock.Micros) clock.Micros {
		if between(now, 40, 45) {
			return 45 * clock.Second
		}
		return 0
	}
	outage := func(now clock.Micros) bool { return between(now, 40, 45) }
	long := 60 * clock.Second
	for i, h := range []honest{
		{name: "a good line", fps: 60, up: steady(20), down: steady(20)},
		{name: "no line at all", fps: 144, up: steady(0), down: steady(0)},
		{name: "a fast oscillator", fps: 60, ppm: 500, up: steady(40), down: steady(40), jitter: 20e3},
		{name: "a slow oscillator", fps: 144, ppm: -500, up: steady(40), down: steady(40), jitter: 20e3},
		{name: "jitter of 100 ms", fps: 60, up: steady(50), down: steady(50), jitter: 100e3},
		{name: "30 % loss", fps: 60, ppm: 500, up: steady(50), down: steady(50), jitter: 30e3, loss: 0.3},
		{name: "a slow way up", fps: 60, up: steady(200), down: steady(10), jitter: 10e3},
		{name: "a slow way down", fps: 60, up: steady(10), down: steady(200), jitter: 10e3},
		{name: "a way up that changes by 200 ms", fps: 60, up: changing, down: steady(50), jitter: 5e3},
		{name: "a way down that changes by 200 ms", fps: 60, up: steady(50), down: changing, jitter: 5e3},
		{name: "a network that held everything for 5 s", fps: 60, ppm: 500, up: steady(30), down: steady(30), hold: stall},
		{name: "a network that lost everything for 5 s", fps: 60, ppm: -500, up: steady(30), down: steady(30), cut: outage},
		{name: "a tab in the background for 5 s", fps: 60, up: steady(30), down: steady(30), pause: outage},
		{name: "a tab in the background that draws once a second", fps: 60, up: steady(30), down: steady(30),
			pause: func(now clock.Micros) bool { return now > 30*clock.Second && now%clock.Second > 17*clock.Millisecond }, moves: 10 * 60},
		{name: "12 frames a second", fps: 12, up: steady(30), down: steady(30), jitter: 10e3},
	} {
		m := h.play(t, uint64(i), long)
		d, c := m.a.Discrepancy(), m.a.Counters()
		t.Logf("%s: lead %d µs, %d late, %d missing, %d stale, %d forced, %d run", h.name, m.a.lead.by, c.Late, c.Missing, c.Stale, c.ServerDriven, c.Executed)
		if h.moves == 0 {
			h.moves = 50 * h.fps
		}
		if d.Episodes != 0 || d.Lifetime != 0 || c.Cut+c.Refused != 0 || c.Executed < h.moves {
			t.Errorf("%s: seed %d: %+v\n%+v", h.name, i, d, c)
		}
	}
}

// anybody is an honest player with a random oscillator, on a random line whose ways
// change by up to 150 ms each, which loses up to 30 %, and which like its game stands still
// for up to 5 s now and then.
func anybody(r *rand.Rand) honest {
	rates := []int{12, 30, 60, 144}
	h := honest{fps: rates[r.IntN(len(rates))], ppm: clock.Micros(r.IntN(1001) - 500)}
	h.up, h.down = wandering(r), wandering(r)
	h.jitter = clock.Micros(r.IntN(2) * r.IntN(100e3))
	h.loss = float64(r.IntN(2)) * 0.3 * r.Float64()
	lost, held, away := freezes(r), freezes(r), freezes(r)
	h.cut = func(now clock.Micros) bool { return lost(now) > 0 }
	h.hold = held
	h.pause = func(now clock.Micros) bool { return away(now) > 0 }
	return h
}

// wandering is a way that takes 0 … 100 ms and at times up to 150 ms more.
func wandering(r *rand.Rand) func(clock.Micros) clock.Micros {
	least := clock.Micros(r.IntN(100e3))
	var more [16]clock.Micros
	for i := range more {
		more[i] = clock.Micros(r.IntN(2) * r.IntN(150e3))
	}
	every := clock.Micros(1e6 + r.IntN(20e6))
	return func(now clock.Micros) clock.Micros { return least + more[now/every%16] }
}

// freezes says until when a freeze lasts that holds at now, 0 where none does: none in
// the first five seconds, in which the clocks are set.
func freezes(r *rand.Rand) func(clock.Micros) clock.Micros {
	every, long := clock.Micros(10e6+r.IntN(50e6)), clock.Micros(r.IntN(2)*r.IntN(5e6))
	return func(now clock.Micros) clock.Micros {
		if at := now / every * every; now-at < long && at > 25*clock.Second {
			return at + long
		}
		return 0
	}
}

// No false alarm in as many hours of random honest players as HONEST says, each of five minutes. [TIM-12]
func TestNoFalseAlarmsInHours(t *testing.T) {
	players := 8
	if hours, err := strconv.Atoi(os.Getenv("HONEST")); err == nil {
		players = 12 * hours
	}
	var run, cut, lost int
	for seed := range uint64(players) {
		h := anybody(rand.New(rand.NewPCG(seed, 99)))
		m := h.play(t, seed, 300*clock.Second)
		d, c := m.a.Discrepancy(), m.a.Counters()
		run, cut, lost = run+c.Executed, cut+c.Cut, lost+c.Missing+c.Stale
		if d.Episodes != 0 || c.Refused != 0 {
			t.Errorf("seed %d: %+v\n%+v", seed, d, c)
		}
	}
	if run < players*200*12 { // of 300 s at 12 frames a second or more
		t.Errorf("%d moves were run for %d players: too few to mean anything", run, players)
	}
	t.Logf("%d hours: no false alarm; of %d moves %d were cut, %d lost or too late", players/12, run, cut, lost)
}
