package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// drawnFrame is what the last Frame showed the player.
type drawnFrame struct {
	others      *remote.Remotes
	drawn       track.View
	drawnAt     clock.Micros    // match time; 0: nothing was drawn yet
	scene       collide.WorldAt // the level in the view
	targets     []track.Entity
	maxPlayer   track.ID       // the largest id of a player
	players     int            // number of players in targets; entities follow
	entities    []track.Entity // those to draw
	newEntities newSamples
}

// draw finds the view of match time now: others at the view time, movers
// at the platform time, which is never before that.
func (s *drawnFrame) draw(now, platform clock.Micros, w *collide.World) {
	s.drawn, s.drawnAt = s.others.View(now), now
	s.drawn.Platform = max(platform, s.drawn.At)
	s.scene = collide.WorldAt{World: w, At: s.drawn.Platform}
	s.targets = s.others.Targets(s.drawn, w, s.targets[:0])
	s.players = len(s.targets)
	for s.players > 0 && s.targets[s.players-1].ID > s.maxPlayer {
		s.players--
	}
}

// sortEntities lists the entities to draw, without projectiles that ended or that the client draws by
// its own flight.
func (s *drawnFrame) sortEntities(c combat.Predictor, weapons shot.Table) {
	s.entities = s.entities[:0]
	for i := s.players; i < len(s.targets); i++ {
		if e := &s.targets[i]; !c.Hides(e, weapons) {
			s.entities = append(s.entities, *e)
		}
	}
}

// Remotes returns all other players as the last Frame showed them, by ascending id: valid
// until the next Frame.
func (s *drawnFrame) Remotes() []track.Entity { return s.targets[:s.players] }

// Entities returns the other entities (Server.Spawn) as the last Frame showed them, by ascending
// id, without the player's own Projectiles: valid until the next Frame.
func (s *drawnFrame) Entities() []track.Entity { return s.entities }

// MaxPlayerID returns the largest id that a player of the match may have, 128 in a match of fewer
// seats; larger ids are those of entities. 0 before Welcomed.
func (s *drawnFrame) MaxPlayerID() track.ID { return s.maxPlayer }

// Others returns what Remotes and Entities are drawn from: how each is drawn (SetMode), and how
// old its newest sample is. Nil before Welcomed. View, Receive and SetDefaultMode are the
// session's to call.
func (s *drawnFrame) Others() *remote.Remotes { return s.others }

// NewEntities returns the samples of entities that were received since the last call, by ascending id, the
// newest of each. They are in their base's frame, with their stamp in match time: a game that simulates bodies
// itself corrects them by it. A sample that arrives after a newer one, or after the removal of its entity, is left out.
// Valid until the next Receive or Frame.
func (s *drawnFrame) NewEntities() []track.Entity { return s.newEntities.take() }

// View returns the instant of Remotes and the snapshots it was drawn from.
func (s *drawnFrame) View() track.View { return s.drawn }

// World returns the level as the last Frame showed it, its movers at the platform time of
// that frame, without obstacles; with a nil World before EnterWorld.
func (s *drawnFrame) World() *collide.WorldAt { return &s.scene }

// SampleSource returns how the last Frame found where it shows an entity: between two samples, or
// past the last one.
func (s *drawnFrame) SampleSource(id track.ID) track.SampleSource {
	if s.others == nil {
		return track.Missing
	}
	_, source := s.others.At(id, s.drawn, s.scene.World)
	return source
}
