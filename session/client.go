package session

import (
	"unicode/utf8"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/session/field"
	"github.com/backstep-net/backstep/track"
)

// ClientConfig is how a client plays.
type ClientConfig struct {
	// SendRate is how many datagrams a second are sent, 1 … 500; zero means 60. Moves
	// that come in between are combined into one if the game allows it (Game.Combine); what
	// must not wait is sent at once, up to 500 a second (SND-03, SND-04).
	SendRate int
	// Tick is how many commands a second are made, all of one length, 8 … 500, whatever
	// the frame rate; zero makes one each frame, as long as the frame took (GAP-68).
	Tick int
	// InputDelay is for how long the server lets this player's commands wait, 0 … 250 ms,
	// so that late and lost ones cost fewer corrections; other players see this player later by
	// the same time. A server may grant less. Zero means none. See SetInputDelay.
	InputDelay clock.Micros
	// Mode is how remote entities are drawn; zero interpolates. Others().SetMode overrides it
	// for one entity.
	Mode remote.Mode
	// JoinOptions is the game's: what the player chooses as it joins, such as a team or a character, at most MaxOptions
	// bytes of UTF-8; "" is no choice. The server's event Joined has it as Text. The server must check it: any client can
	// send anything.
	JoinOptions string
	// Lasted returns the duration that a command claims, given how long its frame took: for
	// tests of cheats. Nil claims the true duration.
	Lasted func(frame clock.Micros) clock.Micros
	// Acknowledge returns which snapshots a datagram acknowledges at a local time, and the acknowledgement
	// delay that it reports (below 0: none), given the true values: for tests of cheats. Nil uses the true
	// values.
	Acknowledge func(local clock.Micros, seen track.Received, ackDelay clock.Micros) (track.Received, clock.Micros)
}

// Phase is how far a client has got in joining a match.
type Phase uint8

// The phases, in order.
const (
	Outside Phase = iota // no answer to hello yet
	Loading              // has a seat; waits for EnterWorld
	Syncing              // waits for the clock and for a place in the world
	Playing
	Ended // refused, or left
)

// Client is one player's end of a match. Pass each received packet to Receive. Once a
// drawn frame call Frame, send Outgoing, and read Self, Remotes and Events.
//
// Local times are the caller's own monotonic clock, from any beginning.
type Client[S comparable, C any] struct {
	config ClientConfig
	phase  Phase
	id     PlayerID
	key    Key
	ticks  schedule // of the match
	prediction[S, C]
	drawnFrame
	output

	greeted  bool   // said hello
	match    string // of the next hello
	token    string // of the next hello
	place    int    // in the queue for a seat; 0: in none
	clock    clientClock
	uplink   uplink
	combat   combat.Predictor
	inbox    replicate.Inbox
	first    uint32         // tick of the first snapshot
	skips    track.Received // ticks that the server has left out
	triggers receivedTriggers
	fields   *field.Mirror
	notices  notices      // scratch
	bodyPose track.Sample // scratch of OwnBody
	stats    Stats
	level    string // hash of the level that the welcome named
	refusal  string // why the server refused it
}

func (c *ClientConfig) check() {
	orElse(&c.SendRate, 60)
	if c.Tick != 0 && (c.Tick < 8 || c.Tick > datagramRate) || c.InputDelay < 0 || c.InputDelay > maxDelay {
		panic("session: ClientConfig.Tick is 0 or 8 to 500 and InputDelay 0 to 250 ms")
	}
	if c.Mode >= remote.Replay {
		panic("session: ClientConfig.Mode must be a mode of a match, below remote.Replay")
	}
	if len(c.JoinOptions) > MaxOptions || !utf8.ValidString(c.JoinOptions) || c.SendRate < 1 || c.SendRate > datagramRate {
		panic("session: ClientConfig.JoinOptions is at most 256 bytes of UTF-8, and SendRate 1 to 500")
	}
}

