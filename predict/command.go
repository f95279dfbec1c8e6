package predict

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// TimeQuantum is the unit of a move's time: stamps and durations are multiples of it, so
// that they are short on the wire. What a frame lasts beyond a multiple the next one
// gets.
const TimeQuantum = 40 * clock.Microsecond

// Bounds that both ends keep.
const (
	// MaxDuration is the longest one move may last, also of several combined; an
	// owner's longer frame is cut to it while its stamp goes on (TIM-04).
	MaxDuration = 125 * clock.Millisecond
	// MaxMoves is the most moves one packet carries: 2 s at 60 a second, so that one
	// packet may heal what an Owner keeps by default.
	MaxMoves = 120
)

// Command is one move: what to simulate and for how long.
type Command[C any] struct {
	// Number counts an owner's moves: 1, 2, 3, …, through 2³² − 1 to 0 and on.
	Number uint32
	// Stamp is the match time at which the move ends, a multiple of Grain. It grows
	// from move to move by Duration, and by more only where the owner's frame took longer than
	// MaxDuration. So it is also the platform time: the instant at which the move
	// meets whatever is a function of match time. An authority takes none that is
	// more than Limits.MaxTimeDiscrepancy ahead of the match or Limits.MaxMoveAge behind it.
	Stamp clock.Micros
	// Duration is what is simulated, Grain … MaxDuration, a multiple of Grain.
	Duration clock.Micros
	// Input is the game's own part, quantised before it is simulated.
	Input C
}

// Rules is what predict must know of a game. S is the state that one move hands to
// the next, plain data that == compares; C is the input of one move. Every method
// must be deterministic and keep none of its pointers.
type Rules[S comparable, C any] interface {
	// Step simulates one move: c.Input for c.Duration. c.Stamp is the instant at
	// which it ends, the same on both ends, so what the world is at that instant (a
	// lift's height) may be asked there. It must not change c: replays use it again.
	Step(s *S, c *Command[C])
	// Carry strips from an input what happens once (a shot, a jump's press) and
	// leaves what is held: input for time whose own moves were lost. What is carried
	// already it leaves as it is.
	Carry(c *C)
	// PackCommand packs an input without loss. before is the input that precedes it
	// in the packet, for coding differences, and the zero C for the first; it must
	// not be changed. When reading, c comes zeroed.
	PackCommand(p *bits.Packer, c, before *C)
	// PackState packs a state without loss.
	PackState(p *bits.Packer, s *S)
	// Position is where the character is, in metres, for the error test and the view
	// error. On a moving base it may be in the base's frame if Digest names the base.
	Position(s *S) geom.Vec3
	// Digest sums up what is discrete in the state (mode, stance, ammunition): where
	// digests differ, the error test fails whatever the distance. A move that changes it
	// is sent at once and rides in packets until it is acknowledged.
	Digest(s *S) uint16
	// Combine reports whether one longer move may take the place of two that follow
	// each other (rows CMB): first, which led from start to between, and second, which
	// is not simulated yet. The one has second's input and stamp and lasts as long as
	// both. Both ends simulate it in one step, so a yes is never wrong, but what the
	// two would have done apart may be lost: a turn, a press, a shot. False is always
	// right.
	Combine(start, between *S, first, second *Command[C]) bool
	// Differ appends to into what of truth is not as predicted, the most telling
	// first, for people who ask why they were corrected (ACK-14). It may append
	// nothing.
	Differ(predicted, truth *S, into []Difference) []Difference
}

// Difference is one field in which a prediction was wrong.
type Difference struct {
	// Field is its name, a constant: "position", "mode", "ammo".
	Field string
	// By is by how much, in the field's own unit (m, m/s, rad, rounds); 1 where it is
	// only equal or not.
	By float64
}

// Verdict is what an authority answers: how far it got and, where the owner was
// wrong, what is true.
type Verdict[S comparable] struct {
	// Number is the newest move that was run; it and all before it are done with.
	Number uint32
	// Correction says that State is meant: the state after move Number.
	Correction bool
	// Cause says why, of a correction; of several that are not confirmed, why the
	// newest was begun.
	Cause Cause
	// Places counts placements, wrapping, so that an owner whom another correction
	// reached first knows that it was placed all the same.
	Places uint8
	// Epoch counts corrections, wrapping. An owner's packets name the newest that it
	// applied; moves made before that are never corrected again.
	Epoch uint8
	State S
}

// Cause says why an authority corrects an owner.
type Cause uint8

// The causes.
const (
	// Misprediction: the owner's prediction was wrong.
	Misprediction Cause = iota
	// ServerForce: something that no owner could foresee changed the state: a push, a
	// mode that the server sets (RMS-21). The path goes on from there.
	ServerForce
	// Teleport: the server put the character there: a spawn, a teleport.
	Teleport
	// Timeout: the owner was silent for so long that the server went on without it,
	// and what it had done meanwhile came too late (GAP-11).
	Timeout
	// Throttle: the owner's time ran ahead, and its moves are cut until it is paid back
	// (TIM-13).
	Throttle
)

// PackVerdict packs v: 33 bits, or 52 and the state for a correction.
func PackVerdict[S comparable, C any](p *bits.Packer, rules Rules[S, C], v *Verdict[S]) {
	p.Uint32(&v.Number)
	p.Bool(&v.Correction)
	if v.Correction {
		cause := int(v.Cause)
		p.Ranged(&cause, 0, int(Throttle))
		v.Cause = Cause(cause)
		p.Byte(&v.Places)
		p.Byte(&v.Epoch)
		rules.PackState(p, &v.State)
	}
}

// newer returns by how many numbers a is newer than b, negative where it is older;
// numbers wrap.
func newer(a, b uint32) int { return int(int32(a - b)) }
