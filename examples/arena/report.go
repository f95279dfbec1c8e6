package arena

import "github.com/backstep-net/backstep/session"

// PlayerReport is one player in the server's status.
type PlayerReport struct {
	ID          session.PlayerID `json:"id"`               // from 1
	Name        string           `json:"name"`             // as on the scoreboard
	Bot         bool             `json:"bot"`              // the server plays it
	Connected   bool             `json:"connected"`        // false while its place is kept for it
	Position    [3]float64       `json:"position"`         // of the feet, metres
	Health      uint8            `json:"health"`           // 0 to 100
	Kills       uint16           `json:"kills"`            // as on the scoreboard
	Deaths      uint16           `json:"deaths"`           // as on the scoreboard
	RTT         float64          `json:"rtt_ms"`           // smoothed round-trip time
	Loss        float64          `json:"loss"`             // of its datagrams, 0 … 1
	InputDelay  float64          `json:"input_delay_ms"`   // as requested and granted
	Corrections int              `json:"corrections"`      // mispredictions
	Timeouts    int              `json:"timeouts"`         // corrections because the server had simulated missing moves
	Time        TimeReport       `json:"time_discrepancy"` // how far its clock is ahead
	BytesIn     uint64           `json:"bytes_in"`         // datagram payload received from it
	BytesOut    uint64           `json:"bytes_out"`        // datagram payload sent to it
}

// TimeReport is a player's time discrepancy: all zero for an honest clock, except for its
// error.
type TimeReport struct {
	Discrepancy float64 `json:"error_ms"`     // how far its time is ahead now, 0 or more
	Repaying    bool    `json:"repaying"`     // its moves are shortened until the discrepancy is repaid
	Episodes    int     `json:"episodes"`     // how often it was detected
	Cut         float64 `json:"throttled_ms"` // total time cut from its moves
}

// Report returns the players for the admin port's status, a []PlayerReport.
func (m *Match) Report() any {
	list := []PlayerReport{}
	for _, p := range m.Server.Players(nil) {
		f := &m.fighters[p.ID]
		list = append(list, PlayerReport{
			ID: p.ID, Name: f.score.Name, Bot: f.score.Bot, Connected: p.Connected,
			Kills: f.score.Kills, Deaths: f.score.Deaths,
			RTT: float64(p.RTT) / 1000, Loss: p.Loss, InputDelay: float64(p.Delay) / 1000,
			Corrections: p.Moves.Corrections, Timeouts: p.Moves.Timeouts,
			BytesIn: p.Traffic.BytesIn, BytesOut: p.Traffic.BytesOut,
			Position: [3]float64{p.Position.X, p.Position.Y, p.Position.Z}, Health: f.status.Health, Time: timeReport(&p),
		})
	}
	return list
}

func timeReport(p *session.PlayerInfo) TimeReport {
	d := &p.Discrepancy
	return TimeReport{float64(d.Error) / 1000, d.Resolving, d.Episodes, float64(d.Lifetime) / 1000}
}
