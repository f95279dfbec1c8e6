package arena

import (
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/clock"
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
	goals   []goal
	bounded bool // there is a field
	field   int  // its zone
	ball    int  // index of the football in worldEntities.loose, from 1; 0: none
	last    uint16
	back    clock.Micros // when the ball returns to the middle; 0: not waiting
	scored  bool         // waiting because of a goal
	stand   Goals
}

// goal is the inside of a goal.
type goal struct {
	zone int
	team int // that defends it
}

// updatePitch checks where the football is.
func (m *Match) updatePitch(now clock.Micros) {
	p := &m.entities.pitch
	if p.ball == 0 {
		return
	}
	l := &m.entities.loose[p.ball-1]
	for _, e := range m.entities.Events() {
		if e.Kind == bodies.Touched && e.Body == l.id {
			p.last = uint16(e.Player)
		}
	}
	for _, g := range p.goals {
		if !p.scored && m.entities.InZone(l.id, g.zone) {
			m.score(g)
			p.back = now + afterGoal
		}
	}
	switch out := p.bounded && !m.entities.InZone(l.id, p.field); {
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

// score counts a goal for the other team.
func (m *Match) score(g goal) {
	p := &m.entities.pitch
	p.scored, p.stand.By = true, p.last
	if g.team == Red {
		p.stand.Team = Blue
		p.stand.Blue++
	} else {
		p.stand.Team = Red
		p.stand.Red++
	}
	m.showGoals()
}

// Goals returns the score of the pitch.
func (m *Match) Goals() Goals { return m.entities.pitch.stand }
