package arena

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

// stopwatch measures a match: receiving, the tick, and what goes out.
type stopwatch struct {
	*Match
	receive, tick time.Duration
}

func (s *stopwatch) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	t := time.Now()
	err := s.Match.Receive(from, ch, at, b)
	s.receive += time.Since(t)
	return err
}

func (s *stopwatch) Tick(now clock.Micros) {
	t := time.Now()
	s.Match.Tick(now)
	s.tick += time.Since(t)
}

// other is memory that is not the match's. It is written, or all of it would be one page of zeros.
var other = bytes.Repeat([]byte{1}, 32<<20)

// BenchmarkServedTick is what the server's share of a tick costs: hot, with 32 MB of other memory read
// between ticks, and with sleep until the next tick is due. Bots play; their clients are not timed.
func BenchmarkServedTick(b *testing.B) {
	for _, players := range []int{10, 40} {
		for _, kind := range []string{"hot", "cold", "paced"} {
			b.Run(fmt.Sprintf("%d/%s", players, kind), func(b *testing.B) {
				m := botMatch(b, players, nil, false)
				w := &stopwatch{Match: m.Match}
				m.SetEndpoint(w)
				tick := int64(0)
				next := time.Now()
				run := func() {
					tick++
					m.Tick(clock.TickTime(tick, 60))
					m.Outgoing()
				}
				for range 300 {
					run()
				}
				w.receive, w.tick = 0, 0
				sum := byte(0)
				for b.Loop() {
					switch kind {
					case "cold":
						for i := 0; i < len(other); i += 64 {
							sum += other[i]
						}
					case "paced":
						next = next.Add(time.Second / 60)
						time.Sleep(time.Until(next))
					}
					run()
				}
				other[0] = sum
				b.ReportMetric(float64(w.tick.Microseconds())/float64(b.N), "µs/tick")
				b.ReportMetric(float64(w.receive.Microseconds())/float64(b.N), "µs/receive")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
