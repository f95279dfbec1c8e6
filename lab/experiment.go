package lab

import (
	"errors"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

// Server is the match under test. Whatever embeds a *session.Server has all of it
// but a Tick that reacts to events and sends.
type Server interface {
	Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error
	Tick(now clock.Micros)
	Outgoing() []session.Packet
	Observe(session.Observer)
	Players(into []session.PlayerInfo) []session.PlayerInfo
	Pose(session.PlayerID) (track.Sample, bool)
	Hash() uint64
}

// MoveEventSource is a Server that can say what happened in the move that it has just run.
type MoveEventSource interface{ Events() []movement.Event }

// Client is what the lab needs of one player's end. Whatever embeds a
// *session.Client has it.
type Client interface {
	Receive(ch session.Channel, local clock.Micros, b []byte) error
	Outgoing() []session.Packet
	Phase() session.Phase
	ID() session.PlayerID
	Now(local clock.Micros) clock.Micros
	Newest() uint32
	Position() geom.Vec3
	Offset() geom.Vec3
	Remotes() []track.Entity
	View() track.View
	SampleSource(track.ID) track.SampleSource
	FiredShots() []session.ClientShot
	LastCorrection() predict.Correction
	Stats() session.Stats
}

// Player is one participant.
type Player struct {
	// Name is how the result calls it; it must differ from the others'.
	Name   string
	Client Client
	// Play is one frame of the player's: t is match time since time zero by the
	// client's own estimate, and −1 before time zero.
	Play func(local, t clock.Micros)
	// Frames are in frames a second; several take turns every second of the
	// client's time, and are then whole. The phase is drawn from the seed. None
	// means 60.
	Frames []float64
	// Times are when the player has frames from time zero on, since then, in place of
	// Frames: as many as these. Nil is none.
	Times []clock.Micros
	// Network is the player's line.
	Network mem.Network
	// Rate is how fast this client's clock runs; zero means 1.
	Rate float64
	// Offset is what it shows too much.
	Offset clock.Micros
	// Hold is for how long, out of each Every from time zero on, what the player sends is
	// held back, to be let go at once: a lag switch. Where Every is zero, each packet is held
	// for so long. Zero is never.
	Hold, Every clock.Micros

	done  *[]ran // where recorded commands led
	asked *int   // counts the shots asked for; nil: those that were claimed
}

// ServerAction is something done to the match at a time since time zero, at the first
// tick at or after it, before that tick's moves.
type ServerAction struct {
	At clock.Micros
	Do func()
	// Player (index) and Kind are the event that the result tells of it; an empty
	// Kind is none.
	Player int
	Kind   string
}

// Fault is something that goes wrong for a player from a time since time zero on.
type Fault struct {
	Player  int // index
	At, For clock.Micros
	Kind    FaultKind
	// Frames are how many a second there are in the Background; zero is none.
	Frames float64
}

// FaultKind is what goes wrong.
type FaultKind uint8

// The kinds of Fault.
const (
	Partition  FaultKind = iota // nothing passes the network, either way
	Freeze                      // the player's process stands still
	Background                  // it has few frames, but hears what arrives
)

// Experiment is what to play.
type Experiment struct {
	Name     string
	Server   Server
	Players  []Player
	TickRate int
	// StartTime is the match time at which the experiment begins, for clocks that have
	// run for long (GAP-07); zero is a new match.
	StartTime    clock.Micros
	Duration clock.Micros // from time zero
	Seed     uint64
	// Zero is the match time of time zero; 0 is the first tick at which everybody plays.
	// It is an error where somebody does not by then.
	Zero clock.Micros
	// ServerActions and Faults are in order of time.
	ServerActions []ServerAction
	Faults []Fault
	// Weapons is the game's table, for names and reach; it may be empty.
	Weapons []shot.Weapon
	// Hitboxes are the figures of those who are shot at; nil is the rig.DefaultRig.
	Hitboxes rewind.HitboxProvider
	// BodyShape knows their bodies; nil: nothing is known of who is drawn inside the level.
	BodyShape session.BodyShape
	// World has the moving bodies that players ride on; nil: nobody does.
	World *collide.World
	// Truth is filled with where everybody was; nil is not wanted.
	Truth *Truth
	// Series asks for Result.Series.
	Series bool
	// Progress is told now and then how much match time has passed since time
	// zero, and may end the run by returning false. Nil is nobody.
	Progress func(done clock.Micros) bool
}

// ErrStopped is a run that was ended by Progress, or by its context.
var ErrStopped = errors.New("lab: stopped")

// joinBy is how long everybody may take to be ready.
const joinBy = 20 * clock.Second

// Run plays the experiment and returns what was measured from time zero on: the
// first tick at which everybody plays. Players have the ids 1, 2, … in their
// order, if they say hello before Run and not later. It is an error where somebody
// is not ready within 20 s, and ErrStopped where Progress says so.
func Run(e Experiment) (*Result, error) {
	r := newRun(e)
	r.welcome()
	for tick := r.first(); !r.over(); tick++ {
		if err := r.step(clock.TickTime(tick, e.TickRate)); err != nil {
			return nil, err
		}
	}
	return r.result(), nil
}

// rehearse returns the match time at which Run would begin to measure.
func rehearse(e Experiment) (clock.Micros, error) {
	r := newRun(e)
	r.welcome()
	for tick := r.first(); r.zero < 0; tick++ {
		if err := r.step(clock.TickTime(tick, e.TickRate)); err != nil {
			return 0, err
		}
	}
	return r.zero, nil
}

// first is the number of the first tick.
func (r *run) first() int64 { return int64(r.StartTime)*int64(r.TickRate)/int64(clock.Second) + 1 }
