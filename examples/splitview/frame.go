package splitview

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// The numbers of a frame, in order; web/src/split/frame.ts reads them. Times are milliseconds,
// lengths metres, angles radians, and what is true is 1.
const (
	// headSize: the match time shown; how far the server is behind your screen, how late the
	// opponent's screen shows you, and yours the opponent; your round trip as measured; your
	// corrections without pushes; then the number of packets and of events that follow the figures.
	headSize = 8
	// figureSize: position 3, velocity 3, yaw, air, present. You and the opponent of each view.
	figureSize = 9
	// packetSize: player, up, number, kind, sent, due, lost, bytes.
	packetSize = 8
	// eventSize: kind, player, time, from 3, to 3, hit, agrees, ago, moved, pushed, ghost's
	// position 3, yaw, present.
	eventSize = 19
)

// AppendFrame appends what the page draws at the time that Advance has reached, and the packets and
// events since the frame before.
func (m *Match) AppendFrame(b []float64) []float64 {
	b = m.appendHead(b)
	share := 1 - float64(m.now-m.shown)*stepRate/1e6
	for v := range m.after {
		for i := range m.after[v] {
			f := between(&m.before[v][i], &m.after[v][i], share)
			b = append(appendVec(appendVec(b, f.Position), f.Velocity), f.Yaw, f.Air, flag(f.Present))
		}
	}
	for i := range m.packets {
		p := &m.packets[i]
		b = append(b, float64(p.Player), flag(p.Up), float64(p.Number), float64(p.Kind), millis(p.Sent), millis(p.Due), flag(p.Lost), float64(p.Bytes))
	}
	for i := range m.events {
		b = appendEvent(b, &m.events[i])
	}
	m.packets, m.events = m.packets[:0], m.events[:0]
	return b
}

func (m *Match) appendHead(b []float64) []float64 {
	you, opponent := m.players[0].client, m.players[1].client
	stats := you.Stats()
	return append(b, millis(m.shown), millis(m.now-m.moves[0].newest()), millis(m.now-m.moves[0].drawnAt(opponent.View().At)), millis(m.now-m.moves[1].drawnAt(you.View().At)),
		millis(stats.RTT), float64(stats.Moves.Corrections+stats.Moves.Timeouts), float64(len(m.packets)), float64(len(m.events)))
}

func appendEvent(b []float64, e *Event) []float64 {
	b = append(b, float64(e.Kind), float64(e.Player), millis(e.At))
	b = appendVec(appendVec(b, e.From), e.To)
	b = append(b, flag(e.Hit), flag(e.Agrees), millis(e.Ago), e.Moved, flag(e.Pushed))
	return append(appendVec(b, e.Ghost.Position), e.Ghost.Yaw, flag(e.Ghost.Present))
}

func appendVec(b []float64, v geom.Vec3) []float64 { return append(b, v.X, v.Y, v.Z) }

func millis(t clock.Micros) float64 { return float64(t) / 1000 }

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
