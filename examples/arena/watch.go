package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// asked does what a player has asked for, if the rules allow; what makes no sense is
// passed over.
func (m *Match) asked(id uint16, b []byte) {
	f := &m.fighters[id]
	if len(b) != 1 || !f.score.Here {
		return
	}
	switch {
	case b[0] == askWatch && !f.watches && (f.dead || !m.config.Strict):
		m.watch(id)
	case b[0] == askPlay && f.watches:
		m.play(id)
	}
}

// watch lets the player fly from where its eyes are.
func (m *Match) watch(id uint16) {
	h, ok := m.Server.State(session.PlayerID(id))
	if !ok {
		return
	}
	f := &m.fighters[id]
	back := m.Server.Now() + RespawnAfter
	if f.dead {
		back = f.respawn
	}
	f.dead, f.watches, f.falls, f.respawn = false, true, 0, back
	f.status = Status{Hurt: f.status.Hurt}
	m.ledger.Leave(track.ID(id))
	w := m.game.Spawn(h.Position, h.Yaw, h.Life)
	w.Mode, w.Watching, w.ForceFloor = movement.Flying, true, false
	w.Pitch, w.Up, w.Velocity = h.Pitch, h.Up, h.Velocity
	m.Server.SetState(session.PlayerID(id), w)
	m.tellStatus(id)
}

// play returns a spectator: not before it could have come back from a death, so that
// to watch is no way to live again.
func (m *Match) play(id uint16) {
	f := &m.fighters[id]
	if wait := f.respawn - m.Server.Now(); wait > 0 {
		f.watches, f.dead = false, true
		f.status = Status{Respawn: min(wait, 65*clock.Second), Hurt: f.status.Hurt}
		m.tellStatus(id)
		return
	}
	m.enter(id)
}
