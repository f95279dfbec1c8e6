package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// handleRequest applies a player's request if the rules allow it; malformed ones are
// ignored.
func (m *Match) handleRequest(id uint16, b []byte) {
	f := &m.fighters[id]
	if len(b) == 2 && b[0] == messageVote && f.score.Connected {
		m.vote(id, int(b[1]))
	}
	if len(b) != 1 || !f.score.Connected {
		return
	}
	switch {
	case b[0] == messageSpectate && !f.spectates && (f.dead || !m.config.Strict):
		m.spectate(id)
	case b[0] == messagePlay && f.spectates:
		m.play(id)
	}
}

// spectate makes the player a spectator that flies from its eye position.
func (m *Match) spectate(id uint16) {
	h, ok := m.Server.State(session.PlayerID(id))
	if !ok {
		return
	}
	f := &m.fighters[id]
	back := m.Server.Now() + RespawnAfter
	if f.dead {
		back = f.respawn
	}
	f.dead, f.spectates, f.falls, f.respawn = false, true, 0, back
	f.status = Status{Hits: f.status.Hits}
	m.unprotect(id)
	m.ledger.Leave(track.ID(id))
	w := m.game.Spawn(h.Position, h.Yaw, h.Life)
	w.Mode, w.Spectating, w.ForceFloor = movement.Flying, true, false
	w.Pitch, w.Up, w.Velocity = h.Pitch, h.Up, h.Velocity
	m.Server.SetState(session.PlayerID(id), w)
	m.showStatus(id)
}

// play returns a spectator to the game, not before it could have respawned after a death,
// so spectating is no way to respawn earlier.
func (m *Match) play(id uint16) {
	f := &m.fighters[id]
	if wait := f.respawn - m.Server.Now(); wait > 0 {
		f.spectates, f.dead = false, true
		f.status = Status{Respawn: min(wait, 65*clock.Second), Hits: f.status.Hits}
		m.showStatus(id)
		return
	}
	m.enter(id)
}
