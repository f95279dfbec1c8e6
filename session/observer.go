package session

import (
	"hash/fnv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Observer is called with what a Server does, for measurements and recordings: it decides nothing.
// Its arguments are valid until it returns.
type Observer interface {
	// ObserveMove is called after each step of a player's moves.
	ObserveMove(m *MoveStep)
	// ObserveShot is called with each shot, its verdict and the targets that it was cast
	// against: none where it was refused.
	ObserveShot(s *shot.Shot, r *shot.Receipt, targets []track.Entity)
}

// MoveStep is one step of a player's moves as the server ran it.
type MoveStep struct {
	Player PlayerID // the player that owns the move
	// Number is that of the command. A GapFill is time before it that was simulated because its own commands
	// were missing.
	Number   uint32
	GapFill  bool
	Duration clock.Micros
	// Position is the one after the step: that of the owner after the same command.
	Position geom.Vec3
	// Pose is what others see, a rider in its base's frame, with its stamp in match time. A
	// GapFill's stamp is still the one of the command before.
	Pose track.Sample
}

// Observe sets the observer; nil removes it.
func (s *Server[S, C]) Observe(o Observer) { s.observer = o }

// Hash returns FNV-1a over all players in the world, in the order of their ids: two
// bytes of id, low byte first, and the state as PackState packs it; then over every
// entity: its id, kind and life, and where it stands and how it moves; then over every mover of the
// level that was ever triggered: its id and what triggered it. Equal matches hash alike on every machine.
func (s *Server[S, C]) Hash() uint64 {
	h := fnv.New64a()
	for i := range s.seats {
		t := &s.seats[i]
		if t.authority == nil {
			continue
		}
		state := *t.authority.State()
		s.packer.Write(s.scratch[:])
		s.rules.PackState(&s.packer, &state)
		h.Write([]byte{byte(t.id), byte(t.id >> 8)})
		h.Write(s.packer.Bytes())
	}
	for i := range s.list {
		t := &s.list[i]
		if !t.placed {
			continue
		}
		s.packer.Write(s.scratch[:])
		s.packer.Vec64(&t.sample.Position)
		s.packer.Vec64(&t.sample.Velocity)
		id := s.first + track.ID(i)
		h.Write([]byte{byte(id), byte(id >> 8), byte(t.kind), t.life})
		h.Write(s.packer.Bytes())
	}
	log := s.config.World.Triggers()
	s.triggered, _ = log.Changed(0, s.triggered[:0])
	for _, id := range s.triggered {
		s.packer.Write(s.scratch[:])
		log.Log(id).Pack(&s.packer, s.now)
		h.Write([]byte{byte(id), byte(id >> 8)})
		h.Write(s.packer.Bytes())
	}
	return h.Sum64()
}

// Modify changes a player's state in a way that its owner cannot predict: a push, a launch, a new mode, a root
// motion (RMS-21, MOD-01). The owner receives one correction with the cause ServerForce, which is smoothed
// (E2E-05), and replays its newer commands. Unlike after SetState other clients see no jump and the client's
// game gets no event. If the state stays equal, nothing is sent. A player that is not in the world does not
// change.
func (s *Server[S, C]) Modify(id PlayerID, change func(*S)) {
	if t := s.seats.player(id); t.authority != nil {
		t.authority.Modify(change)
	}
}

// Pose returns the player's current pose as others see it, in the world's frame (a rider on its base as it
// stands at Now, SRV-15), and false if the player is not in the world.
func (s *Server[S, C]) Pose(id PlayerID) (track.Sample, bool) {
	t := s.seats.inWorld(id)
	if t == nil {
		return track.Sample{}, false
	}
	pose := s.pose(t)
	return pose.ToWorld(s.config.World, s.now), true
}

// FullSnapshot returns the record of the last tick: all players and entities, whichever clients they
// are sent to, each at its own stamp. Nil before the first tick, also of a restored match and after TakePlayersFrom, and in
// ServerConfig.Simulate, which runs before its tick is recorded: Pose and the game's own entities are there
// then. It is valid until the next tick, and must not be changed.
func (s *Server[S, C]) FullSnapshot() *track.Snapshot { return s.history.Snapshots.Snapshot(s.tick) }

// Format returns a hash of how the game's commands and states are packed: two ends that differ in
// it cannot read each other [GAP-04].
func (s *Server[S, C]) Format() uint32 { return s.format }

// LevelHash returns ServerConfig.LevelHash, by which clients fetch the level.
func (s *Server[S, C]) LevelHash() string { return s.config.LevelHash }
