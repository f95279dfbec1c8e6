package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// The teams of the pitch: each defends the goal of its own.
const (
	Red  = 1
	Blue = 2
)

// How the ball gets back to the middle.
const (
	afterGoal = 2 * clock.Second // after a goal
	afterOut  = 3 * clock.Second // after it has left the pitch
)

// Goals is how the match on the pitch stands.
type Goals struct {
	Red, Blue uint16
	// By is the player who touched the ball last before the newest goal, 0 for none.
	By uint16
	// Team is who scored it: Red or Blue, 0 before the first.
	Team uint8
}

// pitch is the football pitch of a match.
type pitch struct {
	goals  []Entity
	field  Entity
	ball   int // number of the football in loose, from 1; 0: there is none
	last   uint16
	back   clock.Micros // when the ball goes to the middle; 0: it need not
	scored bool         // it waits because of a goal
	stand  Goals
}

// referee looks where the football is.
func (m *Match) referee(now clock.Micros) {
	p := &m.ground.pitch
	if p.ball == 0 {
		return
	}
	l := &m.ground.loose[p.ball-1]
	for _, t := range m.ground.world.Touches() {
		if t.Body == l.in {
			p.last = t.Pusher
		}
	}
	at := m.ground.world.Motion(l.in).Position
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
		m.home(l)
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

// score counts a goal for those who do not defend it, and tells everybody.
func (m *Match) score(goal *Entity) {
	p := &m.ground.pitch
	p.scored, p.stand.By = true, p.last
	if goal.Team == Red {
		p.stand.Team = Blue
		p.stand.Blue++
	} else {
		p.stand.Team = Red
		p.stand.Red++
	}
	m.Server.Broadcast(m.packNote(&note{kind: tellGoals, goals: p.stand}))
}

// Goals is how the match on the pitch stands.
func (m *Match) Goals() Goals { return m.ground.pitch.stand }

// tellGoals tells a newcomer how it stands, where there is a pitch.
func (m *Match) tellGoals(id uint16) {
	if m.ground.pitch.ball != 0 {
		m.Server.SendMessage(session.PlayerID(id), m.packNote(&note{kind: tellGoals, goals: m.ground.pitch.stand}))
	}
}
