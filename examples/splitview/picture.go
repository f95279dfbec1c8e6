package splitview

import (
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

var up = geom.Up

// Figure is a character as one of the three sees it.
type Figure struct {
	Position, Velocity geom.Vec3 // metres, m/s
	Yaw                float64   // radians
	Air                float64   // share of being in the air, 0 … 1
	Present            bool      // false where it is not to be seen
}

// The three of a Picture, and the two figures of each.
const (
	YourScreen = iota
	ServerTruth
	OpponentScreen
	views = 3
)

// Picture is what the three see at one instant: of each view you and the opponent.
type Picture [views][players]Figure

// complete reports whether everyone sees everyone.
func (p *Picture) complete() bool {
	for _, view := range p {
		for _, f := range view {
			if !f.Present {
				return false
			}
		}
	}
	return true
}

// picture fills in what the three see now.
func (m *Match) picture(into *Picture) {
	*into = Picture{}
	for i, p := range m.players {
		screen := &into[OpponentScreen*i]
		if self := p.client.Self(); self != nil {
			at, _ := p.client.Drawn()
			pose := character.Pose(&self.State)
			pose.Position = at
			screen[i] = figureOf(&pose)
		}
		if other, ok := p.other(); ok {
			screen[1-i] = figureOf(&other)
		}
		if pose, ok := m.server.Pose(session.PlayerID(i + 1)); ok {
			into[ServerTruth][i] = figureOf(&pose)
		}
	}
}

func figureOf(s *track.Sample) Figure {
	return Figure{s.Position, s.Velocity, s.Yaw, s.Stance.Air, true}
}

// The kinds of an Event.
const (
	Fired     = iota // Player's screen shows its shot at once
	Judged           // the server judges it
	Seen             // the other's screen shows it
	Hurt             // Player's screen learns that it was hit
	Corrected        // Player's prediction is corrected
)

// Event is something that happened in a step. What a kind does not use is zero.
type Event struct {
	Kind     int          // Fired and so on
	Player   int          // 0 you, 1 the opponent
	At       clock.Micros // match time
	From, To geom.Vec3    // the shot's line: Fired, Judged, Seen
	Hit      bool         // Fired: on that screen; Judged: in truth
	Agrees   bool         // Judged: as its shooter's screen showed it
	Ago      clock.Micros // Judged: age of the view that the server went back to
	// Moved is how far the target is from where it was in that view (Judged), or how far the
	// prediction was off (Corrected), metres.
	Moved float64
	Ghost Figure // Judged: the target as it was in that view
	// Pushed: the server changed the player's state, so no prediction could be right (Corrected).
	Pushed bool
}

// noteShot keeps a shot as its shooter's screen shows it.
func (m *Match) noteShot(i int) {
	for _, s := range m.players[i].client.FiredShots() {
		hit := s.Outcome.Target != 0
		m.events = append(m.events, Event{Kind: Fired, Player: i, At: m.now, From: s.Eye, To: s.Outcome.Point, Hit: hit})
	}
}

// noteVerdict keeps a verdict of the server.
func (m *Match) noteVerdict(s *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	i := int(r.Shooter) - 1
	e := Event{
		Kind: Judged, Player: i, At: m.now, From: s.Eye, To: r.Outcome.Point, Hit: r.Verdict == shot.Hit,
		Agrees: r.Agrees, Ago: m.now - r.ViewGranted,
	}
	for _, t := range targets {
		e.Ghost = figureOf(&t.Sample)
		if pose, ok := m.server.Pose(t.ID); ok {
			e.Moved = pose.Position.Dist(t.Position)
		}
	}
	m.events = append(m.events, e)
	m.answers[i] = true
	if e.Hit {
		m.pushes = append(m.pushes, push{r.Outcome.Target, r.Shooter})
	}
}

// noteEvent keeps what a player's screen learns of a shot, and lets the player into the world.
func (m *Match) noteEvent(i int, e *session.Event) {
	switch e.Kind {
	case session.Welcomed:
		m.players[i].client.EnterWorld(level)
	case session.ShotSeen:
		m.events = append(m.events, Event{Kind: Seen, Player: 1 - i, At: m.now, From: e.From, To: e.To})
	case session.Damaged:
		m.events = append(m.events, Event{Kind: Hurt, Player: i, At: m.now, Ago: e.Ago})
	}
}

// noteCorrections keeps the corrections that came since the last step.
func (m *Match) noteCorrections(i int, list []predict.Correction) {
	p := m.players[i]
	s := p.client.Stats().Moves
	n := s.Corrections + s.ServerForces + s.Timeouts + s.Throttles + s.Teleports
	for _, c := range list[max(len(list)-(n-p.corrected), 0):] {
		m.events = append(m.events, Event{Kind: Corrected, Player: i, At: m.now, Moved: c.Distance, Pushed: c.Cause == predict.ServerForce})
	}
	p.corrected = n
}

// between returns a figure a share of the way from a to b; beyond two metres it was put there.
func between(a, b *Figure, share float64) Figure {
	f := *b
	if !a.Present || a.Position.Dist(b.Position) > 2 {
		return f
	}
	f.Position = a.Position.Lerp(b.Position, share)
	f.Yaw = geom.LerpAngle(a.Yaw, b.Yaw, share)
	return f
}
