package movement

import (
	"errors"
	"math"
	"strconv"
)

// String returns the mode's name as files spell it: none, walking, falling, swimming,
// flying, nav_walking, path; a game's own modes are custom_0, custom_1 and so on.
func (m Mode) String() string {
	names := [...]string{"none", "walking", "falling", "swimming", "flying", "nav_walking", "path"}
	switch {
	case int(m) < len(names):
		return names[m]
	case m >= Custom:
		return "custom_" + strconv.Itoa(int(m-Custom))
	}
	return "unknown"
}

// ErrNoTunable is returned for a name that no tunable of a Model has.
var ErrNoTunable = errors.New("movement: no such tunable")

// BadTunable is a tunable of a Model that no character can have.
type BadTunable struct {
	// Name of the field in Go.
	Name string
	// Value that it has, in the unit of the field.
	Value float64
	// Min and Max are the least and the greatest value allowed.
	Min, Max float64
}

// Error names the tunable, its value and its bounds.
func (e *BadTunable) Error() string {
	return "movement: " + e.Name + " is " + number(e.Value) + ", not within " +
		number(e.Min) + " … " + number(e.Max)
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// tunable is one tunable of a Model.
type tunable struct {
	name     string  // of the field in Go
	field    any     // a pointer to it: *float64, *int or *bool, which is 0 or 1 as a number
	usual    float64 // of DefaultModel
	min, max float64
}

// value returns the tunable as a number.
func (t *tunable) value() float64 {
	switch field := t.field.(type) {
	case *float64:
		return *field
	case *int:
		return float64(*field)
	case *bool:
		if *field {
			return 1
		}
	}
	return 0
}

// set sets the tunable from a number. A count is rounded down; what Check refuses anyway
// is −1.
func (t *tunable) set(value float64) {
	switch field := t.field.(type) {
	case *float64:
		*field = value
	case *bool:
		*field = value != 0
	case *int:
		if *field = -1; value >= 0 && value <= 1e6 {
			*field = int(value)
		}
	}
}

// tunables returns all of them, in the order of Model: the one list from which
// DefaultModel, Check, Set and TunableNames follow. A line is the name, the field, its
// default, and the least and the greatest value that Check allows.
func (m *Model) tunables() []tunable {
	const far, fast = 1e3, 1e4
	return []tunable{
		{"Radius", &m.Radius, 0.34, 0.01, far},
		{"HalfHeight", &m.HalfHeight, 0.88, m.Radius, far},
		{"CrouchedHalfHeight", &m.CrouchedHalfHeight, 0.40, m.Radius, m.HalfHeight},
		{"EyeHeight", &m.EyeHeight, 1.52, 0, far},
		{"CrouchedEyeHeight", &m.CrouchedEyeHeight, 0.72, 0, far},
		{"Mass", &m.Mass, 100, 1e-8, 1e9}, // GAP-31
		{"MaxWalkSpeed", &m.MaxWalkSpeed, 6, 0, fast},
		{"MaxCrouchedSpeed", &m.MaxCrouchedSpeed, 3, 0, fast},
		{"MaxSprintSpeed", &m.MaxSprintSpeed, 0, 0, fast},
		{"SprintCone", &m.SprintCone, math.Pi / 3, 0, math.Pi},
		{"SprintAccelerationFactor", &m.SprintAccelerationFactor, 1, 0, fast},
		{"MinAnalogSpeed", &m.MinAnalogSpeed, 0, 0, fast},
		{"MaxAcceleration", &m.MaxAcceleration, 20.48, 0, fast},
		{"GroundFriction", &m.GroundFriction, 8, 0, fast},
		{"BrakingFrictionFactor", &m.BrakingFrictionFactor, 2, 0, fast},
		{"SeparateBrakingFriction", &m.SeparateBrakingFriction, 0, 0, 1},
		{"BrakingFriction", &m.BrakingFriction, 0, 0, fast},
		{"BrakingDeceleration", &m.BrakingDeceleration, 20.48, 0, fast},
		{"BrakingSubStep", &m.BrakingSubStep, 1.0 / 33, 0, 1},
		{"MaintainHorizontal", &m.MaintainHorizontal, 1, 0, 1},
		{"StepHeight", &m.StepHeight, 0.45, 0, m.HalfHeight},
		{"WalkableSlope", &m.WalkableSlope, 44.765 * math.Pi / 180, 0, math.Pi / 2},
		{"PerchRadius", &m.PerchRadius, 0, 0, m.Radius},
		{"PerchHeight", &m.PerchHeight, 0.40, 0, far},
		{"WalkOffLedges", &m.WalkOffLedges, 1, 0, 1},
		{"CatchAir", &m.CatchAir, 0, 0, fast},
		{"Gravity", &m.Gravity, 9.8, 0, fast},
		{"TerminalSpeed", &m.TerminalSpeed, 40, 0, fast},
		{"JumpSpeed", &m.JumpSpeed, 4.2, 0, fast},
		{"MaxJumps", &m.MaxJumps, 1, 0, 255},
		{"AirControl", &m.AirControl, 0.05, 0, 1},
		{"AirControlBoost", &m.AirControlBoost, 2, 0, fast},
		{"AirControlBoostSpeed", &m.AirControlBoostSpeed, 0.25, 0, fast},
		{"MaxJumpHold", &m.MaxJumpHold, 0, 0, far},
		{"FallingFriction", &m.FallingFriction, 0, 0, fast},
		{"FallingBraking", &m.FallingBraking, 0, 0, fast},
		{"MaxSwimSpeed", &m.MaxSwimSpeed, 3, 0, fast},
		{"SwimBraking", &m.SwimBraking, 0, 0, fast},
		{"FluidFriction", &m.FluidFriction, 0.3, 0, fast},
		{"Buoyancy", &m.Buoyancy, 1, 0, 2},
		{"JumpOutSpeed", &m.JumpOutSpeed, 4.2, 0, fast},
		{"MaxFlySpeed", &m.MaxFlySpeed, 6, 0, fast},
		{"FlyBraking", &m.FlyBraking, 2, 0, fast},
		{"Facing", (*int)(&m.Facing), 0, 0, float64(TurnToMotion)},
		{"TurnRate", &m.TurnRate, 2 * math.Pi, 0, fast},
		{"KeepBaseVelocity", &m.KeepBaseVelocity, 1, 0, 1},
		{"KeepBaseLift", &m.KeepBaseLift, 1, 0, 1},
		{"RideTurn", &m.RideTurn, 1, 0, 1},
		{"PushForce", &m.PushForce, 500, 0, 1e9},
		{"StandWeight", &m.StandWeight, 1, 0, 1},
		{"Repulsion", &m.Repulsion, 10, 0, fast},
		{"NavInterval", &m.NavInterval, 0.1, 0, far},
	}
}

// DefaultModel returns the vanilla character of the specification.
func DefaultModel() Model {
	var m Model
	for _, t := range m.tunables() {
		t.set(t.usual)
	}
	return m
}

// Check returns a *BadTunable for the first tunable out of its bounds, an error
// that names the first of Paths that cannot be followed, a *rootmotion.BadLibrary
// for what of Motion makes no sense, or nil.
func (m *Model) Check() error {
	for _, t := range m.tunables() {
		if v := t.value(); !(v >= t.min && v <= t.max) {
			return &BadTunable{t.name, v, t.min, t.max}
		}
	}
	if len(m.Paths) > math.MaxUint16 {
		return &BadTunable{"Paths", float64(len(m.Paths)), 0, math.MaxUint16}
	}
	for i := range m.Paths {
		if err := m.Paths[i].Check(); err != nil {
			return errors.New("movement: path " + strconv.Itoa(i+1) + ": " + err.Error())
		}
	}
	if err := m.Plane.check(); err != nil {
		return err
	}
	return m.Motion.Check()
}

// TunableNames returns the names that Set knows, in the order of Model.
func TunableNames() []string {
	var names []string
	for _, t := range Tunables() {
		names = append(names, t.Name)
	}
	return names
}

// Tunable describes a tunable of a Model.
type Tunable struct {
	Field, Name       string  // of the field in Go, and as Set knows it
	Default, Min, Max float64 // of DefaultModel, and the bounds of Check for it, in the field's unit
}

// Tunables returns a description of every tunable, in the order of Model.
func Tunables() []Tunable {
	m := DefaultModel()
	var all []Tunable
	for _, t := range m.tunables() {
		all = append(all, Tunable{t.name, snakeCase(t.name), t.usual, t.min, t.max})
	}
	return all
}

// Set sets the tunable of that name, the field's in snake_case, to a number in the
// field's unit; for a yes or no, 0 is no and all else yes. A count is rounded down.
// For any other name it returns ErrNoTunable. It does not check the number: Check does.
func (m *Model) Set(name string, value float64) error {
	for _, t := range m.tunables() {
		if snakeCase(t.name) != name {
			continue
		}
		t.set(value)
		return nil
	}
	return ErrNoTunable
}

// snakeCase returns a field's name as files spell it: max_walk_speed for MaxWalkSpeed.
func snakeCase(field string) string {
	var out []byte
	for i := range len(field) {
		c := field[i]
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				out = append(out, '_')
			}
			c += 'a' - 'A'
		}
		out = append(out, c)
	}
	return string(out)
}
