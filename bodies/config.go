package bodies

import (
	"strconv"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/track"
)

// Config declares the rigid bodies of a game, the same on both ends. It is a value that any number
// of servers and clients may share; it must not be changed once one of them uses it. Only Kinds is
// required.
type Config struct {
	// Kinds are the bodies of each kind of entity, from 1: their shape, mass, material and limits.
	// body.Body.Kick says how hard a player's touch kicks one, PushedBy which players push it. The
	// place in it is ignored. Required: an empty map panics.
	Kinds map[track.Kind]body.Body
	// Physics are the constants of the simulation. The zero body.Config is the earth.
	Physics body.Config
	// Follow is how a client's bodies follow the server's. The zero BodyRules are for bodies that
	// are mostly watched; for a ball game a Time of 200 ms is better than the default of 600.
	Follow remote.BodyRules
	// Pusher changes how a player that stands in that pose pushes: p.Force, Bounce and Groups (its
	// team, for bodies with PushedBy). It reports whether the player pushes at all. Both ends call it,
	// with the same pose for the same state: it must depend on nothing else. Nil means that every
	// player with a body (session.Game.BodyCapsule) pushes, with body.Pusher's defaults.
	Pusher func(pose *track.Sample, p *body.Pusher) bool
}

// Body returns the body of a kind as declared; false for a kind without one.
func (c *Config) Body(kind track.Kind) (body.Body, bool) {
	b, ok := c.Kinds[kind]
	return b, ok
}

// check panics if the declaration is wrong, and says which field and how to fix it.
func (c *Config) check() {
	if len(c.Kinds) == 0 {
		panic("bodies: Config.Kinds is empty: declare at least one kind of body")
	}
	// An entity of kind 0 is a character in any game: shots would find the hitboxes of a player.
	if _, ok := c.Kinds[0]; ok {
		panic("bodies: Config.Kinds[0] is the kind of characters: number bodies from 1")
	}
	// In the order of the kinds, so that the same one is reported each time.
	for k := range 256 {
		b, ok := c.Kinds[track.Kind(k)]
		if ok && (!(b.Half.X > 0) || b.Shape == body.Capsule && !(b.Half.Y > 0) || b.Shape == body.Box && !(min(b.Half.Y, b.Half.Z) > 0)) {
			panic("bodies: Config.Kinds[" + strconv.Itoa(k) + "] has no size: make the body with body.NewBall, NewBox or NewCapsule")
		}
		if ok && b.Mass == 0 {
			panic("bodies: Config.Kinds[" + strconv.Itoa(k) + "].Mass is 0, which nothing moves: give it a mass in kg, or make it a mover of the level")
		}
	}
}
