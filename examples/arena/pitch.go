package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// The teams of the pitch: each defends its own goal.
const (
	Red  = 1
	Blue = 2
)

// When the ball returns to the middle.
const (
	afterGoal = 2 * clock.Second // after a goal
	afterOut  = 3 * clock.Second // after it has left the pitch
)

// Goals is the score of the pitch.
type Goals struct {
	Red, Blue uint16 // goals of each team; an own goal counts for the other
	// By is the player who touched the ball last before the newest goal, 0 for none.
	By uint16
	// Team is the team that scored it: Red or Blue, 0 before the first.
	Team uint8
}

// pitch is the football pitch of a match.
type pitch struct {
	goals  []Entity
	field  Entity
	ball   int // index of the football in bodies, from 1; 0: none
	last   uint16
	back   clock.Micros // when the ball returns to the middle; 0: not waiting
	scored bool         // waiting because of a goal
	stand  Goals
}

// updatePitch checks where the football is.
func (m *Match) updatePitch(now clock.Micros) {
	p := &m.entities.pitch
	if p.ball == 0 {
		return
	}
	l := &m.entities.loose[p.ball-1]
	for _, t := range m.entities.world.Touches() {
		if t.Body == l.in {
			p.last = t.Pusher
		}
	}
	at := m.entities.world.Motion(l.in).Position
	if goal := p.goalAt(at); goal != nil && !p.scored {
		m.score(goal)
		p.back = now + afterGoal
	}
	switch out := p.field.Kind != "" && !p.field.within(at); {
	case p.scored:
	case !out:
		p.back = 0
	case p.back == 0:
		p.back = now + afterOut
	}
	if p.back != 0 && now >= p.back {
		p.back, p.scored, p.last = 0, false, 0
		m.reset(l)
	}
}

// goalAt returns the goal that a ball is in.
func (p *pitch) goalAt(at geom.Vec3) *Entity {
	for i := range p.goals {
		if p.goals[i].within(at) {
			return &p.goals[i]
		}
	}
	return nil
}

// score counts a goal for the other team and broadcasts it.
func (m *Match) score(goal *Entity) {
	p := &m.entities.pitch
	p.scored, p.stand.By = true, p.last
	if goal.Team == Red {
		p.stand.Team = Blue
		p.stand.Blue++
	} else {
		p.stand.Team = Red
		p.stand.Red++
	}
	m.Server.Broadcast(m.packMessage(&message{kind: messageGoals, goals: p.stand}))
}

// Goals returns the score of the pitch.
func (m *Match) Goals() Goals { return m.entities.pitch.stand }

// sendGoals sends the score to a new player, if there is a pitch.
func (m *Match) sendGoals(id uint16) {
	if m.entities.pitch.ball != 0 {
		m.Server.SendMessage(session.PlayerID(id), m.packMessage(&message{kind: messageGoals, goals: m.entities.pitch.stand}))
	}
}
