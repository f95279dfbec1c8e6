package npc

import (
	"errors"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/track"
)

// RestoredMatch is what Checkpoint needs of the match to read; a session.Server is one.
type RestoredMatch interface {
	// EntityKind returns the kind of an entity, and false if the match has none with that id.
	EntityKind(id track.ID) (track.Kind, bool)
}

const (
	// maxTime is far longer than a match, and far from where differences of times overflow.
	maxTime = clock.Micros(1) << 50
	// maxPlace is the bound of a coordinate in a movement.State, in metres.
	maxPlace = 1e7
	// maxStuck is more checks without progress than a match has.
	maxStuck = 1 << 30
)

// Checkpoint packs all characters with their goals and paths in either direction, after
// session.Server.Checkpoint, whose entities they are, and beside damage.Ledger.Checkpoint. They then continue,
// bit for bit, as those that were written. It omits the events. Values that no Crowd has are bits.ErrRange, and
// the Crowd must be discarded. It panics if it is read into a Crowd that is not new, or where the match is no
// RestoredMatch.
func (c *Crowd) Checkpoint(p *bits.Packer) {
	if !p.Writing() && (c.at != 0 || len(c.list)+len(c.spare) > 0) {
		panic("npc: Checkpoint is read into a new Crowd: make one with New for the restored match")
	}
	// The time of the newest Step gives the next one its duration. Without it the first Step after a restore
	// would last longestStep.
	if packTime(p, &c.at); c.at < 0 || c.at > maxTime {
		p.Fail(bits.ErrRange)
	}
	n := len(c.list)
	// The count takes no memory by itself: each character is appended when its id has been checked.
	p.Ranged(&n, 0, int(track.MaxID))
	// Not bounded by n: the index may be behind the end until the next search, and a new character comes there.
	p.Ranged(&c.search, 0, int(track.MaxID))
	for i := 0; i < n && p.Err() == nil; i++ {
		if p.Writing() {
			id := uint16(c.list[i].id)
			p.Uint16(&id)
		} else if !c.readCharacter(p) {
			return
		}
		c.list[i].checkpoint(p, c.config.World)
	}
}

// readCharacter reads an id and appends its character, whose kind the match knows. The ids ascend, so there
// are no more characters than entities.
func (c *Crowd) readCharacter(p *bits.Packer) bool {
	var number uint16
	p.Uint16(&number)
	id := track.ID(number)
	if p.Err() != nil || len(c.list) > 0 && id <= c.list[len(c.list)-1].id {
		p.Fail(bits.ErrRange)
		return false
	}
	// The match says the kind, so a checkpoint has it once and the two cannot differ.
	kind, there := c.config.Match.(RestoredMatch).EntityKind(id)
	k := c.kinds[kind]
	if !there || k == nil {
		p.Fail(errors.New("npc: the checkpoint has a character " + strconv.Itoa(int(id)) + ", which is no entity of a kind in Config.Kinds"))
		return false
	}
	c.list = append(c.list, c.newCharacter(id, k))
	return true
}

// checkpoint packs a character behind its id.
func (n *character) checkpoint(p *bits.Packer, world *collide.World) {
	// Without loss, as for a player: the next move computes with the same bits. A base that the level does not
	// have would be looked up in the next move.
	n.state.Pack(p)
	if base := n.state.Base.Mover; base != collide.Static && world.Mover(base) == nil {
		p.Fail(bits.ErrRange)
	}
	// Stance and stride follow from all moves before, not from the state. They begin anew nowhere: clients would
	// see a leg jump.
	for _, share := range [...]*float64{&n.stance.Crouch, &n.stance.Air, &n.stance.Swim} {
		if p.Float64(share); *share < 0 || *share > 1 {
			p.Fail(bits.ErrRange)
		}
	}
	if p.Float64(&n.stride); n.stride < 0 || n.stride >= track.StrideWrap {
		p.Fail(bits.ErrRange)
	}
	p.Uint16(&n.data)
	p.Bool(&n.dead)
	p.Bool(&n.killed)
	packTime(p, &n.goneAt)
	// The dead have no goal: die has ended it, and Steer gives them none.
	n.steering.checkpoint(p)
	if n.dead && n.walking {
		p.Fail(bits.ErrRange)
	}
}

// checkpoint packs where a character is going. Of one that stands, only what it faces and what outlasts its way
// is packed: Steer sets the rest.
func (s *steering) checkpoint(p *bits.Packer) {
	if p.Bool(&s.looks); s.looks {
		p.Vec64(&s.look)
	}
	// It outlasts the goal: one that has arrived stays in the midst of the others for as long, instead of being
	// pushed out of them.
	packTime(p, &s.through)
	if p.Bool(&s.walking); !s.walking {
		return
	}
	p.Vec64(&s.goal)
	// A search that waits is not run here: Config.Paths bounds the searches of each Step.
	p.Bool(&s.searching)
	packPlace(p, &s.from)
	packTime(p, &s.checkAt)
	// Whether it is odd decides between a step aside and walking through the others.
	p.Ranged(&s.stuck, 0, maxStuck)
	// The direction is that of when it got stuck. A later one would differ.
	packTime(p, &s.asideUntil)
	packPlace(p, &s.aside)
	s.checkpointPath(p)
}

// checkpointPath packs the corners that are left. A new search would find the way from where the character is
// now, which may have other corners.
func (s *steering) checkpointPath(p *bits.Packer) {
	// Only places and kinds are packed: the steering of a Crowd reads neither polygons nor links of a path, so a
	// damaged checkpoint cannot name one that the mesh does not have.
	left := s.follower.Left()
	n := uint16(min(len(left), math.MaxUint16))
	p.Uint16(&n)
	if p.Writing() {
		for i := range left[:n] {
			checkpointCorner(p, &left[i])
		}
		return
	}
	// Each corner is read before the next one takes memory: a damaged count costs no more than its bytes.
	for range n {
		var corner nav.Corner
		if checkpointCorner(p, &corner); p.Err() != nil {
			return
		}
		left = append(left, corner)
	}
	s.follower.Follow(left)
}

// checkpointCorner packs a corner of a path.
func checkpointCorner(p *bits.Packer, c *nav.Corner) {
	packPlace(p, &c.At)
	kind := int(c.Kind)
	p.Ranged(&kind, 0, nav.MaxKinds-1)
	c.Kind = nav.Kind(kind)
}

// packTime packs a match time. Those that are only compared need no bound.
func packTime(p *bits.Packer, t *clock.Micros) {
	v := int64(*t)
	p.Varint(&v)
	*t = clock.Micros(v)
}

// packPlace packs a place in the world.
func packPlace(p *bits.Packer, at *geom.Vec3) {
	if p.Vec64(at); max(math.Abs(at.X), math.Abs(at.Y), math.Abs(at.Z)) > maxPlace {
		p.Fail(bits.ErrRange)
	}
}
