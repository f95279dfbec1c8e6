package movement

import (
	"errors"
	"strconv"
)

// String is the mode's name as files spell it: none, walking, falling,
// swimming, flying, nav_walking, path; a game's
// own modes are custom_0, custom_1, ….
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

// ErrNoTunable is a name that no tunable of a Model has.
var ErrNoTunable = errors.New("movement: no such tunable")

// tunable is one tunable by the name that files call it.
type tunable struct {
	name   string
	number func(*Model) *float64
	yes    func(*Model) *bool
	count  func(*Model) *int
}

// tunables are all of them, in the order of Model.
func tunables() []tunable {
	return []tunable{
		{name: "radius", number: func(m *Model) *float64 { return &m.Radius }},
		{name: "half_height", number: func(m *Model) *float64 { return &m.HalfHeight }},
		{name: "crouched_half_height", number: func(m *Model) *float64 { return &m.CrouchedHalfHeight }},
		{name: "eye_height", number: func(m *Model) *float64 { return &m.EyeHeight }},
		{name: "crouched_eye_height", number: func(m *Model) *float64 { return &m.CrouchedEyeHeight }},
		{name: "mass", number: func(m *Model) *float64 { return &m.Mass }},
		{name: "max_walk_speed", number: func(m *Model) *float64 { return &m.MaxWalkSpeed }},
		{name: "max_crouched_speed", number: func(m *Model) *float64 { return &m.MaxCrouchedSpeed }},
		{name: "max_sprint_speed", number: func(m *Model) *float64 { return &m.MaxSprintSpeed }},
		{name: "min_analog_speed", number: func(m *Model) *float64 { return &m.MinAnalogSpeed }},
		{name: "max_acceleration", number: func(m *Model) *float64 { return &m.MaxAcceleration }},
		{name: "ground_friction", number: func(m *Model) *float64 { return &m.GroundFriction }},
		{name: "braking_friction_factor", number: func(m *Model) *float64 { return &m.BrakingFrictionFactor }},
		{name: "separate_braking_friction", yes: func(m *Model) *bool { return &m.SeparateBrakingFriction }},
		{name: "braking_friction", number: func(m *Model) *float64 { return &m.BrakingFriction }},
		{name: "braking_deceleration", number: func(m *Model) *float64 { return &m.BrakingDeceleration }},
		{name: "braking_sub_step", number: func(m *Model) *float64 { return &m.BrakingSubStep }},
		{name: "maintain_horizontal", yes: func(m *Model) *bool { return &m.MaintainHorizontal }},
		{name: "step_height", number: func(m *Model) *float64 { return &m.StepHeight }},
		{name: "walkable_slope", number: func(m *Model) *float64 { return &m.WalkableSlope }},
		{name: "perch_radius", number: func(m *Model) *float64 { return &m.PerchRadius }},
		{name: "perch_height", number: func(m *Model) *float64 { return &m.PerchHeight }},
		{name: "walk_off_ledges", yes: func(m *Model) *bool { return &m.WalkOffLedges }},
		{name: "catch_air", number: func(m *Model) *float64 { return &m.CatchAir }},
		{name: "gravity", number: func(m *Model) *float64 { return &m.Gravity }},
		{name: "terminal_speed", number: func(m *Model) *float64 { return &m.TerminalSpeed }},
		{name: "jump_speed", number: func(m *Model) *float64 { return &m.JumpSpeed }},
		{name: "max_jumps", count: func(m *Model) *int { return &m.MaxJumps }},
		{name: "air_control", number: func(m *Model) *float64 { return &m.AirControl }},
		{name: "air_control_boost", number: func(m *Model) *float64 { return &m.AirControlBoost }},
		{name: "air_control_boost_speed", number: func(m *Model) *float64 { return &m.AirControlBoostSpeed }},
		{name: "max_jump_hold", number: func(m *Model) *float64 { return &m.MaxJumpHold }},
		{name: "falling_friction", number: func(m *Model) *float64 { return &m.FallingFriction }},
		{name: "falling_braking", number: func(m *Model) *float64 { return &m.FallingBraking }},
		{name: "max_swim_speed", number: func(m *Model) *float64 { return &m.MaxSwimSpeed }},
		{name: "swim_braking", number: func(m *Model) *float64 { return &m.SwimBraking }},
		{name: "fluid_friction", number: func(m *Model) *float64 { return &m.FluidFriction }},
		{name: "buoyancy", number: func(m *Model) *float64 { return &m.Buoyancy }},
		{name: "jump_out_speed", number: func(m *Model) *float64 { return &m.JumpOutSpeed }},
		{name: "max_fly_speed", number: func(m *Model) *float64 { return &m.MaxFlySpeed }},
		{name: "fly_braking", number: func(m *Model) *float64 { return &m.FlyBraking }},
		{name: "facing", count: func(m *Model) *int { return (*int)(&m.Facing) }},
		{name: "turn_rate", number: func(m *Model) *float64 { return &m.TurnRate }},
		{name: "keep_base_velocity", yes: func(m *Model) *bool { return &m.KeepBaseVelocity }},
		{name: "keep_base_lift", yes: func(m *Model) *bool { return &m.KeepBaseLift }},
		{name: "ride_turn", yes: func(m *Model) *bool { return &m.RideTurn }},
		{name: "push_force", number: func(m *Model) *float64 { return &m.PushForce }},
		{name: "stand_weight", number: func(m *Model) *float64 { return &m.StandWeight }},
		{name: "repulsion", number: func(m *Model) *float64 { return &m.Repulsion }},
		{name: "nav_interval", number: func(m *Model) *float64 { return &m.NavInterval }},
	}
}

// TunableNames are the names that Set knows, in the order of Model.
func TunableNames() []string {
	var names []string
	for _, t := range tunables() {
		names = append(names, t.name)
	}
	return names
}

// Set sets the tunable of that name, the field's in snake_case, to a number in the
// field's unit; for a yes or no, 0 is no and all else yes. A count is rounded down.
// It is ErrNoTunable for any other name. Whether the number makes sense is for
// Check to say.
func (m *Model) Set(name string, value float64) error {
	for _, t := range tunables() {
		if t.name != name {
			continue
		}
		switch {
		case t.number != nil:
			*t.number(m) = value
		case t.yes != nil:
			*t.yes(m) = value != 0
		default:
			*t.count(m) = countOf(value)
		}
		return nil
	}
	return ErrNoTunable
}

// countOf is a number as an int; beyond what Check allows it is −1.
func countOf(value float64) int {
	if !(value >= 0 && value <= 1e6) {
		return -1
	}
	return int(value)
}
