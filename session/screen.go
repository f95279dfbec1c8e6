package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// screen is what a player was shown last, and the shot that was aimed into it.
type screen struct {
	others  *remote.Remotes
	drawn   track.View
	scene   collide.WorldAt // the level in it
	cast    *rewind.Scene
	targets []track.Entity
	players int          // so many of the targets are players; things follow
	aimed   ClientShot   // the last aim, until the next command
	claims  []ClientShot // the shots of the newest frame's commands
	fresh   fresh

	me     PlayerID
	caster shot.Caster
	swung  shot.SwingState
	air    airborne
	bursts []seenShot // that the picture has not come to yet
}

// look draws the picture of match time now: others where the view has come to, bodies
// at the platform time, which is never before that.
func (s *screen) look(now, platform clock.Micros, w *collide.World) {
	s.drawn = s.others.View(now)
	s.drawn.Platform = max(platform, s.drawn.At)
	s.scene = collide.WorldAt{World: w, At: s.drawn.Platform}
	s.targets = s.others.Targets(s.drawn, w, s.targets[:0])
	s.players = len(s.targets)
	for s.players > 0 && s.targets[s.players-1].ID >= firstThing {
		s.players--
	}
}

// aim completes a claim as a shot from an eye into the picture, its bodies and riders
// as they stand where the next command, of that number, begins, and returns what it meets
// there. What it is aimed into is kept with it, since the command that carries it may not be
// made for some frames, and may begin at another time than drawn.
func (s *screen) aim(claim *shot.Claim, number uint32, eye geom.Vec3, begins clock.Micros, weapons shot.Table) []rewind.Outcome {
	view := s.drawn
	view.Platform = max(begins, view.At)
	s.aimed.Targets = s.others.Targets(view, s.scene.World, s.aimed.Targets[:0])
	claim.Fire, claim.View = true, view
	claim.SeenHit, claim.SceneSum = rewind.HitTarget{}, 0
	*claim = claim.Quantise()
	s.aimed.Eye, s.aimed.Outcome, s.aimed.Outcomes = eye, rewind.Outcome{}, s.aimed.Outcomes[:0]
	if w := &weapons[claim.Weapon]; w.Kind == shot.Rays {
		s.met(w, &shot.FireParams{Shooter: s.me, Number: number, Eye: eye, Claim: claim}, begins)
	}
	return s.aimed.Outcomes
}

// shoot does with a shot what can be done only once the command that carries it has been
// made: a blade cuts by as much as that covered of its swing, a projectile leaves.
func (s *screen) shoot(weapons shot.Table, claim *shot.Claim, number uint32, eye geom.Vec3, begins clock.Micros, use shot.FireResult) {
	w, l := &weapons[claim.Weapon], shot.FireParams{Shooter: s.me, Number: number, Eye: eye, Claim: claim, Result: use}
	switch {
	case !use.Fired:
	case w.Kind == shot.Melee:
		s.met(w, &l, begins)
	case w.Kind == shot.Projectile:
		s.launch(w, &l, begins)
	}
}

// met casts a shot into the picture that it was aimed at, and notes what it met, in the
// claim, too.
func (s *screen) met(w *shot.Weapon, l *shot.FireParams, begins clock.Micros) {
	s.cast.Set(collide.WorldAt{World: s.scene.World, At: max(begins, l.Claim.View.At)}, s.aimed.Targets)
	met := s.caster.Cast(s.cast, w, l, &s.swung)
	met.FillClaim(w, l.Claim)
	s.aimed.Eye, s.aimed.Outcome = l.Eye, met.Outcome
	s.aimed.Outcomes = append(s.aimed.Outcomes[:0], s.caster.Rays()...)
	if len(s.aimed.Outcomes) == 0 {
		s.aimed.Outcomes = append(s.aimed.Outcomes, met.Outcome)
	}
}

// note keeps what aim met beside the command that carries the claim.
func (s *screen) note(number uint32, claim *shot.Claim) {
	if !claim.Fire {
		return
	}
	n := len(s.claims)
	if n == cap(s.claims) {
		s.claims = append(s.claims, ClientShot{})
	}
	s.claims = s.claims[:n+1] // what is in its place has room for the next aim
	c := &s.claims[n]
	*c, s.aimed = s.aimed, ClientShot{Outcomes: c.Outcomes[:0], Targets: c.Targets[:0]}
	c.Claim, c.Number = *claim, number
}

// Remotes is everybody else as the last Frame showed them, by ascending id: valid
// until the next Frame.
func (s *screen) Remotes() []track.Entity { return s.targets[:s.players] }

// Entities is what else there is (Server.Spawn) as the last Frame showed it, by ascending
// id, without the player's own Flights: valid until the next Frame.
func (s *screen) Entities() []track.Entity { return s.air.things }

// Others is what Remotes and Things are drawn from: how each is (Draw), and how old what is
// known of it. Nil before Welcomed; View, Push and Default are the session's
// own to call.
func (s *screen) Others() *remote.Remotes { return s.others }

// NewEntities hands out what snapshots have told of things since the last time, by ascending
// id, of each thing the newest sample, in its base's frame and with its stamp in match
// time: what a game that simulates bodies itself corrects them by. Each is handed out
// once; one that was overtaken on the way may come after a newer one. Valid until the
// next Receive or Frame.
func (s *screen) NewEntities() []track.Entity { return s.fresh.hand() }

// View is the instant of Remotes and the snapshots it was drawn from.
func (s *screen) View() track.View { return s.drawn }

// World is the level as the last Frame showed it, its bodies at the platform time of
// that picture, without obstacles; with a nil World before Enter.
func (s *screen) World() *collide.WorldAt { return &s.scene }

// FiredShots are the shots that ride in the commands of the last Frame, of which a player of
// ClientConfig.Tick may have several: valid until the next Frame.
func (s *screen) FiredShots() []ClientShot { return s.claims }

// LastShot returns the newest of Claims, and false where there is none.
func (s *screen) LastShot() (*ClientShot, bool) {
	if len(s.claims) == 0 {
		return nil, false
	}
	return &s.claims[len(s.claims)-1], true
}