// NewClient returns a client that has not said hello yet.
func NewClient[S comparable, C any](game Game[S, C], config ClientConfig) *Client[S, C] {
	config.check()
	c := new(Client[S, C])
	c.reset(game, config)
	return c
}

// reset makes c a client that has not said hello yet.
func (c *Client[S, C]) reset(game Game[S, C], config ClientConfig) {
	*c = Client[S, C]{config: config}
	c.rules = newRules(game, nil)
	c.fields = field.NewMirror(c.rules.specs)
	c.combat = game.Combat.NewPredictor((*combatEvents[S, C])(c), game.targets())
	c.uplink.delay.wanted, c.pending.rules = config.InputDelay, &c.rules
}

// SetMatch sets which of a host's matches the next Hello is for, by default the host's choice: a name of at most 200
// bytes of UTF-8, or it panics. It is the match that the answer to the join request names.
func (c *Client[S, C]) SetMatch(name string) {
	if len(name) > maxText || !utf8.ValidString(name) {
		panic("session: the name of a match has at most 200 bytes of UTF-8: see join.Answer.Match")
	}
	c.match = name
}

// SetToken sets the connect token of the next Hello, as the game's backend has issued it: at most MaxToken
// bytes of UTF-8, or it panics. A server in open mode needs none.
func (c *Client[S, C]) SetToken(token string) {
	if len(token) > MaxToken || !utf8.ValidString(token) {
		panic("session: a connect token has at most 2048 bytes of UTF-8: see package token")
	}
	c.token = token
}

// Hello requests a seat under a name. With the key of an earlier session it requests the seat of that session.
// It panics on a name that CheckName refuses.
func (c *Client[S, C]) Hello(name string, key Key) {
	if err := CheckName(name); err != nil {
		panic(err.Error())
	}
	if c.greeted {
		panic("session: a Client says Hello once: make another for another session")
	}
	c.greeted = true
	h := hello{magic, Version, formatOf(&c.rules.game), c.match, name, key, c.token, c.config.JoinOptions}
	c.message(0, messageHello, h.pack)
}

// Leave gives the seat up.
func (c *Client[S, C]) Leave() {
	c.message(0, messageLeave, func(*bits.Packer) {})
	c.phase = Ended
}

// SendMessage sends the server a message of the game's, reliably and in order: at most
// MaxMessage bytes, and no more than 30 messages and 16 KiB a second in the long
// run (120 and 64 KiB at once), or the server ends the session.
func (c *Client[S, C]) SendMessage(b []byte) {
	c.message(0, messageGame, func(p *bits.Packer) { p.Blob(&b, MaxMessage) })
}

// EnterWorld sets the level, which the event Welcomed named by its hash.
func (c *Client[S, C]) EnterWorld(world *collide.World) {
	if c.phase != Loading {
		panic("session: EnterWorld belongs after Welcomed, once")
	}
	// The level may be shared by several clients of a process, and each knows other triggers.
	world = world.WithTriggers(&c.triggers.log)
	c.rules.view.World, c.scene.World = world, world
	c.phase = Syncing
}

// Phase returns how far the client has got in joining.
func (c *Client[S, C]) Phase() Phase { return c.phase }

// ID returns the player's number, 0 before Welcomed.
func (c *Client[S, C]) ID() PlayerID { return c.id }

// Key returns the secret by which the player may come back; see Hello.
func (c *Client[S, C]) Key() Key { return c.key }

// Now returns the match time at a local time, by this client's estimate.
func (c *Client[S, C]) Now(local clock.Micros) clock.Micros { return c.clock.Now(local) }

// ApplyCorrection applies a correction that has come, so that Self and Eye are what the
// next command starts from. Frame does it too.
func (c *Client[S, C]) ApplyCorrection() {
	if c.owner != nil {
		c.owner.ApplyCorrection()
		c.reportTeleports()
	}
}
