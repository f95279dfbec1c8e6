package lab

import (
	"errors"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

// Server is the match under test. A type that embeds a *session.Server has all of it except a Tick
// that handles events and sends.
type Server interface {
	TickRate() int // ticks a second
	Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error
	Disconnect(session.Peer)
	Tick(now clock.Micros)
	Outgoing() []session.Packet
	Observe(session.Observer)
	Players(into []session.PlayerInfo) []session.PlayerInfo
	Pose(session.PlayerID) (track.Sample, bool)
	Hash() uint64
}

// MoveEventSource is a Server that reports the movement events of the move that it has just run.
type MoveEventSource interface{ Events() []movement.Event }

// Client is a player's client. A type that embeds a *session.Client has all of it.
type Client interface {
	Receive(ch session.Channel, local clock.Micros, b []byte) error
	Outgoing() []session.Packet
	Hello(name string, key session.Key)
	Reset()
	Key() session.Key
	Phase() session.Phase
	ID() session.PlayerID
	Now(local clock.Micros) clock.Micros
	Newest() uint32
	Position() geom.Vec3
	Offset() geom.Vec3
	Remotes() []track.Entity
	View() track.View
	SampleSource(track.ID) track.SampleSource
	FiredShots() []combat.ClientShot
	LastCorrection() predict.Correction
	Stats() session.Stats
}

// Player is one participant.
type Player struct {
	// Name is the player's name in results; unique.
	Name   string
	Client Client // the client under test
	// Play plays one frame: t is match time since time zero by the client's own estimate, and −1
	// before time zero.
	Play func(local, t clock.Micros)
	// Frames are display rates in Hz. Several alternate every second of the client's time, and are
	// then whole. The phase is drawn from the seed. None means 60.
	Frames []float64
	// Times are the times of all frames since time zero, which replace Frames. Nil is none.
	Times []clock.Micros
	// Network is the player's network.
	Network mem.Network
	// Rate is the speed of the client's clock; zero means 1.
	Rate float64
	// Offset is how far the clock is ahead.
	Offset clock.Micros
	// Hold is how long, out of each Every since time zero, the player's packets are held back and
	// then sent at once: a lag switch. Where Every is zero, each packet is delayed by Hold. Zero is
	// never.
	Hold, Every clock.Micros
	// Cheats lets the server refuse the player's packets. Of other players it must read each one.
	Cheats bool

	done  *[]ranCommand // where recorded commands led
	asked *int          // counts the shots asked for; nil: those that were claimed
}

// ServerAction is a timed action on the match.
type ServerAction struct {
	// At is the match time since time zero from which the action is due. It happens at the first
	// tick at or after At, before the moves of that tick.
	At clock.Micros
	// Do performs the action on the Server. It is called once and is not nil.
	Do func()
	// Player (an index) and Kind are the event of it in the result; an empty Kind is none.
	Player int
	Kind   string
}

// Experiment is a match to run.
type Experiment struct {
	// Name becomes Result.Name.
	Name string
	// Server is the match. Run delivers packets to it and calls its Tick.
	Server Server
	// Players join in this order and have the ids 1, 2, ….
	Players []Player
	// StartTime is the match time at which the experiment begins, for clocks that have run for
	// long (GAP-07); zero is a new match.
	StartTime clock.Micros
	Duration  clock.Micros // from time zero
	Seed      uint64       // of the networks' random draws and the phases of frames
	// Zero is the match time of time zero; 0 is the first tick at which all players play. It is an
	// error where a player does not play by then.
	Zero clock.Micros
	// ServerActions and Faults are in order of time.
	ServerActions []ServerAction
	Faults        []scenario.Fault // their players by Name
	// Weapons is the game's table, for names and reach; it may be empty.
	Weapons []shot.Weapon
	// Hitboxes provides the hitboxes of targets; nil is the rig.DefaultRig.
	Hitboxes rewind.HitboxProvider
	// BodyCapsule has the bodies of characters; nil: remote_inside is 0.
	BodyCapsule BodyCapsule
	// World has the movers that players ride; nil: there are none.
	World *collide.World
	// Truth is filled with the poses of all players; nil is not wanted.
	Truth *Truth
	// Series fills Result.Series.
	Series bool
	// Progress is called about four times per second of match time with the time since time zero.
	// It stops the run by returning false. Nil is not called.
	Progress func(done clock.Micros) bool
}

// ErrStopped reports a run that was stopped by Progress or by its context.
var ErrStopped = errors.New("lab: stopped")

// joinBy is the longest time until all players are ready.
const joinBy = 20 * clock.Second

// Run plays the experiment and returns what was measured since time zero, the first tick at which
// all players play. The players must have sent their hello before Run. It is an error where a player is not ready within 20 s, and ErrStopped where
// Progress stopped the run.
func Run(e Experiment) (*Result, error) {
	r := newRun(e)
	r.deliverHellos()
	for tick := r.first(); !r.over(); tick++ {
		if err := r.step(clock.TickTime(tick, e.Server.TickRate())); err != nil {
			return nil, err
		}
	}
	return r.result(), nil
}

// rehearse returns the match time of time zero in Run.
func rehearse(e Experiment) (clock.Micros, error) {
	r := newRun(e)
	r.deliverHellos()
	for tick := r.first(); r.zero < 0; tick++ {
		if err := r.step(clock.TickTime(tick, e.Server.TickRate())); err != nil {
			return 0, err
		}
	}
	return r.zero, nil
}

// first returns the number of the first tick.
func (r *run) first() int64 {
	return int64(r.StartTime)*int64(r.Server.TickRate())/int64(clock.Second) + 1
}
