package main

import (
	"math"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// drawInterpolation draws a player that runs to and fro as another client, on a link with jitter and
// loss, receives and draws it: 20 snapshots a second.
func drawInterpolation() (string, error) {
	const from, to, interval = 700 * clock.Millisecond, 1900 * clock.Millisecond, clock.Second / 20
	curves := map[string][]point{}
	var arrivals []point // when, and where the snapshot has the runner
	var stamps []clock.Micros
	delay, frames, last := clock.Micros(0), clock.Micros(0), uint32(0)
	m := match{
		seed: 2, duration: 2 * clock.Second, session: session.ServerConfig{SnapshotRate: 20},
		moved: func(t clock.Micros, s *session.MoveStep) {
			if s.Player == 1 && !s.GapFill {
				curves["dimmed"] = append(curves["dimmed"], point{t, s.Position.X})
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
						arrivals = append(arrivals, point{t, 0})
						stamps = append(stamps, clock.Micros(tick-1)*clock.Second/60-begins)
					}
					curves["blue"] = append(curves["blue"], point{t, c.Remotes()[0].Position.X})
					if t >= from && t <= to {
						delay, frames = delay+c.Stats().ViewDelay, frames+1
					}
				},
			},
		},
	}
	if err := m.run(); err != nil {
		return "", err
	}
	s := newSheet(322, "A player that runs to and fro: its path, the snapshots of it, and the drawn path")
	p := plot{x: 52, y: 60, w: 628, h: 190, from: from, to: to, low: math.Inf(1), top: math.Inf(-1)}
	for _, q := range append(p.within(curves["dimmed"]), p.within(curves["blue"])...) {
		p.low, p.top = min(p.low, math.Floor(q.v*2)/2), max(p.top, math.Ceil(q.v*2)/2)
	}
	s.text(16, 24, "head", "start", "Another player runs to and fro: metres aside; 20 snapshots a second, 10 %% lost")
	p.axes(s, []float64{p.low, (p.low + p.top) / 2, p.top}, "%.1f", 200*clock.Millisecond)
	p.curve(s, curves["dimmed"], "dimmed thin")
	p.curve(s, curves["blue"], "blue bold")
	for i, a := range arrivals {
		if stamps[i] < from || a.t > to {
			continue
		}
		y := p.py(valueAt(curves["dimmed"], stamps[i]))
		s.line(p.px(stamps[i]), y, p.px(a.t), y, "orange thin dashes")
		s.dot(p.px(stamps[i]), y, 4, "orange")
		s.put(`<circle cx="%s" cy="%s" r="3.5" class="hollow orange"/>`, n(p.px(a.t)), n(y))
	}
	for i := 1; i < len(stamps); i++ {
		for t := stamps[i-1] + interval; t < stamps[i]-interval/2; t += interval {
			if t > from && t < to {
				s.text(p.px(t), p.py(valueAt(curves["dimmed"], t))+5, "red", "middle", "✕")
			}
		}
	}
	s.text(p.x, 46, "dim", "start", "thin: where it was on the server")
	s.text(p.x+225, 46, "orange", "start", "● a snapshot's sample  ○ its arrival")
	s.text(p.x+480, 46, "blue", "start", "as drawn")
	s.text(16, 306, "dim", "start", "The drawn path is the true one, %.0f ms later; the round trip is 100 ms, with 30 ms of jitter. ✕ is a lost snapshot.", ms(delay/max(frames, 1)))
	p.sweep(s, curves, "dimmed", "blue")
	return s.end(), nil
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
