package bodies

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// Match is what a Server needs of the match; a session.Server is one.
type Match interface {
	// Now returns the match time of the last tick.
	Now() clock.Micros
	// Spawn adds an entity of a kind and returns its id; 0 if the match has no room.
	Spawn(kind track.Kind) track.ID
	// UpdateEntity records where an entity is at the end of this tick.
	UpdateEntity(id track.ID, sample track.Sample)
	// TeleportEntity makes the next record a jump, which clients do not interpolate.
	TeleportEntity(id track.ID)
	// Despawn removes an entity from this tick on.
	Despawn(id track.ID)
	// Seats returns how many seats the match has: the ids of players are 1 … Seats.
	Seats() int
	// PlayerBody returns where a player stands and its capsule in the world; solid is false of a
	// player that pushes nothing: dead, away, or no player at all.
	PlayerBody(id session.PlayerID) (pose track.Sample, capsule geom.Capsule, solid bool)
}

// Server is the bodies of one match, as its server has them. Make one with Config.Serve; it serves
// the goroutine of the match. A method that takes the id of a body panics where there is none with it.
type Server struct {
	config  *Config
	match   Match
	world   *body.World
	at      clock.Micros // match time of the last Step
	list    []served     // by id
	named   []track.ID   // by body.ID: the entity, 0 if there is none
	zones   []zone
	volumes *collide.WorldAt // nil in a level without any
	events  []Event          // of the last Step
	touched []touch          // of the Step before, by player and body

	players []player      // by id, as they stood at the last Step
	pushers []body.Pusher // of this Step
	extra   []body.Pusher // of Push, for the next Step
	pusher  body.Pusher   // scratch: arguments of Config.Pusher escape
	pose    track.Sample
}

// served is one body.
type served struct {
	id     track.ID // of the entity
	in     body.ID  // its ID in the body.World
	kind   track.Kind
	sent   body.Motion     // as last put into the record
	moved  bool            // since its zones were found
	inside uint64          // the zones that it is in, a bit each
	volume *collide.Volume // that it is in; nil: none
}

// Serve returns the server's end, without bodies, in the level of the match. It
// panics where the declaration is wrong.
func (c *Config) Serve(match Match, level *collide.World) *Server {
	c.check()
	s := &Server{config: c, match: match, at: match.Now(), world: body.New(level, c.Physics), players: make([]player, match.Seats()+1)}
	// A level without volumes needs no test of them for each body that moves.
	if level != nil && len(level.Volumes()) > 0 {
		s.volumes = &collide.WorldAt{World: level}
	}
	return s
}

// Spawn puts a body of a kind into the match, at rest, and returns the id of its entity; 0 where the
// match has no room. It panics for a kind that Config.Kinds does not declare.
func (s *Server) Spawn(kind track.Kind, at geom.Vec3) track.ID {
	return s.SpawnTurned(kind, at, geom.IdentityQuat)
}

// SpawnTurned is Spawn of a body that is rotated, by a unit quaternion.
func (s *Server) SpawnTurned(kind track.Kind, at geom.Vec3, turned geom.Quat) track.ID {
	b, ok := s.config.Body(kind)
	if !ok {
		panic("bodies: Spawn of kind " + strconv.Itoa(int(kind)) + ": declare it in Config.Kinds")
	}
	id := s.match.Spawn(kind)
	if id == 0 {
		return 0
	}
	b.Motion = body.Motion{Position: at, Rotation: turned}
	in := s.world.Add(b)
	// The world of bodies is full although the match is not: the entity must not stay without a body.
	if in == 0 {
		s.match.Despawn(id)
		return 0
	}
	// Touches name bodies by their ID in the world.
	for int(in) >= len(s.named) {
		s.named = append(s.named, 0)
	}
	s.named[in] = id
	// By id, so that events and snapshots have one order on every machine.
	i, _ := s.find(id)
	s.list = slices.Insert(s.list, i, served{id: id, in: in, kind: kind})
	s.record(&s.list[i])
	return id
}

// Remove removes a body from the match. Bodies that rest on it wake.
func (s *Server) Remove(id track.ID) {
	l := s.get(id)
	s.world.Remove(l.in)
	s.named[l.in] = 0
	s.match.Despawn(id)
	i, _ := s.find(id)
	s.list = slices.Delete(s.list, i, i+1)
}

// Step moves all bodies to match time now: call it in session.ServerConfig.Simulate, once a tick. The
// players push where their newest moves took them. Events are those of this Step then.
func (s *Server) Step(now clock.Micros) {
	d := now - s.at
	s.pushPlayers(d)
	s.world.Step(d, s.at, s.pushers)
	s.at = now
	s.events = s.events[:0]
	s.reportTouches()
	for i := range s.list {
		l := &s.list[i]
		// A body with unchanged motion costs nothing in a snapshot.
		if s.world.Motion(l.in) != l.sent {
			s.record(l)
		}
		// One that SetVelocity, Impulse or Teleport changed since the last Step counts as moved, too.
		if l.moved {
			l.moved = false
			s.reportPlace(l)
		}
	}
}

