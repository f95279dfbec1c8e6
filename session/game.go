package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Game is the rules of a match: how a command changes a state, how both are packed,
// and how others see it. S is everything one move hands to the next, plain data;
// C is a player's input for one move. The methods must give the same bits
// on every machine. One Game value belongs to one Server or Client, so it may
// keep scratch in its fields.
type Game[S comparable, C any] interface {
	// Step simulates one move that lasts d, in the world as the command met it:
	// w.At is the platform time, the command's own stamp on both ends (BAS-01), and
	// w.Obstacles the others in the way. Both are w's only during the call.
	Step(w *collide.WorldAt, s *S, c *C, d clock.Micros)
	// Carry strips from c what happens once (a shot) and leaves what is held
	// down: the input for time whose own command never came.
	Carry(c *C)
	// PackCommand packs c in either direction; before is the command that
	// stands before it in the packet, the zero command for the first.
	PackCommand(p *bits.Packer, c, before *C)
	// PackState packs s in either direction without loss.
	PackState(p *bits.Packer, s *S)

	// Position returns what predictions are compared by, in metres.
	Position(s *S) geom.Vec3
	// Digest returns a hash of what must agree exactly besides the position: mode,
	// stance, ammunition.
	Digest(s *S) uint16
	// Pose returns what others see of s; the session fills in its time.
	Pose(s *S) track.Sample
	// Eye returns where the player sees and shoots from.
	Eye(s *S) geom.Vec3

	// Trigger returns the place in c for the claim of a shot.
	Trigger(c *C) *shot.Claim
	// Fired returns what became of the shot that the command carries which led from before
	// to after: ammunition, cool-down and how far a blade has got are the game's.
	Fired(before *S, c *C, after *S) shot.FireResult
	// Weapons returns the table that a claim's weapon is an index of, at most shot.MaxWeapons.
	// It must not change: of a client from Enter on.
	Weapons() []shot.Weapon
}

// HitboxGame is a Game whose characters have hitboxes of their own (rewind.HitboxProvider). Without it
// they are the rig.DefaultRig.
type HitboxGame interface{ Hitboxes() rewind.HitboxProvider }

// Blocking is a Game with rules for which of the level's moving bodies stop shots, and
// which can be broken (rewind.Blockers, GAP-46). Without it they all stop them where the
// shooter sees them.
type Blocking interface{ Blockers() rewind.Blockers }

// newScene returns an empty scene by a game's hitboxes and rules.
func newScene(game any) *rewind.Scene {
	s := rewind.NewScene(hitboxesOf(game))
	if b, ok := game.(Blocking); ok {
		s.Blockers = b.Blockers()
	}
	return s
}

// hitboxesOf returns a game's hitboxes, nil where it has none of its own.
func hitboxesOf(game any) rewind.HitboxProvider {
	if f, ok := game.(HitboxGame); ok {
		return f.Hitboxes()
	}
	return nil
}

// Swinger is a Game with blades that cut over several commands. A frame of ClientConfig.Tick
// may make several, of which the player aims the first: the others claim their parts of the
// swing by what Swing says. Without it those parts hit nothing.
type Swinger[S comparable, C any] interface {
	// Swing puts the claim of the blade that is on its way into c, a command that begins with
	// s: its weapon, and as aim where c looks. It reports whether there is one to claim.
	Swing(s *S, c *C) bool
}

// Combiner is a Game that lets a client make one longer command of two (rows CMB), so
// that a screen of many frames a second needs no more packets than one of few.
// Without it nothing is combined.
type Combiner[S comparable, C any] interface {
	// Combine reports whether one command that lasts d may take the place of two that
	// follow each other: first, which led from start to between, and second, which is
	// not simulated yet. The one has second's input. w is the world as it would meet
	// it. See predict.Rules; movement.Model.CanCombine knows what concerns movement.
	Combine(w *collide.WorldAt, start, between *S, first, second *C, d clock.Micros) bool
}

// Differ is a Game that can say in which fields a prediction was wrong (ACK-14), for
// a client's list of corrections.
type Differ[S comparable] interface {
	// Differ appends to into what of truth is not as predicted; see predict.Rules and
	// movement.Differ.
	Differ(predicted, truth *S, into []predict.Difference) []predict.Difference
}

// Resting is a Game that can let go of what a command holds (GAP-11): what a player
// a player does that has been silent for more than a second. Without it that is the zero command,
// which also looks the other way.
type Resting[C any] interface {
	// Rest lets go of all that c holds, and leaves what is not held, such as where the
	// player looks.
	Rest(c *C)
}

// Channel says how a packet travels.
type Channel uint8

// The two channels; the numbers are transport's.
const (
	Datagram Channel = iota
	Stream
)

// Packet is bytes to send. They are valid until the next Tick or Frame.
type Packet struct {
	Peer    Peer    // to which a Server's packet goes; 0 from a Client
	Channel Channel // how it is sent
	Bytes   []byte  // the payload
}

// Peer names one connection of a Server; the host gives out the numbers, from 1.
type Peer uint32

// rules adapts a Game to predict, which has no world: each command is simulated in the world at
// its own platform time, among its obstacles.
type rules[S comparable, C any] struct {
	Game[S, C]
	view      collide.WorldAt
	obstacles *obstacleFinder // nil: players do not block each other
}

// setWorld sets the view to the world at a command's platform time.
func (r *rules[S, C]) setWorld(s *S, c *predict.Command[move[C]]) {
	r.view.At = c.Stamp
	if r.obstacles != nil {
		r.view.Obstacles = r.obstacles.find(r.view.World, r.Game.Pose(s), c.Input.Seen, c.Stamp)
	}
}

func (r *rules[S, C]) Step(s *S, c *predict.Command[move[C]]) {
	r.setWorld(s, c)
	r.Game.Step(&r.view, s, &c.Input.Game, c.Duration)
}

func (r *rules[S, C]) Combine(start, between *S, first, second *predict.Command[move[C]]) bool {
	combiner, ok := r.Game.(Combiner[S, C])
	if !ok || r.Trigger(&first.Input.Game).Fire || r.Trigger(&second.Input.Game).Fire {
		return false // a shot leaves from the state before its own command
	}
	r.setWorld(start, second)
	return combiner.Combine(&r.view, start, between, &first.Input.Game, &second.Input.Game, first.Duration+second.Duration)
}

func (r *rules[S, C]) Differ(predicted, truth *S, into []predict.Difference) []predict.Difference {
	if d, ok := r.Game.(Differ[S]); ok {
		return d.Differ(predicted, truth, into)
	}
	return into
}

func (r *rules[S, C]) Carry(c *move[C]) { r.Game.Carry(&c.Game) }

// Rest implements predict.Resting.
func (r *rules[S, C]) Rest(c *move[C]) {
	if g, ok := r.Game.(Resting[C]); ok {
		g.Rest(&c.Game)
		return
	}
	*c = move[C]{Seen: c.Seen}
}

// Trust implements predict.Truster by a Game that does.
func (r *rules[S, C]) Trust(s *S, claimed geom.Vec3) bool {
	g, ok := r.Game.(predict.Truster[S])
	return ok && g.Trust(s, claimed)
}

func (r *rules[S, C]) PackCommand(p *bits.Packer, c, before *move[C]) {
	if r.obstacles != nil {
		c.packSeen(p, before)
	}
	r.Game.PackCommand(p, &c.Game, &before.Game)
}
