package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// screen is what a player was shown last.
type screen struct {
	others   *remote.Remotes
	drawn    track.View
	scene    collide.WorldAt // the level in it
	targets  []track.Entity
	players  int            // so many of the targets are players; entities follow
	entities []track.Entity // those that are drawn
	fresh    fresh
}

// look draws the view of match time now: others where the view has come to, bodies
// at the platform time, which is never before that.
func (s *screen) look(now, platform clock.Micros, w *collide.World) {
	s.drawn = s.others.View(now)
	s.drawn.Platform = max(platform, s.drawn.At)
	s.scene = collide.WorldAt{World: w, At: s.drawn.Platform}
	s.targets = s.others.Targets(s.drawn, w, s.targets[:0])
	s.players = len(s.targets)
	for s.players > 0 && s.targets[s.players-1].ID >= firstEntity {
		s.players--
	}
}

// sort leaves projectiles that are drawn otherwise, or not any more, out of the entities.
func (s *screen) sort(c *combat.Client, weapons shot.Table) {
	s.entities = s.entities[:0]
	for i := s.players; i < len(s.targets); i++ {
		if e := &s.targets[i]; !c.Hides(e, weapons) {
			s.entities = append(s.entities, *e)
		}
	}
}

// Remotes is everybody else as the last Frame showed them, by ascending id: valid
// until the next Frame.
func (s *screen) Remotes() []track.Entity { return s.targets[:s.players] }

// Entities is what else there is (Server.Spawn) as the last Frame showed it, by ascending
// id, without the player's own Flights: valid until the next Frame.
func (s *screen) Entities() []track.Entity { return s.entities }

// Others is what Remotes and Things are drawn from: how each is (Draw), and how old what is
// known of it. Nil before Welcomed; View, Push and Default are the session's
// own to call.
func (s *screen) Others() *remote.Remotes { return s.others }

// NewEntities hands out what snapshots had of entities since the last time, by ascending
// id, of each entity the newest sample, in its base's frame and with its stamp in match
// time: what a game that simulates bodies itself corrects them by. Each is handed out
// once; one that was overtaken on the way may come after a newer one. Valid until the
// next Receive or Frame.
func (s *screen) NewEntities() []track.Entity { return s.fresh.hand() }

// View is the instant of Remotes and the snapshots it was drawn from.
func (s *screen) View() track.View { return s.drawn }

// World is the level as the last Frame showed it, its bodies at the platform time of
// that picture, without obstacles; with a nil World before Enter.
func (s *screen) World() *collide.WorldAt { return &s.scene }

// SampleSource says how the last Frame found where it shows somebody: between two samples, or past
// the last one.
func (s *screen) SampleSource(id track.ID) track.SampleSource {
	if s.others == nil {
		return track.Missing
	}
	_, fit := s.others.At(id, s.drawn, s.scene.World)
	return fit
}
