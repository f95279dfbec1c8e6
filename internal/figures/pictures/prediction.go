package main

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
)

// drawPrediction draws how far a player has walked on its own screen at 150 ms of round trip: with
// prediction, and as a client without it would show it, which has nothing but the newest snapshot.
// That one is a second player on an equal link that draws the first as it came.
func drawPrediction() (string, error) {
	const press, release = 100 * clock.Millisecond, 700 * clock.Millisecond
	curves, pressed := map[string][]point{}, clock.Micros(0)
	m := match{
		seed: 1, duration: clock.Second + 100*clock.Millisecond,
		players: []player{
			{
				name: "Ann", network: rtt(150), spawn: at(0, 0, 0),
				play: func(_ *client, t clock.Micros) (c command) {
					if t >= press && t < release {
						c.Forward = 1
						if pressed == 0 {
							pressed = t
						}
					}
					return c
				},
				drawn: func(c *client, t clock.Micros) {
					curves["blue"] = append(curves["blue"], point{t, -c.Position().Z})
				},
			},
			{
				name: "Ben", network: rtt(150), spawn: at(10, 0, 0), config: session.ClientConfig{Mode: remote.Newest},
				drawn: func(c *client, t clock.Micros) {
					if len(c.Remotes()) > 0 {
						curves["orange"] = append(curves["orange"], point{t, -c.Remotes()[0].Position.Z})
					}
				},
			},
		},
	}
	if err := m.run(); err != nil {
		return "", err
	}
	s := newSheet(330, "A player's own position over time, with prediction and without, at 150 ms of round trip")
	p := plot{x: 52, y: 44, w: 628, h: 200, to: clock.Second, top: 4}
	s.text(16, 24, "head", "start", "Metres that a player has walked on its own screen; round trip 150 ms")
	p.axes(s, []float64{0, 1, 2, 3, 4}, "%.0f", 200*clock.Millisecond)
	s.put(`<rect x="%s" y="276" width="%s" height="18" rx="4" class="fill grid" stroke="none"/>`, n(p.px(press)), n(p.px(release)-p.px(press)))
	s.text(p.px((press+release)/2), 290, "", "middle", "W is held")
	p.curve(s, curves["orange"], "orange bold dashes")
	p.curve(s, curves["blue"], "blue bold")
	half := reaches(curves["blue"], 2)
	late := reaches(curves["orange"], 2)
	s.arrow(p.px(half)+4, p.py(2), p.px(late)-2, p.py(2), "red")
	s.text(p.px(late)+10, p.py(2)+4, "red", "start", "%.0f ms later", ms(late-half))
	s.text(p.px(half)-20, p.py(2.3), "blue", "end", "with prediction")
	s.text(p.px(late)+12, p.py(1.2), "orange", "start", "without: what the newest")
	s.text(p.px(late)+12, p.py(0.85), "orange", "start", "snapshot shows")
	s.text(16, 318, "dim", "start", "The character moves %.0f ms after the press with prediction, and %.0f ms after it without.",
		ms(moves(curves["blue"])-pressed), ms(moves(curves["orange"])-pressed))
	p.sweep(s, curves, "orange", "blue")
	return s.end(), nil
}

// reaches returns when rising values first exceed one.
func reaches(points []point, v float64) clock.Micros {
	for i, q := range points {
		if q.v > v && i > 0 {
			before := points[i-1]
			return before.t + clock.Micros(float64(q.t-before.t)*(v-before.v)/(q.v-before.v))
		}
	}
	return 0
}

// moves returns when a value has first grown.
func moves(points []point) clock.Micros {
	for _, q := range points {
		if q.v > points[0].v+0.001 {
			return q.t
		}
	}
	return 0
}

// ms returns a time in milliseconds.
func ms(t clock.Micros) float64 { return float64(t) / 1000 }
