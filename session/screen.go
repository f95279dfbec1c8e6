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
	scene   collide.View // the level in it
	targets []track.Entity
	aimed   Claimed // the last aim, until the next command
	claimed Claimed // the shot of the newest command
}

// look draws the picture of match time now: others where the view has come to, bodies
// at the platform time, which is never before that.
func (s *screen) look(now, platform clock.Micros, w *collide.World) {
	s.drawn = s.others.View(now)
	s.drawn.Platform = max(platform, s.drawn.At)
	s.scene = collide.View{World: w, At: s.drawn.Platform}
	s.claimed.Targets, s.targets = s.targets, s.claimed.Targets
	s.targets = s.others.Targets(s.drawn, w, s.targets[:0])
}

// aim completes a claim as a shot from an eye into the picture, and returns what it
// meets there.
func (s *screen) aim(claim *shot.Claim, eye geom.Vec3, weapons []shot.Weapon) rewind.Outcome {
	claim.Fire, claim.View = true, s.drawn
	*claim = claim.Quantise()
	o := rewind.Cast(&s.scene, s.targets, eye, claim.Aim(), weapons[claim.Weapon].Reach)
	claim.Saw = o.Mark
	s.aimed = Claimed{Eye: eye, Outcome: o}
	return o
}

// note keeps what aim met beside the command that carries it.
func (s *screen) note(number uint32, claim *shot.Claim) {
	before := s.claimed.Targets
	s.claimed, s.aimed = s.aimed, Claimed{}
	s.claimed.Targets, s.claimed.Claim, s.claimed.Number = before, *claim, number
}

// Remotes is everybody else as the last Frame showed them, by ascending id: valid
// until the next Frame.
func (s *screen) Remotes() []track.Entity { return s.targets }

// View is the instant of Remotes and the snapshots it was drawn from.
func (s *screen) View() track.View { return s.drawn }

// World is the level as the last Frame showed it, its bodies at the platform time of
// that picture, without obstacles; with a nil World before Enter.
func (s *screen) World() *collide.View { return &s.scene }

// Claimed returns the shot that rides in the command of the last Frame, and false
// where none does: valid until the next Frame.
func (s *screen) Claimed() (*Claimed, bool) { return &s.claimed, s.claimed.Claim.Fire }
