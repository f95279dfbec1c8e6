package main

import (
	"math"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

const (
	interpolationFrom = 700 * clock.Millisecond
	interpolationTo   = 1900 * clock.Millisecond
	interpolationRate = 20 // snapshots a second
)

// interpolated is what a client received and drew of another player that runs to and fro.
type interpolated struct {
	server, drawn []point        // metres aside
	arrivals      []clock.Micros // of the snapshots
	stamps        []clock.Micros // the instants that they describe
	delay, frames clock.Micros   // sum of the drawn frames' view delays, and their number
}

// drawInterpolation draws a player that runs to and fro as another client, on a link with jitter and
// loss, receives and draws it.
func drawInterpolation() (string, error) {
	r, err := playInterpolated()
	if err != nil {
		return "", err
	}
	s := newSheet(322, "A player that runs to and fro: its path, the snapshots of it, and the drawn path")
	p := plot{x: 52, y: 60, w: 628, h: 190, from: interpolationFrom, to: interpolationTo, low: math.Inf(1), top: math.Inf(-1)}
	for _, q := range append(p.within(r.server), p.within(r.drawn)...) {
		p.low, p.top = min(p.low, math.Floor(q.v*2)/2), max(p.top, math.Ceil(q.v*2)/2)
	}
	s.text(16, 24, "head", "start", "Another player runs to and fro: metres aside; %d snapshots a second, 10 %% lost", interpolationRate)
	p.axes(s, []float64{p.low, (p.low + p.top) / 2, p.top}, "%.1f", 200*clock.Millisecond)
	p.curve(s, r.server, "dimmed thin")
	p.curve(s, r.drawn, "blue bold")
	r.putSnapshots(s, &p)
	r.putLost(s, &p)
	s.text(p.x, 46, "dim", "start", "thin: where it was on the server")
	s.text(p.x+225, 46, "orange", "start", "● a snapshot's sample  ○ its arrival")
	s.text(p.x+480, 46, "blue", "start", "as drawn")
	s.text(16, 306, "dim", "start", "The drawn path is the true one, %.0f ms later; the round trip is 100 ms, with 30 ms of jitter. ✕ is a lost snapshot.", ms(r.delay/max(r.frames, 1)))
	p.sweep(s, map[string][]point{"dimmed": r.server, "blue": r.drawn}, "dimmed", "blue")
	return s.end(), nil
}

// playInterpolated plays the match: Ann runs, and Ben's client draws her.
func playInterpolated() (*interpolated, error) {
	r := &interpolated{}
	last := uint32(0)
	m := match{
		seed: 2, duration: 2 * clock.Second, session: session.ServerConfig{SnapshotRate: interpolationRate},
		moved: func(t clock.Micros, s *session.MoveStep) {
			if s.Player == 1 && !s.GapFill {
				r.server = append(r.server, point{t, s.Position.X})
			}
		},
		players: []player{
			{
				name: "Ann", network: rtt(4), spawn: at(0, 0, 0),
				play: func(_ *client, t clock.Micros) (c command) {
					c.Right = 1
					if (t/(400*clock.Millisecond))%2 == 1 {
						c.Right = -1
					}
					return c
				},
			},
			{
				name: "Ben", network: mem.Network{RTT: 100 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.1}, spawn: at(10, 0, 0),
				drawn: func(c *client, t clock.Micros) {
					if len(c.Remotes()) == 0 {
						return
					}
					if tick := c.Stats().Tick; tick != last {
						last = tick
						r.arrivals = append(r.arrivals, t)
						r.stamps = append(r.stamps, clock.Micros(tick-1)*clock.Second/60-begins)
					}
					r.drawn = append(r.drawn, point{t, c.Remotes()[0].Position.X})
					if t >= interpolationFrom && t <= interpolationTo {
						r.delay, r.frames = r.delay+c.Stats().ViewDelay, r.frames+1
					}
				},
			},
		},
	}
	return r, m.run()
}

// putSnapshots draws each snapshot's sample, and a line from it to its arrival.
func (r *interpolated) putSnapshots(s *sheet, p *plot) {
	for i, arrival := range r.arrivals {
		if r.stamps[i] < p.from || arrival > p.to {
			continue
		}
		y := p.py(valueAt(r.server, r.stamps[i]))
		s.line(p.px(r.stamps[i]), y, p.px(arrival), y, "orange thin dashes")
		s.dot(p.px(r.stamps[i]), y, 4, "orange")
		s.put(`<circle cx="%s" cy="%s" r="3.5" class="hollow orange"/>`, n(p.px(arrival)), n(y))
	}
}

// putLost marks the snapshots between those that arrived.
func (r *interpolated) putLost(s *sheet, p *plot) {
	const interval = clock.Second / interpolationRate
	for i := 1; i < len(r.stamps); i++ {
		for t := r.stamps[i-1] + interval; t < r.stamps[i]-interval/2; t += interval {
			if t > p.from && t < p.to {
				s.text(p.px(t), p.py(valueAt(r.server, t))+5, "red", "middle", "✕")
			}
		}
	}
}

// within returns the points within the plot's times.
func (p *plot) within(points []point) (kept []point) {
	for _, q := range points {
		if q.t >= p.from && q.t <= p.to {
			kept = append(kept, q)
		}
	}
	return kept
}
