package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// firstEntity is the least id of what is no player; the largest is track.MaxID.
const firstEntity track.ID = MaxPlayers + 1

// maxEntities is how many entities a match has room for beside its players, those whose ids
// rest counted: 895.
const maxEntities = int(track.MaxID-firstEntity) + 1

// entity is what a game has put into the match beside its players: a ball, a rocket,
// something to pick up.
type entity struct {
	taken     bool
	put       bool // whether it was put anywhere
	kind      track.Kind
	sample    track.Sample // as the game set it
	at        clock.Micros // match time of that, of what has a time of its own; else 0
	ride      ride
	life      uint8  // counts the entities that had the id; wraps
	teleports uint8  // counts where its path breaks
	rests     uint32 // tick from which on the id may be given out again
}

// Spawn makes room for an entity of that kind and returns its id, 129 … 1023; 0 where there
// is no room. Others see it from the next record on in which it has been Put somewhere,
// as it is then. Players' own samples have kind 0, a character; an entity of kind 0 is one
// that nobody plays, and is hit by shots as players are.
func (s *Server[S, C]) Spawn(kind track.Kind) track.ID {
	i := 0
	for i < len(s.entities) && (s.entities[i].taken || s.entities[i].rests > s.tick) {
		i++
	}
	if i == maxEntities {
		return 0
	}
	if i == len(s.entities) {
		s.entities = append(s.entities, entity{})
	}
	t := &s.entities[i]
	*t = entity{taken: true, kind: kind, life: t.life + 1, teleports: t.teleports}
	return firstEntity + track.ID(i)
}

// UpdateEntity says how an entity stands from now on: the record of the next tick stamps it with that
// tick's time. Its At, Kind, Life, Teleport, Was and Since are the session's to fill in;
// Base and Airborne count as a player's. It panics where there is no such entity.
func (s *Server[S, C]) UpdateEntity(id track.ID, sample track.Sample) {
	t := s.entity(id)
	t.put, t.sample = true, sample
}

// TeleportEntity breaks the path of an entity where it stands now: what it is Put to afterwards is
// drawn at once and not on a way there. It panics where there is no such entity.
func (s *Server[S, C]) TeleportEntity(id track.ID) {
	t := s.entity(id)
	t.teleports++
	t.ride = ride{}
}

// Despawn takes an entity out of the match, from the next record on. Its id rests until no
// picture that a shot may name can still show it, and then is another's, in another
// life. It panics where there is no such entity.
func (s *Server[S, C]) Despawn(id track.ID) {
	t := s.entity(id)
	*t = entity{life: t.life, teleports: t.teleports, rests: s.tick + uint32(s.history.Snapshots.Ticks())}
}

// entity returns the entity of an id; naming one that does not exist is misuse.
func (s *Server[S, C]) entity(id track.ID) *entity {
	if t := s.find(id); t != nil {
		return t
	}
	panic("session: no such entity")
}

// find returns the entity of an id, nil where there is none.
func (s *Server[S, C]) find(id track.ID) *entity {
	if id < firstEntity || int(id-firstEntity) >= len(s.entities) || !s.entities[id-firstEntity].taken {
		return nil
	}
	return &s.entities[id-firstEntity]
}

// recordEntities adds all entities to the frame of this tick.
func (s *Server[S, C]) recordEntities(frame *track.Snapshot) {
	for i := range s.entities {
		t := &s.entities[i]
		if !t.put {
			continue
		}
		pose := t.sample
		t.ride.follow(&pose, s.now, s.now, &s.carriers)
		pose = s.inBase(pose, &t.ride, s.now)
		pose.At, pose.Kind, pose.Life, pose.Teleport = s.now, t.kind, t.life, t.teleports
		if t.at != 0 {
			pose.At = t.at
		}
		frame.Add(firstEntity+track.ID(i), pose)
	}
}

// inBase returns a pose in the frame in which snapshots have it, at a platform time.
func (s *Server[S, C]) inBase(pose track.Sample, r *ride, platform clock.Micros) track.Sample {
	if pose.Base != r.base {
		pose = pose.ToBase(r.base, s.config.World, platform)
	}
	pose.PreviousBase, pose.BaseChangedAt, pose.Lag, pose.Airborne = r.was, r.since, r.lag, false
	return pose
}

// fresh is what snapshots had of entities since it was handed out: of each the newest
// sample, by ascending id.
type fresh struct {
	list    []track.Entity
	handed  bool
	scratch track.Entity
}

// take notes what a snapshot has of entities.
func (f *fresh) take(frame *track.Snapshot) {
	at := 0
	e := &f.scratch
	for i := range frame.Len() {
		if e.ID = frame.ID(i); e.ID < firstEntity {
			continue
		}
		frame.Load(i, &e.Sample)
		if f.handed {
			f.list, f.handed = f.list[:0], false
		}
		for at < len(f.list) && f.list[at].ID < e.ID {
			at++
		}
		f.note(at, e)
	}
}

// note puts a sample at its place in the list, unless a newer one is there.
func (f *fresh) note(at int, e *track.Entity) {
	if at < len(f.list) && f.list[at].ID == e.ID {
		if e.At > f.list[at].At {
			f.list[at] = *e
		}
		return
	}
	f.list = append(f.list, track.Entity{})
	copy(f.list[at+1:], f.list[at:])
	f.list[at] = *e
}

// hand returns what was noted since the last time.
func (f *fresh) hand() []track.Entity {
	if f.handed {
		return nil
	}
	f.handed = true
	return f.list
}
