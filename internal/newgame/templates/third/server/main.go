// Command server runs the match: it decides which player is "it", and the score. Clients cannot change
// these decisions.
package main

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/internal/newgame/templates/third/game"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
)

type match = serve.Match[game.Player, game.Input]

func main() { serve.Main(game.Rules(), config()) }

// config returns the match's settings and its reactions to events.
func config() serve.Config[game.Player, game.Input] {
	var it session.PlayerID // 0: no player yet
	var since clock.Micros  // time of the last tag
	tag := func(m *match, id session.PlayerID) {
		if it != 0 {
			m.SetNumber(it, "it", 0)
		}
		it, since = id, m.Now()
		m.SetNumber(it, "it", 1)
	}
	return serve.Config[game.Player, game.Input]{
		Session: session.ServerConfig{World: game.Level(), PlayersBlock: true},
		Bots:    1, Think: game.Think, // one bot, so that a single player can play at once; -bots 0 for none
		Another: config, // of each match that -matches adds
		OnJoin: func(m *match, e session.Event) {
			if e.Reconnected { // reconnected: the player keeps its state
				return
			}
			m.SetState(e.Player, game.Spawn(e.Player))
			m.SetText(e.Player, "name", e.Name)
		},
		OnLeave: func(_ *match, id session.PlayerID) {
			if id == it {
				it = 0
			}
		},
		OnTick: func(m *match, now clock.Micros) {
			hunter, here := m.State(max(it, 1))
			for _, p := range m.Players(nil) {
				switch {
				case it == 0 || !here:
					tag(m, p.ID)
					return
				case p.ID != it && p.Position.Dist(hunter.Position) < 1.2 && now-since > clock.Second:
					m.SetNumber(it, "score", m.Number(it, "score")+1)
					m.Modify(p.ID, func(s *game.Player) { s.Breath = 0 }) // not predicted: a correction
					tag(m, p.ID)
					return
				}
			}
		},
		// With -checkpoint a restarted server continues the match: states and fields are kept anyway, and
		// the variables of these functions here. The order is the same for writing and reading.
		OnCheckpoint: func(_ *match, p *bits.Packer) {
			p.Uint16((*uint16)(&it))
			p.Varint((*int64)(&since))
		},
	}
}
