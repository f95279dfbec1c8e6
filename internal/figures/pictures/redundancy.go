package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// datagram is one that a client sent.
type datagram struct {
	sent, came  clock.Micros // came is 0 for a lost one
	first, last uint32       // the moves in it
	bytes       string
}

// drawRedundancy draws the datagrams of a client between its time and the server's, on a link that
// loses a quarter of them, and which of them carry one move.
func drawRedundancy() (string, error) {
	var flights []datagram
	now, packed := clock.Micros(0), 0
	filled := 0
	m := match{
		seed: 7, duration: clock.Second,
		received: func(t clock.Micros, b []byte) {
			for i := range flights {
				if flights[i].came == 0 && flights[i].bytes == string(b) {
					flights[i].came = t
				}
			}
		},
		players: []player{{
			name: "Ann", network: mem.Network{RTT: 100 * time.Millisecond, Loss: 0.3}, spawn: at(0, 0, 0),
			play: func(_ *client, t clock.Micros) (c command) {
				now = t
				c.Forward, c.Yaw = 1, t.Seconds()
				return c
			},
			sent: func(c *client, b []byte) {
				moves := c.Stats().Moves
				carried := moves.Sent + moves.Resent - packed
				packed = moves.Sent + moves.Resent
				if now > 0 {
					flights = append(flights, datagram{now, 0, c.Newest() + 1 - uint32(carried), c.Newest(), strings.Clone(string(b))})
				}
			},
		}},
	}
	m.moved = func(t clock.Micros, s *session.MoveStep) {
		if s.GapFill && t > 0 {
			filled++
		}
	}
	if err := m.run(); err != nil {
		return "", err
	}
	return sketchFlights(flights, filled), nil
}

// marked returns the first move of which the first two datagrams are lost and the third arrives, and when it
// was made.
func marked(flights []datagram) (uint32, clock.Micros) {
	for i := 1; i+2 < len(flights); i++ {
		if flights[i].sent > 100*clock.Millisecond && flights[i].came == 0 && flights[i+1].came == 0 && flights[i+2].came > 0 {
			return flights[i].last, flights[i].sent
		}
	}
	return 0, 0
}

// sketchFlights draws the datagrams that are sent within a time.
func sketchFlights(flights []datagram, filled int) string {
	move, made := marked(flights)
	from, to := made-60*clock.Millisecond, made+180*clock.Millisecond
	s := newSheet(330, "Datagrams between client and server, some of them lost, and those that carry one move")
	p := plot{x: 70, y: 70, w: 610, h: 180, from: from, to: to}
	s.text(16, 24, "head", "start", "Datagrams on their way: 60 a second, round trip 100 ms, 30 %% lost")
	s.line(p.x, p.y, p.x+p.w, p.y, "dimmed thin")
	s.line(p.x, p.y+p.h, p.x+p.w, p.y+p.h, "dimmed thin")
	s.text(p.x-8, p.y+4, "", "end", "client")
	s.text(p.x-8, p.y+p.h+4, "", "end", "server")
	first := clock.Micros(0)
	for _, f := range flights {
		if f.sent < from || f.sent > to-5*clock.Millisecond {
			continue
		}
		carries := f.first <= move && move <= f.last
		class := "dimmed thin"
		if carries {
			class = "blue bold"
		}
		until, y := f.came, p.y+p.h
		if f.came == 0 {
			until, y = f.sent+25*clock.Millisecond, p.y+p.h/2
		} else if carries && first == 0 {
			first = f.came
			class = "green bold"
		}
		if until > to {
			y = p.y + (y-p.y)*float64(to-f.sent)/float64(until-f.sent)
			until = to
		}
		s.line(p.px(f.sent), p.y, p.px(until), y, class)
		if f.came == 0 && until < to {
			s.text(p.px(until), y+6, "red", "middle", "✕")
		}
		s.flight(&p, f, class, until, y)
	}
	s.text(p.px(made), p.y-26, "blue", "middle", "move %d is made", move)
	s.arrow(p.px(made), p.y-20, p.px(made), p.y-4, "blue")
	s.text(p.px(first), p.y+p.h+34, "green", "middle", "move %d arrives", move)
	s.arrow(p.px(first), p.y+p.h+20, p.px(first), p.y+p.h+4, "green")
	s.text(16, 314, "dim", "start", "Blue and green datagrams carry move %d. In this second the server had to fill in %s for lost moves.", move, count(filled))
	return s.end()
}

// flight puts a dot that flies along a datagram's line, in time with all others.
func (s *sheet) flight(p *plot, f datagram, class string, until clock.Micros, y float64) {
	share := func(t clock.Micros) string { return n3(float64(t-p.from) / float64(p.to-p.from)) }
	colour, _, _ := strings.Cut(class, " ")
	s.put(`<circle class="moving fill %s" r="4" stroke="none" opacity="0" cx="%s" cy="%s"><animateTransform attributeName="transform" type="translate" values="0 0;0 0;%s %s;%s %s" keyTimes="0;%s;%s;1" dur="%ds" repeatCount="indefinite"/><animate attributeName="opacity" calcMode="discrete" values="0;1;0" keyTimes="0;%s;%s" dur="%ds" repeatCount="indefinite"/></circle>`,
		colour, n(p.px(f.sent)), n(p.y), n(p.px(until)-p.px(f.sent)), n(y-p.y), n(p.px(until)-p.px(f.sent)), n(y-p.y),
		share(f.sent), share(until), seconds, share(f.sent), share(until), seconds)
}

// count returns a number of moves in words.
func count(moves int) string {
	switch moves {
	case 0:
		return "no time"
	case 1:
		return "one move's time"
	}
	return fmt.Sprintf("%d moves' time", moves)
}
