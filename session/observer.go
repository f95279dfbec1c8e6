package session

import (
	"hash/fnv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Observer is shown what a Server does, for measuring: it decides nothing. What it
// is handed is good until it returns.
type Observer interface {
	// ObserveMove is shown each step of a player's moves, right after it.
	ObserveMove(m *MoveStep)
	// ObserveShot is shown each shot with its verdict and the targets that it was cast
	// against, which are none where it was refused.
	ObserveShot(s *shot.Shot, r *shot.Receipt, targets []track.Entity)
}

// MoveStep is one step of a player's moves as the server ran it.
type MoveStep struct {
	Player PlayerID
	// Number of the command; a Filler is time that came before it and whose own
	// commands were missing.
	Number   uint32
	GapFill  bool
	Duration clock.Micros
	// Position is where that led: what the owner's Position is after that command.
	Position geom.Vec3
	// Pose is what others see of it, a rider in its base's frame, at the stamp in
	// match time that they see. A Filler's stamp is still the one of the command
	// before.
	Pose track.Sample
}

// Observe shows o everything from now on. Nil ends it.
func (s *Server[S, C]) Observe(o Observer) { s.observer = o }

// Hash returns FNV-1a over everybody in the world, in the order of their ids: two
// bytes of id, low byte first, and the state as PackState packs it; then over every
// entity: its id, kind and life, and where it stands and how it moves. Equal matches hash
// alike on every machine.
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
		id := firstEntity + track.ID(i)
		h.Write([]byte{byte(id), byte(id >> 8), byte(t.kind), t.life})
		h.Write(s.packer.Bytes())
	}
	return h.Sum64()
}

// Modify changes the player's state as something in the world does that its owner
// could not foresee: a push, a launch, a new mode, a motion that the server sets
// (RMS-21, MOD-01). The owner gets it at once, by one correction that is counted as
// a ServerForce and drawn as one pull (E2E-05); its input goes on acting, and unlike after
// SetState others see no jump and the client's game no event. A change that changes
// nothing is none. A player that is not in the world is left alone.
func (s *Server[S, C]) Modify(id PlayerID, change func(*S)) {
	if t := s.seats.player(id); t.authority != nil {
		t.authority.Modify(change)
	}
}

// Pose returns what others would see of the player now, in the world's frame (a rider
// on its base as it stands at Now, SRV-15), and false where there is no such player
// in the world.
func (s *Server[S, C]) Pose(id PlayerID) (track.Sample, bool) {
	t := s.seats.inWorld(id)
	if t == nil {
		return track.Sample{}, false
	}
	pose := s.pose(t)
	return pose.ToWorld(s.config.World, s.now), true
}

// FullSnapshot returns the record of the last tick: everything there is, whichever clients it is
// sent to, each at its own stamp. Nil before the first tick. It is good until the next, and
// not to be changed.
func (s *Server[S, C]) FullSnapshot() *track.Snapshot { return s.history.Snapshots.Snapshot(s.tick) }

// Format sums up how the game's commands and states travel: two ends that differ in it
// cannot read each other (GAP-04).
func (s *Server[S, C]) Format() uint32 { return s.format }
