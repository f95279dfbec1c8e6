package arena

import "github.com/backstep-net/backstep/session"

// PlayerReport is one player in the server's status.
type PlayerReport struct {
	ID          session.PlayerID `json:"id"`
	Name        string           `json:"name"`
	Bot         bool             `json:"bot"`
	Connected   bool             `json:"connected"`          // false while its seat waits for it
	Position    *[3]float64      `json:"position,omitempty"` // of the feet, metres; a detail
	Health      *uint8           `json:"health,omitempty"`   // a detail
	Kills       uint16           `json:"kills"`
	Deaths      uint16           `json:"deaths"`
	RTT         float64          `json:"rtt_ms"`
	Corrections int              `json:"corrections"`
	BytesIn     uint64           `json:"bytes_in"`
	BytesOut    uint64           `json:"bytes_out"`
}

// Report lists the players for the server's status: a []PlayerReport. Without
// details it does not say where anybody is, nor how close to death: that would be
// a cheat's radar.
func (m *Match) Report(details bool) any {
	list := []PlayerReport{}
	for _, p := range m.Server.Players(nil) {
		f := &m.fighters[p.ID]
		r := PlayerReport{
			ID: p.ID, Name: f.score.Name, Bot: f.score.Bot, Connected: p.Connected,
			Kills: f.score.Kills, Deaths: f.score.Deaths,
			RTT: float64(p.RTT) / 1000, Corrections: p.Moves.Corrections,
			BytesIn: p.Traffic.BytesIn, BytesOut: p.Traffic.BytesOut,
		}
		if details {
			health := f.status.Health
			r.Position, r.Health = &[3]float64{p.Position.X, p.Position.Y, p.Position.Z}, &health
		}
		list = append(list, r)
	}
	return list
}
