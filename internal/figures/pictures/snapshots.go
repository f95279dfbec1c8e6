package main

import (
	"fmt"
	"strings"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// crowd is how many others the snapshots picture has, near ones first; every third one stands still.
const crowd = 18

// drawSnapshots draws which snapshots mention which of the others, for a client whose budget is too
// small for all of them: the near ones more often, those that stand still hardly ever.
func drawSnapshots() (string, error) {
	const from, to = 500 * clock.Millisecond, 2500 * clock.Millisecond
	mentioned, newest := map[track.ID][]clock.Micros{}, map[track.ID]clock.Micros{}
	m := match{
		seed: 1, duration: 2600 * clock.Millisecond,
		session: session.ServerConfig{Players: crowd + 1, SnapshotRate: 20, Snapshot: replicate.Rules{Budget: 72}},
		players: []player{{
			name: "Ann", network: rtt(60), spawn: at(0, 0, 0),
			drawn: func(c *client, t clock.Micros) {
				for _, r := range c.Remotes() {
					if s, ok := c.Others().Newest(r.ID); ok && s.At != newest[r.ID] {
						newest[r.ID] = s.At
						mentioned[r.ID] = append(mentioned[r.ID], t)
					}
				}
			},
		}},
	}
	for i := range crowd {
		m.players = append(m.players, player{name: fmt.Sprint("Other ", i+1), network: rtt(60), spawn: at(0, -4*float64(i+1), 0), play: pacing(i)})
	}
	if err := m.run(); err != nil {
		return "", err
	}
	s := newSheet(386, "Which of twenty snapshots a second mention which of the other players")
	p := plot{x: 92, y: 58, w: 588, h: 270, from: from, to: to}
	s.text(16, 24, "head", "start", "Which snapshots mention which players: 20 a second, 72 bytes each at most")
	s.text(p.x, 46, "blue", "start", "▮ runs")
	s.text(p.x+70, 46, "orange", "start", "▮ stands still")
	for i := range crowd {
		y := p.y + p.h*(float64(i)+0.5)/crowd
		if i%3 == 0 || i == crowd-1 {
			s.text(p.x-8, y+4, "dim", "end", "%d m away", 4*(i+1))
		}
		p.ticks(s, mentioned[track.ID(i+2)], y, rowClass(i))
	}
	p.axes(s, nil, "", 500*clock.Millisecond)
	s.text(16, 372, "dim", "start", "Near ones are in every snapshot, far ones take turns, and one that rests is repeated about twice a second.")
	return s.end(), nil
}

// pacing returns the input of the i-th of the others: to and fro, or nothing.
func pacing(i int) func(*client, clock.Micros) command {
	return func(_ *client, t clock.Micros) (c command) {
		if i%3 != 2 {
			c.Right = 1
			if (t/(600*clock.Millisecond))%2 == 1 {
				c.Right = -1
			}
		}
		return c
	}
}

func rowClass(i int) string {
	if i%3 == 2 {
		return "orange"
	}
	return "blue"
}

// ticks draws a short upright line for each time within the plot, at a height.
func (p *plot) ticks(s *sheet, times []clock.Micros, y float64, class string) {
	var b strings.Builder
	for _, t := range times {
		if t >= p.from && t <= p.to {
			fmt.Fprintf(&b, "M%s %sv10", n(p.px(t)), n(y-5))
		}
	}
	s.put(`<path d="%s" class="%s" stroke-width="4"/>`, b.String(), class)
}
