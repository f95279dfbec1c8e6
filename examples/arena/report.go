package arena

import "github.com/backstep-net/backstep/session"

// PlayerReport is one player in the server's status.
type PlayerReport struct {
	ID          session.PlayerID `json:"id"`
	Name        string           `json:"name"`
	Bot         bool             `json:"bot"`
	Connected   bool             `json:"connected"`
	Position    [3]float64       `json:"position"` // of the feet, metres
	Health      uint8            `json:"health"`
	Kills       uint16           `json:"kills"`
	Deaths      uint16           `json:"deaths"`
	RTT         float64          `json:"rtt_ms"`
	Corrections int              `json:"corrections"`
	BytesIn     uint64           `json:"bytes_in"`
	BytesOut    uint64           `json:"bytes_out"`
}

// Report lists the players for the server's status: a []PlayerReport.
func (m *Match) Report() any {
	list := []PlayerReport{}
	for _, p := range m.Server.Players(nil) {
		f := &m.fighters[p.ID]
		list = append(list, PlayerReport{
			ID: p.ID, Name: f.score.Name, Bot: f.score.Bot, Connected: p.Connected,
			Position: [3]float64{p.Position.X, p.Position.Y, p.Position.Z},
			Health:   f.status.Health, Kills: f.score.Kills, Deaths: f.score.Deaths,
			RTT: float64(p.RTT) / 1000, Corrections: p.Moves.Corrections,
			BytesIn: p.Traffic.BytesIn, BytesOut: p.Traffic.BytesOut,
		})
	}
	return list
}
