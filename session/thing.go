package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// firstEntity is the least id of what is no player; the largest is track.MaxID.
const firstEntity track.ID = MaxPlayers + 1

// maxThings is how many things a match has room for beside its players, those whose ids
// rest counted: 895.
const maxThings = int(track.MaxID-firstEntity) + 1

// thing is what a game has put into the match beside its players: a ball, a rocket,
// something to pick up.
type thing struct {
	taken     bool
	put       bool // whether it was told where it stands
	kind      track.Kind
	sample    track.Sample // as the game told it
	at        clock.Micros // match time of that, of what has a time of its own; else 0
	ride      ride
	life      uint8  // counts the things that had the id; wraps
	teleports uint8  // counts where its path breaks
	rests     uint32 // tick from which on the id may be given out again
}

// Spawn makes room for a thing of that kind and returns its id, 129 … 1023; 0 where there
// is no room. Others see it from the next record on in which it has been Put somewhere,
// as it is then. Players' own samples have kind 0, a character; a thing of kind 0 is one
// that nobody plays, and is hit by shots as players are.
func (s *Server[S, C]) Spawn(kind track.Kind) track.ID {
	i := 0
	for i < len(s.things) && (s.things[i].taken || s.things[i].rests > s.tick) {
		i++
	}
	if i == maxThings {
		return 0
	}
	if i == len(s.things) {
		s.things = append(s.things, thing{})
	}
	t := &s.things[i]
	*t = thing{taken: true, kind: kind, life: t.life + 1, teleports: t.teleports}
	return firstEntity + track.ID(i)
}

// UpdateEntity says how a thing stands from now on: the record of the next tick stamps it with that
// tick's time. Its At, Kind, Life, Teleport, Was and Since are the session's to fill in;
// Base and Aloft count as a player's. It panics where there is no such thing.
func (s *Server[S, C]) UpdateEntity(id track.ID, sample track.Sample) {
	t := s.entity(id)
	t.put, t.sample = true, sample
}

// TeleportEntity breaks the path of a thing where it stands now: what it is Put to afterwards is
// drawn at once and not on a way there. It panics where there is no such thing.
func (s *Server[S, C]) TeleportEntity(id track.ID) {
	t := s.entity(id)
	t.teleports++
	t.ride = ride{}
}

// Despawn takes a thing out of the match, from the next record on. Its id rests until no
// picture that a shot may name can still show it, and then is another's, in another
// life. It panics where there is no such thing.
func (s *Server[S, C]) Despawn(id track.ID) {
	t := s.entity(id)
	*t = thing{life: t.life, teleports: t.teleports, rests: s.tick + uint32(s.history.Snapshots.Ticks())}
}

// entity returns the thing of an id; naming one that does not exist is misuse.
func (s *Server[S, C]) entity(id track.ID) *thing {
	if t := s.find(id); t != nil {
		return t
	}
	panic("session: no such thing")
}

// find returns the thing of an id, nil where there is none.
func (s *Server[S, C]) find(id track.ID) *thing {
	if id < firstEntity || int(id-firstEntity) >= len(s.things) || !s.things[id-firstEntity].taken {
		return nil
	}
	return &s.things[id-firstEntity]
}

// recordThings adds all things to the frame of this tick.
func (s *Server[S, C]) recordThings(frame *track.Snapshot) {
	for i := range s.things {
		t := &s.things[i]
		if !t.put {
			continue
		}
		pose := t.sample
		t.ride.follow(&pose, s.now, s.now, &s.carriers)
		pose = s.told(pose, &t.ride, s.now)
		pose.At, pose.Kind, pose.Life, pose.Teleport = s.now, t.kind, t.life, t.teleports
		if t.at != 0 {
			pose.At = t.at
		}
		frame.Add(firstEntity+track.ID(i), pose)
	}
}

// told returns a pose in the frame in which others are told of it, at a platform time.
func (s *Server[S, C]) told(pose track.Sample, r *ride, platform clock.Micros) track.Sample {
	if pose.Base != r.base {
		pose = pose.ToBase(r.base, s.config.World, platform)
	}
	pose.PreviousBase, pose.BaseChangedAt, pose.Lag, pose.Airborne = r.was, r.since, r.lag, false
	return pose
}

// fresh is what snapshots have told of things since it was handed out: of each the newest
// sample, by ascending id.
type fresh struct {
	list    []track.Entity
	handed  bool
	scratch track.Entity
}

// take notes what a snapshot tells of things.
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
