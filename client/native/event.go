package native

import (
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// eventKind is the kind of an event: bs_event_kind.
type eventKind int32

const (
	message eventKind = 1 + iota
	welcomed
	teleported
	fired
	verdict
	shotSeen
	detonated
	damaged
	clockDrift
)

// event is something that has happened: bs_event.
type event struct {
	kind           eventKind
	verdict        int32
	player, target track.ID
	weapon         uint8
	damage         uint16
	from, to       geom.Vec3
	text           string
	data           []byte
}

// kinds are the kinds of a session's events that C is told.
var kinds = map[session.EventKind]eventKind{
	session.Message: message, session.Welcomed: welcomed, session.Teleported: teleported, session.ShotJudged: verdict,
	session.ShotSeen: shotSeen, session.Detonated: detonated, session.Damaged: damaged, session.ClockDrift: clockDrift,
}

// eventOf returns a session's event for C; false for one that C is not told.
func eventOf(e *session.Event) (event, bool) {
	told := event{kind: kinds[e.Kind], player: e.Player, weapon: e.Weapon, damage: e.Damage, from: e.From, to: e.To, data: e.Bytes}
	switch e.Kind {
	case session.ClockDrift:
		told.text = e.Text
	case session.ShotJudged:
		r := &e.Receipt
		told.verdict, told.weapon, told.damage = int32(r.Verdict), r.Weapon, r.Damage
		told.target, told.to = r.Outcome.Target, r.Outcome.Point
	}
	return told, told.kind != 0
}

// eventOfShot returns the player's own shot.
func eventOfShot(s *combat.ClientShot) event {
	return event{kind: fired, weapon: s.Claim.Weapon, target: s.Outcome.Target, from: s.Eye, to: s.Outcome.Point}
}
