package npc

import (
	pose "github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/track"
)

// EventKind says what happened to a character.
type EventKind uint8

// The kinds of events.
const (
	Arrived     EventKind = iota // it stands at its goal, or as near as others let it
	Unreachable                  // there is no path to its goal: it stands
	Died                         // it lies dead from now on, until it is removed
)

// Event is what happened to a character in a Step.
type Event struct {
	Kind EventKind // what happened
	ID   track.ID  // to which character
}

// Events returns what happened in the newest Step: deaths first. It is valid until the next Step.
func (c *Crowd) Events() []Event { return c.events }

// All appends the ids of all characters, the dead among them, to into, ascending.
func (c *Crowd) All(into []track.ID) []track.ID {
	for _, n := range c.list {
		into = append(into, n.id)
	}
	return into
}

// Has reports whether there is a character with that id.
func (c *Crowd) Has(id track.ID) bool {
	_, ok := c.find(id)
	return ok
}

// State returns a character's state after the newest Step. It may be read until the next Spawn, Remove
// or Step; Modify changes it.
func (c *Crowd) State(id track.ID) *movement.State { return &c.get(id).state }

// Dead reports whether a character lies dead.
func (c *Crowd) Dead(id track.ID) bool { return c.get(id).dead }

// Capsule returns the body of a character, in metres: for a body.Pusher.
func (c *Crowd) Capsule(id track.ID) geom.Capsule {
	n := c.get(id)
	return n.kind.Model.Capsule(&n.state)
}

// Modify changes a character's state: a push (movement.Model.AddImpulse), a mode, a motion. To put it
// elsewhere use Teleport.
func (c *Crowd) Modify(id track.ID, change func(*movement.State)) { change(&c.get(id).state) }

// Teleport puts a character elsewhere at once: clients do not draw it on a way there. A goal stays, by a
// new path.
func (c *Crowd) Teleport(id track.ID, feet geom.Vec3, yaw float64) {
	n := c.get(id)
	n.state.Teleport(feet)
	n.state.Velocity, n.state.Yaw = geom.Vec3{}, yaw
	// The old path leads from where the character was. Following it from here could walk it into a wall.
	n.searching = n.walking
	n.follower.Stop()
	// The jump belongs to this sample: a Step later in this tick replaces the sample and keeps the jump.
	c.config.Match.TeleportEntity(id)
	c.record(n, 0)
}

// SetUserData sets the game's own number of a character (track.GameData.UserData), which every client
// gets: what it holds, how it looks.
func (c *Crowd) SetUserData(id track.ID, data uint16) { c.get(id).data = data }

// Kill makes a character die in the next Step, with a Ledger or without one.
func (c *Crowd) Kill(id track.ID) {
	n := c.get(id)
	if n.dead {
		return
	}
	if c.config.Ledger != nil {
		// Leave ends the life without a kill, so no player scores. The next Step finds a character without
		// health, as after a shot.
		c.config.Ledger.Leave(id)
		return
	}
	n.killed = true
}

// record puts a character into the next snapshot, d after the one before.
func (c *Crowd) record(n *character, d clock.Micros) {
	s := pose.Pose(&n.state)
	n.stance = n.stance.Towards(s.Stance, d)
	// Zero means an entity that does not walk.
	s.Stance, s.StrideDistance = n.stance, max(n.stride, 1./track.StrideScale)
	s.Dead, s.UserData = n.dead, n.data
	c.config.Match.UpdateEntity(n.id, s)
}
