package session

import (
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/track"
)

// smallMatch is the number of seats up to which the ids of entities begin at 129: small ids take
// less memory and fewer bits.
const smallMatch = 128

// maxPlayerID returns the largest id that a match of so many seats has for players. Larger ones,
// up to track.MaxID, are those of entities.
func maxPlayerID(seats int) track.ID { return track.ID(max(seats, smallMatch)) }

// entity is an entity that the game has spawned: a ball, a rocket, a pickup.
type entity struct {
	taken     bool
	placed    bool // UpdateEntity was called
	jumps     bool // the next one is a teleport
	kind      track.Kind
	sample    track.Sample // as the game set it
	at        clock.Micros // match time of the sample where it has one of its own (projectiles); else 0
	frame     baseFrame
	life      uint8  // counts the entities that had the id; wraps
	teleports uint8  // counts where its path breaks
	rests     uint32 // tick from which the id may be reused
}

// entityTable holds the entities of a match besides its players.
type entityTable struct {
	first    track.ID // the least id of an entity; the largest is track.MaxID
	list     []entity // by id − first
	timeline *timeline
	frames   moverFrames
	idRest   uint32 // ticks for which a freed id is not reused
}

// Spawn adds an entity of a kind and returns its id, which is above those of players (Server.Seats), 129 at
// least; 0 if all ids are taken. Clients see it after its first UpdateEntity. Samples of players have kind 0, a
// character; an entity of kind 0 is a character without a player, and shots hit it as they hit players.
func (s *entityTable) Spawn(kind track.Kind) track.ID {
	// The lowest free id: small ones take fewer bits in every snapshot.
	i := 0
	for i < len(s.list) && (s.list[i].taken || s.list[i].rests > s.timeline.tick) {
		i++
	}
	if i > int(track.MaxID-s.first) {
		return 0
	}
	if i == len(s.list) {
		s.list = append(s.list, entity{})
	}
	t := &s.list[i]
	*t = entity{taken: true, kind: kind, life: t.life + 1, teleports: t.teleports}
	return s.first + track.ID(i)
}

// UpdateEntity sets the sample of an entity from now on: the record of the next tick stamps it
// with that tick's time. Its At, Kind, Life, Teleport, PreviousBase and BaseChangedAt are the
// session's to fill in; Base and Airborne count as a player's. It panics where there is no such
// entity.
func (s *entityTable) UpdateEntity(id track.ID, sample track.Sample) {
	t := s.entity(id)
	t.placed, t.sample = true, sample
	if t.jumps {
		t.jumps = false
		t.teleports++
		t.frame = baseFrame{}
	}
}

// TeleportEntity marks the next UpdateEntity as a teleport: clients draw it at once, without interpolation. It
// panics if there is no such entity.
func (s *entityTable) TeleportEntity(id track.ID) { s.entity(id).jumps = true }

// despawn removes an entity from the match.
func (s *entityTable) despawn(id track.ID) {
	t := s.entity(id)
	*t = entity{life: t.life, teleports: t.teleports, rests: s.timeline.tick + s.idRest}
}

// entity returns the entity of an id; naming one that does not exist is misuse.
func (s *entityTable) entity(id track.ID) *entity {
	if t := s.find(id); t != nil {
		return t
	}
	panic("session: there is no entity " + strconv.Itoa(int(id)) + ": take the id from Spawn, and drop it with Despawn")
}

// find returns the entity of an id, nil where there is none.
func (s *entityTable) find(id track.ID) *entity {
	if id < s.first || int(id-s.first) >= len(s.list) || !s.list[id-s.first].taken {
		return nil
	}
	return &s.list[id-s.first]
}

// record adds all entities to the snapshot of this tick.
func (s *entityTable) record(frame *track.Snapshot) {
	now := s.timeline.now
	for i := range s.list {
		t := &s.list[i]
		if !t.placed {
			continue
		}
		pose := t.sample
		t.frame.update(&pose, now, now, &s.frames)
		pose = t.frame.apply(pose, s.frames.world, now)
		pose.At, pose.Kind, pose.Life, pose.Teleport = now, t.kind, t.life, t.teleports
		if t.at != 0 {
			pose.At = t.at
		}
		frame.Add(s.first+track.ID(i), pose)
	}
}

// newSamples gathers the newest sample of each entity since the last take, by ascending id.
type newSamples struct {
	queue[track.Entity]
	scratch track.Entity
}

// add adds the samples of a snapshot's entities, whose ids are above those of players. received includes the snapshot.
func (f *newSamples) add(frame *track.Snapshot, received *remote.Remotes, players track.ID) {
	at := 0
	e := &f.scratch
	for i := range frame.Len() {
		// Of a snapshot that was overtaken on the way, a body that is removed would come back.
		if e.ID = frame.ID(i); e.ID <= players || received.NewestTick(e.ID) != frame.Tick {
			continue
		}
		frame.Load(i, &e.Sample)
		for at < len(f.list) && f.list[at].ID < e.ID {
			at++
		}
		f.insert(at, e)
	}
}

// insert puts a sample at its place in the list, or replaces the entity's earlier one.
func (f *newSamples) insert(at int, e *track.Entity) {
	if at < len(f.list) && f.list[at].ID == e.ID {
		f.list[at] = *e
		return
	}
	f.list = append(f.list, track.Entity{})
	copy(f.list[at+1:], f.list[at:])
	f.list[at] = *e
}
