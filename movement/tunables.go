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

// tunable is one tunable: the name of its field, the field, which is a number, a yes or
// no or a count, and its bounds.
type tunable struct {
	name     string
	number   *float64
	yes      *bool
	count    *int
	min, max float64
}

// value returns the tunable as a number.
func (t *tunable) value() float64 {
	switch {
	case t.number != nil:
		return *t.number
	case t.count != nil:
		return float64(*t.count)
	}
	return 0
}

// tunables returns all of them, in the order of Model.
func (m *Model) tunables() []tunable {
	const far, fast = 1e3, 1e4
	return []tunable{
		{name: "Radius", number: &m.Radius, min: 0.01, max: far},
		{name: "HalfHeight", number: &m.HalfHeight, min: m.Radius, max: far},
		{name: "CrouchedHalfHeight", number: &m.CrouchedHalfHeight, min: m.Radius, max: m.HalfHeight},
		{name: "EyeHeight", number: &m.EyeHeight, min: 0, max: far},
		{name: "CrouchedEyeHeight", number: &m.CrouchedEyeHeight, min: 0, max: far},
		{name: "Mass", number: &m.Mass, min: 1e-8, max: 1e9}, // GAP-31
		{name: "MaxWalkSpeed", number: &m.MaxWalkSpeed, min: 0, max: fast},
		{name: "MaxCrouchedSpeed", number: &m.MaxCrouchedSpeed, min: 0, max: fast},
		{name: "MaxSprintSpeed", number: &m.MaxSprintSpeed, min: 0, max: fast},
		{name: "MinAnalogSpeed", number: &m.MinAnalogSpeed, min: 0, max: fast},
		{name: "MaxAcceleration", number: &m.MaxAcceleration, min: 0, max: fast},
		{name: "GroundFriction", number: &m.GroundFriction, min: 0, max: fast},
		{name: "BrakingFrictionFactor", number: &m.BrakingFrictionFactor, min: 0, max: fast},
		{name: "SeparateBrakingFriction", yes: &m.SeparateBrakingFriction},
		{name: "BrakingFriction", number: &m.BrakingFriction, min: 0, max: fast},
		{name: "BrakingDeceleration", number: &m.BrakingDeceleration, min: 0, max: fast},
		{name: "BrakingSubStep", number: &m.BrakingSubStep, min: 0, max: 1},
		{name: "MaintainHorizontal", yes: &m.MaintainHorizontal},
		{name: "StepHeight", number: &m.StepHeight, min: 0, max: m.HalfHeight},
		{name: "WalkableSlope", number: &m.WalkableSlope, min: 0, max: math.Pi / 2},
		{name: "PerchRadius", number: &m.PerchRadius, min: 0, max: m.Radius},
		{name: "PerchHeight", number: &m.PerchHeight, min: 0, max: far},
		{name: "WalkOffLedges", yes: &m.WalkOffLedges},
		{name: "CatchAir", number: &m.CatchAir, min: 0, max: fast},
		{name: "Gravity", number: &m.Gravity, min: 0, max: fast},
		{name: "TerminalSpeed", number: &m.TerminalSpeed, min: 0, max: fast},
		{name: "JumpSpeed", number: &m.JumpSpeed, min: 0, max: fast},
		{name: "MaxJumps", count: &m.MaxJumps, min: 0, max: 255},
		{name: "AirControl", number: &m.AirControl, min: 0, max: 1},
		{name: "AirControlBoost", number: &m.AirControlBoost, min: 0, max: fast},
		{name: "AirControlBoostSpeed", number: &m.AirControlBoostSpeed, min: 0, max: fast},
		{name: "MaxJumpHold", number: &m.MaxJumpHold, min: 0, max: far},
		{name: "FallingFriction", number: &m.FallingFriction, min: 0, max: fast},
		{name: "FallingBraking", number: &m.FallingBraking, min: 0, max: fast},
		{name: "MaxSwimSpeed", number: &m.MaxSwimSpeed, min: 0, max: fast},
		{name: "SwimBraking", number: &m.SwimBraking, min: 0, max: fast},
		{name: "FluidFriction", number: &m.FluidFriction, min: 0, max: fast},
		{name: "Buoyancy", number: &m.Buoyancy, min: 0, max: 2},
		{name: "JumpOutSpeed", number: &m.JumpOutSpeed, min: 0, max: fast},
		{name: "MaxFlySpeed", number: &m.MaxFlySpeed, min: 0, max: fast},
		{name: "FlyBraking", number: &m.FlyBraking, min: 0, max: fast},
		{name: "Facing", count: (*int)(&m.Facing), min: 0, max: float64(TurnToMotion)},
		{name: "TurnRate", number: &m.TurnRate, min: 0, max: fast},
		{name: "KeepBaseVelocity", yes: &m.KeepBaseVelocity},
		{name: "KeepBaseLift", yes: &m.KeepBaseLift},
		{name: "RideTurn", yes: &m.RideTurn},
		{name: "PushForce", number: &m.PushForce, min: 0, max: 1e9},
		{name: "StandWeight", number: &m.StandWeight, min: 0, max: 1},
		{name: "Repulsion", number: &m.Repulsion, min: 0, max: fast},
		{name: "NavInterval", number: &m.NavInterval, min: 0, max: far},
	}
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
	for _, t := range new(Model).tunables() {
		names = append(names, snakeCase(t.name))
	}
	return names
}

// Set sets the tunable of that name, the field's in snake_case, to a number in the
// field's unit; for a yes or no, 0 is no and all else yes. A count is rounded down.
// For any other name it returns ErrNoTunable. It does not check the number: Check does.
func (m *Model) Set(name string, value float64) error {
	for _, t := range m.tunables() {
		if snakeCase(t.name) != name {
			continue
		}
		switch {
		case t.number != nil:
			*t.number = value
		case t.yes != nil:
			*t.yes = value != 0
		default:
			*t.count = countOf(value)
		}
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

// countOf returns a number as an int; beyond what Check allows it is −1.
func countOf(value float64) int {
	if !(value >= 0 && value <= 1e6) {
		return -1
	}
	return int(value)
}
