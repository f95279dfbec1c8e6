package main

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// drawReconciliation draws how a runner's own screen gets over a push that its client could not
// foresee: how far aside the server, the simulation and the screen have it after the same command.
func drawReconciliation() (string, error) {
	const push = 300 * clock.Millisecond
	curves := map[string][]point{}
	truth, replayed, pushed := map[uint32]float64{}, 0, false
	type drawn struct {
		t                 clock.Micros
		number            uint32
		simulated, screen float64
	}
	var frames []drawn
	m := match{
		seed: 1, duration: clock.Second,
		moved: func(_ clock.Micros, m *session.MoveStep) { truth[m.Number] = m.Position.X },
		ticked: func(t clock.Micros, s *server) {
			if t >= push && !pushed {
				pushed = true
				s.Modify(1, func(h *hero) { h.Impulse = geom.V(6, 0, 0) })
			}
		},
		players: []player{{
			name: "Ann", network: rtt(150), spawn: at(0, 0, 0),
			play: func(_ *client, t clock.Micros) (c command) { c.Forward = 1; return c },
			drawn: func(c *client, t clock.Micros) {
				frames = append(frames, drawn{t, c.Newest(), c.Position().X, c.Position().X + c.Offset().X})
				if l := c.LastCorrection(); pushed && replayed == 0 && l.Replayed > 0 && t > push {
					replayed = l.Replayed
				}
			},
		}},
	}
	if err := m.run(); err != nil {
		return "", err
	}
	var arrived clock.Micros
	worst := 0.0
	var off []point
	for _, f := range frames {
		v, known := truth[f.number]
		if !known {
			continue
		}
		curves["green"] = append(curves["green"], point{f.t, v})
		curves["dimmed"] = append(curves["dimmed"], point{f.t, f.simulated})
		curves["blue"] = append(curves["blue"], point{f.t, f.screen})
		off = append(off, point{f.t, 100 * (f.screen - v)})
		if d := v - f.simulated; d > worst {
			worst = d
		} else if worst > 0 && arrived == 0 && d < worst/2 {
			arrived = f.t
		}
	}
	s := newSheet(420, "How far aside the server, the client's simulation and the screen have a runner that was pushed")
	p := plot{x: 60, y: 44, w: 620, h: 190, from: 200 * clock.Millisecond, to: 800 * clock.Millisecond, top: 0.6}
	s.text(16, 24, "head", "start", "The server pushes a runner: how far aside it is; round trip 150 ms")
	p.axes(s, []float64{0, 0.2, 0.4, 0.6}, "%.1f m", 0)
	p.curve(s, curves["green"], "green bold")
	p.curve(s, curves["dimmed"], "dimmed bold dashes")
	p.curve(s, curves["blue"], "blue bold")
	s.text(p.px(300*clock.Millisecond), p.py(0.38), "green", "end", "the server")
	s.text(p.px(arrived)+8, p.py(0.03), "red", "start", "The correction arrives: adopted, and %d moves replayed on top.", replayed)
	s.text(p.px(arrived)+64, p.py(0.2), "blue", "start", "The screen follows: what is left of the error fades.")
	s.text(p.px(arrived)+8, p.py(0.53), "dim", "start", "The simulation (dashed) is right at once.")
	e := plot{x: 60, y: 284, w: 620, h: 100, from: p.from, to: p.to, low: -40}
	s.text(16, 266, "head", "start", "The error on the screen, in centimetres")
	e.axes(s, []float64{0, -20, -40}, "%.0f", 100*clock.Millisecond)
	e.curve(s, off, "red bold")
	p.sweep(s, curves, "green", "dimmed", "blue")
	return s.end(), nil
}