// Motion returns where a body is and how it moves after the newest Step.
func (s *Server) Motion(id track.ID) body.Motion { return s.world.Motion(s.get(id).in) }

// Kind returns the kind of a body.
func (s *Server) Kind(id track.ID) track.Kind { return s.get(id).kind }

// Has reports whether there is a body with that id.
func (s *Server) Has(id track.ID) bool {
	_, ok := s.find(id)
	return ok
}

// Awake returns how many bodies move.
func (s *Server) Awake() int { return s.world.Awake() }

// SetVelocity gives a body a velocity in m/s and an angular velocity in rad/s about the world's axes,
// within the limits of its kind.
func (s *Server) SetVelocity(id track.ID, velocity, angular geom.Vec3) {
	l := s.get(id)
	m := s.world.Motion(l.in)
	// A sleeping body is at rest until it wakes.
	m.Velocity, m.AngularVelocity, m.Asleep = velocity, angular, false
	s.world.Set(l.in, m)
	s.record(l)
}

// Impulse applies an impulse in kg·m/s to the centre of a body.
func (s *Server) Impulse(id track.ID, impulse geom.Vec3) {
	s.ImpulseAt(id, s.Motion(id).Position, impulse)
}

// ImpulseAt applies an impulse in kg·m/s to a body at a point of the world: off its centre it turns
// the body too.
func (s *Server) ImpulseAt(id track.ID, at, impulse geom.Vec3) {
	l := s.get(id)
	s.world.Impulse(l.in, at, impulse)
	s.record(l)
}

// Teleport puts a body elsewhere at once: clients draw it there and not on a way there. A motion that
// differs from the present one in its velocities alone is no Teleport but a SetVelocity.
func (s *Server) Teleport(id track.ID, m body.Motion) {
	l := s.get(id)
	s.world.Set(l.in, m)
	// Before the new sample is recorded, so that no client draws a way between the two places.
	s.match.TeleportEntity(id)
	s.record(l)
}

// Bodies appends every body by ascending id to into, as clients are sent it, stamped with the newest
// Step.
func (s *Server) Bodies(into []track.Entity) []track.Entity {
	for i := range s.list {
		l := &s.list[i]
		e := track.Entity{ID: l.id, Sample: sampleOf(&l.sent)}
		e.At, e.Kind = s.at, l.kind
		into = append(into, e)
	}
	return into
}

// Ray returns the first body between two points, and where it is met; false where there is none. A
// body counts as the ball of its first half size about its centre. Walls do not count.
func (s *Server) Ray(from, to geom.Vec3) (id track.ID, at geom.Vec3, ok bool) {
	way := to.Sub(from)
	dir, nearest := way.Unit(), way.Len()
	for i := range s.list {
		b := s.world.Body(s.list[i].in)
		if t, met := rayBall(b.Position.Sub(from), dir, b.Half.X); met && t < nearest {
			id, nearest, ok = s.list[i].id, t, true
		}
	}
	return id, from.MulAdd(dir, nearest), ok
}

// rayBall returns the distance along a unit vector at which a ray from the origin comes nearest to a
// ball that it meets, less the radius.
func rayBall(centre, dir geom.Vec3, radius float64) (float64, bool) {
	along := centre.Dot(dir)
	off := centre.MulAdd(dir, -along).LenSq()
	if off > float64(radius*radius) || along <= 0 {
		return 0, false
	}
	return max(along-radius, 0), true
}

// record puts the motion of a body into the next snapshot.
func (s *Server) record(l *served) {
	l.sent, l.moved = s.world.Motion(l.in), true
	s.match.UpdateEntity(l.id, sampleOf(&l.sent))
}

// sampleOf returns the sample of a body.
func sampleOf(m *body.Motion) track.Sample {
	return track.Sample{Pose: track.Pose{
		Position: m.Position, Velocity: m.Velocity, Rotation: m.Rotation, AngularVelocity: m.AngularVelocity, Asleep: m.Asleep,
	}}
}

// find returns the index at which an id is, or belongs, and whether it is there.
func (s *Server) find(id track.ID) (int, bool) {
	return slices.BinarySearchFunc(s.list, id, func(l served, id track.ID) int { return cmp.Compare(l.id, id) })
}

// get returns the body of an id. It panics if there is none.
func (s *Server) get(id track.ID) *served {
	i, ok := s.find(id)
	if !ok {
		panic("bodies: there is no body " + strconv.Itoa(int(id)) + ": take the id from Spawn, and drop it with Remove")
	}
	return &s.list[i]
}
