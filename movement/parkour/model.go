package parkour

import (
	"github.com/backstep-net/backstep/movement"
)

// The modes of this package. A game's own modes are others, from movement.Custom on.
const (
	Ladder movement.Mode = movement.Custom + 8 + iota // on a ladder
	Mantle                                            // on the way onto a ledge
)

// ProneButton is the bit of movement.Command.Buttons that is held to lie prone. The other
// bits are the game's.
const ProneButton uint8 = 1 << 7

// Model is the tunables of movement and of this package. Begin with DefaultModel. Client
// and server must use equal Models. It is read only during a step and may be shared.
type Model struct {
	movement.Model

	// ClimbSpeed in m/s on ladders, up, down and along. Default 2.5. Zero only hangs on.
	ClimbSpeed float64
	// LadderReach is how far from the wall, in metres, a character grabs a ladder. Default
	// 0.5. Zero grabs none.
	LadderReach float64
	// LadderTop in metres is how far below the top of the wall a climber mantles onto it.
	// Default 1. Zero: it does not.
	LadderTop float64
	// LadderJumpOut and LadderJumpUp in m/s are the velocity of a leap off a ladder: away
	// from the wall and upwards. Default 3 and 3.
	LadderJumpOut, LadderJumpUp float64
	// LadderCooldown in seconds is for how long a character that left a ladder grabs none.
	// Default 0.4.
	LadderCooldown float64

	// MantleReach is how far ahead, in metres, a ledge is mantled. Default 0.5. Zero
	// mantles only what the character touches, and so rarely anything.
	MantleReach float64
	// MaxMantle is the highest ledge above the feet, in metres; those not above StepHeight
	// are steps. Default 2.1. Zero mantles nothing.
	MaxMantle float64
	// LowLedge in metres is up to which height a ledge counts as low. Default 1.1.
	LowLedge float64
	// LowMantleSpeed and HighMantleSpeed in m/s are the speeds along the path onto low and
	// high ledges. Default 4.5 and 2.5; at least 0.1.
	LowMantleSpeed, HighMantleSpeed float64
	// MantleExitSpeed in m/s is the speed ahead at the end of a mantle. Default 2. Zero
	// stands.
	MantleExitSpeed float64

	// SlideFrom in m/s is the least speed to begin a slide with. Default 6.5, more than a
	// walk. A game that has no slides sets it beyond its speeds.
	SlideFrom float64
	// SlideUntil in m/s is the speed below which a slide ends. Default 2.5.
	SlideUntil float64
	// SlideFriction in m/s² slows a slide on any ground. Default 3. Zero slides on.
	SlideFriction float64
	// SlideGravity is the share of gravity that acts along a slope, 0 … 1. Default 1.
	SlideGravity float64
	// SlideTurn in rad/s is how fast input aside turns a slide. Default 0.7.
	SlideTurn float64
	// SlideMaxSpeed in m/s is what a slope speeds a slide up to. Default 14.
	SlideMaxSpeed float64
	// SlideCooldown in seconds from the end of a slide until the next. Default 0.5.
	SlideCooldown float64

	// ProneHalfHeight of the capsule while prone, in metres, at least Radius. Default 0.34,
	// a ball.
	ProneHalfHeight float64
	// ProneSpeed in m/s while prone, at most MaxCrouchedSpeed. Default 1. Zero cannot crawl.
	ProneSpeed float64
}

// DefaultModel returns movement.DefaultModel, with a sprint of 8 m/s and a crouched
// half-height of 0.6 m, which leaves room for lying lower, and the defaults of this package.
func DefaultModel() Model {
	m := Model{Model: movement.DefaultModel()}
	m.MaxSprintSpeed, m.CrouchedHalfHeight, m.CrouchedEyeHeight = 8, 0.6, 1.0
	for _, t := range m.tunables() {
		*t.field = t.usual
	}
	return m
}

// tunable is one tunable of a Model: its name, its default, and the least and the greatest
// value that Check allows.
type tunable struct {
	name            string
	field           *float64
	usual, min, max float64
}

// tunables returns those of this package, in the order of Model.
func (m *Model) tunables() []tunable {
	const far, fast = 1e3, 1e4
	return []tunable{
		{"ClimbSpeed", &m.ClimbSpeed, 2.5, 0, fast},
		{"LadderReach", &m.LadderReach, 0.5, 0, far},
		{"LadderTop", &m.LadderTop, 1, 0, far},
		{"LadderJumpOut", &m.LadderJumpOut, 3, 0, fast},
		{"LadderJumpUp", &m.LadderJumpUp, 3, 0, fast},
		{"LadderCooldown", &m.LadderCooldown, 0.4, 0, far},
		{"MantleReach", &m.MantleReach, 0.5, 0, far},
		{"MaxMantle", &m.MaxMantle, 2.1, 0, far},
		{"LowLedge", &m.LowLedge, 1.1, 0, far},
		{"LowMantleSpeed", &m.LowMantleSpeed, 4.5, 0.1, fast},
		{"HighMantleSpeed", &m.HighMantleSpeed, 2.5, 0.1, fast},
		{"MantleExitSpeed", &m.MantleExitSpeed, 2, 0, fast},
		{"SlideFrom", &m.SlideFrom, 6.5, 0, fast},
		{"SlideUntil", &m.SlideUntil, 2.5, 0, fast},
		{"SlideFriction", &m.SlideFriction, 3, 0, fast},
		{"SlideGravity", &m.SlideGravity, 1, 0, 1},
		{"SlideTurn", &m.SlideTurn, 0.7, 0, fast},
		{"SlideMaxSpeed", &m.SlideMaxSpeed, 14, 0, fast},
		{"SlideCooldown", &m.SlideCooldown, 0.5, 0, far},
		{"ProneHalfHeight", &m.ProneHalfHeight, 0.34, m.Radius, m.CrouchedHalfHeight},
		{"ProneSpeed", &m.ProneSpeed, 1, 0, max(m.MaxCrouchedSpeed, 0)},
	}
}

// Check returns an error for the first tunable out of its bounds, as movement.Model.Check
// does, or nil.
func (m *Model) Check() error {
	for _, t := range m.tunables() {
		if v := *t.field; !(v >= t.min && v <= t.max) {
			return &movement.BadTunable{Name: t.name, Value: v, Min: t.min, Max: t.max}
		}
	}
	return m.Model.Check()
}
