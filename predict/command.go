package predict

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// TimeQuantum is the unit of a move's time: stamps and durations are multiples of it, so
// they are short on the wire. The remainder of a frame is added to the next one.
const TimeQuantum = 40 * clock.Microsecond

// Bounds on both ends.
const (
	// MaxDuration is the longest duration of one move, combined or not. A longer frame makes
	// a move of MaxDuration with the stamp of the whole frame (TIM-04); see MaxGap.
	MaxDuration = 125 * clock.Millisecond
	// MaxMoves is the most moves in one packet: 2 s at 60 a second, so that one packet can
	// bring everything that an Owner keeps by default.
	MaxMoves = 120
)

// Command is one move: an input and how long to simulate it.
type Command[C any] struct {
	// Number counts an owner's moves from 1 and wraps after 2³² − 1.
	Number uint32
	// Stamp is the match time at which the move ends, a multiple of TimeQuantum. It grows by
	// Duration from move to move, and by more only after a frame longer than MaxDuration. It
	// is also the platform time: everything that is a function of match time is evaluated
	// at Stamp. An authority accepts stamps from Limits.MaxMoveAge before to
	// Limits.MaxTimeDiscrepancy after the match time.
	Stamp clock.Micros
	// Duration is the time to simulate, TimeQuantum … MaxDuration, a multiple of TimeQuantum.
	Duration clock.Micros
	// Input is the game's part, quantised before it is simulated.
	Input C
}

// Rules is a game as predict sees it. S is the state that one move hands to the next, plain
// data that == compares; C is the input of one move. Every method must be deterministic and
// must not keep its pointers.
type Rules[S comparable, C any] interface {
	// Step simulates one move: c.Input for c.Duration. It ends at c.Stamp on both ends, so
	// the step may use anything that is a function of that time, such as the height of a
	// lift. It must not change c, which replays use again.
	Step(s *S, c *Command[C])
	// ClearOneTime removes one-time input (a shot, the press of a jump) and leaves held input: the
	// result is the input for time whose own moves are missing. It is idempotent.
	ClearOneTime(c *C)
	// PackCommand packs an input without loss. before is the input before it in the packet,
	// for delta coding, or the zero C; it must not be changed. When reading, c is zero.
	PackCommand(p *bits.Packer, c, before *C)
	// PackState packs a state without loss.
	PackState(p *bits.Packer, s *S)
	// Position returns the position of the character, in metres, for the error test and the
	// view error. On a moving base it may be in the base's frame if Digest covers the base.
	Position(s *S) geom.Vec3
	// Digest is a hash of the discrete part of the state (mode, stance, ammunition). Where
	// digests differ the error test fails at any distance.
	Digest(s *S) uint16
	// Important reports whether others should see soon what a move did that led from before to
	// after: a shot, a jump, a landing. It is sent at once, and in more packets than others
	// (CMD-10). A countdown in the state is no reason: it would make every move important.
	Important(before, after *S, c *Command[C]) bool
	// Combine reports whether one longer move may replace two successive ones (rows CMB):
	// first, which led from start to between, and second, which is not simulated yet. The
	// longer move has the input and stamp of second and lasts as long as both. Both ends
	// simulate it in one step, so true never causes a correction, but what only the first
	// input does can be lost: a turn, a press, a shot. False is always safe.
	Combine(start, between *S, first, second *Command[C]) bool
	// Differ appends the fields in which truth is not as predicted to into, the most
	// significant first, to explain corrections (ACK-14). It may append nothing.
	Differ(predicted, truth *S, into []Difference) []Difference
}

// Difference is one field in which a prediction was wrong.
type Difference struct {
	// Field is the name of the field, a constant: "position", "mode", "ammo".
	Field string
	// By is the size of the difference, in the field's own unit (m, m/s, rad, rounds); 1 for
	// a field that is only equal or not.
	By float64
}

// Verdict is an authority's answer: the newest move that it has run and, where the owner must
// be corrected, the true state.
type Verdict[S comparable] struct {
	// Number is the newest move that was run or refused; the owner may forget the moves up to it.
	Number uint32
	// Correction says that State is valid: the true state after move Number.
	Correction bool
	// Cause says why the newest of the corrections that no packet has shown as applied was begun.
	Cause Cause
	// Teleports counts teleports, wrapping, so that an owner that receives a later correction
	// first still knows that it was teleported.
	Teleports uint8
	// Yaw and Pitch are the view direction that the newest teleport set, in rad (Authority.SetState). State may have
	// been turned since, by moves that were on their way.
	Yaw, Pitch float64
	// Epoch counts corrections, wrapping. An owner's packets name the newest one that it has
	// applied; moves made before that are not corrected again.
	Epoch uint8
	// State is the true state after move Number. Without Correction it means nothing.
	State S
}

// Cause says why an authority corrects an owner.
type Cause uint8

// The causes.
const (
	// Misprediction: the owner's claim failed the error test.
	Misprediction Cause = iota
	// ServerForce: the server changed the state in a way that the owner cannot predict: a
	// push, a mode that it sets (RMS-21). The motion continues from there.
	ServerForce
	// Teleport: the server put the character into a new state: a spawn, a teleport.
	Teleport
	// Timeout: the owner was silent for so long that the server simulated time without it, and
	// its moves for that time arrived too late (GAP-11).
	Timeout
	// Throttle: the owner's time ran ahead, and its moves are cut until that is paid back
	// (TIM-13).
	Throttle
)

// PackVerdict packs v in 33 bits, or 84 and the state for a correction. An unknown cause is
// an error.
func PackVerdict[S comparable, C any](p *bits.Packer, rules Rules[S, C], v *Verdict[S]) {
	p.Uint32(&v.Number)
	p.Bool(&v.Correction)
	if v.Correction {
		cause := int(v.Cause)
		p.Ranged(&cause, 0, int(Throttle))
		v.Cause = Cause(cause)
		p.Byte(&v.Teleports)
		p.Angle16(&v.Yaw)
		p.Angle16(&v.Pitch)
		p.Byte(&v.Epoch)
		rules.PackState(p, &v.State)
	}
}

// newer returns by how many numbers a is newer than b, negative where a is older. Numbers wrap.
func newer(a, b uint32) int { return int(int32(a - b)) }
