package scenario

import (
	"math"

	"github.com/backstep-net/backstep/transport/mem"
)

// The words that a file may use. Each list is a fresh copy.

// Modes are the movement modes that `mode` may name.
func Modes() []string {
	return []string{"none", "walking", "nav_walking", "falling", "swimming", "flying", "path"}
}

// Remotes are the ways in which a client may draw others.
func Remotes() []string { return []string{"interpolate", "linear", "exponential", "none"} }

// Cheats are the ways in which a client may cheat.
func Cheats() []string {
	return []string{"none", "speed", "teleport", "backdate", "nocooldown", "aimthrough", "lag", "burst", "ping", "forge", "duplicate", "withhold"}
}

// Bots are what may play instead of a script.
func Bots() []string { return []string{"none", "wander", "hunter"} }

// Beyonds are what may become of shots over a line that is longer than the cap.
func Beyonds() []string { return []string{"capped", "present"} }

// Favours are the pasts against which a projectile may fly.
func Favours() []string { return []string{"shooter", "fade", "present"} }

// Parts are what a shot may aim at: head and body always, the others with the
// full rig.
func Parts() []string {
	parts := []string{"head", "body", "arm", "leg", "shield", "neck", "chest", "belly", "pelvis"}
	for _, side := range []string{"_l", "_r"} {
		for _, limb := range []string{"shoulder", "upper_arm", "lower_arm", "hand", "thigh", "shin", "foot"} {
			parts = append(parts, limb+side)
		}
	}
	return parts
}

// Kinds are the shapes that `geometry` may hold.
func Kinds() []string {
	var words []string
	for _, k := range []Kind{Box, Ramp, Stairs, Triangles, Hull, Body, Water, Pad, Gravity, Planet, Kill} {
		words = append(words, string(k))
	}
	return words
}

// Profiles are the named networks, from good to bad.
func Profiles() []string { return mem.ProfileNames() }

// RootMotions are the kinds of root motion.
func RootMotions() []string { return []string{"constant_force", "radial_force", "move_to", "jump_to"} }

// FaultKinds are what may go wrong.
func FaultKinds() []string { return []string{"freeze", "partition", "background"} }

// Weapons are those of a scenario that is given no others.
func Weapons() []string { return []string{"rifle"} }

// Figures are the documented figures of a result that `expect` may name. A
// first word of "*" stands for every player.
func Figures() []string {
	list := []string{
		"ticks",
		"*.corrections", "*.correction_max", "*.replayed_moves",
		"*.moves.made", "*.moves.sent", "*.moves.combined", "*.moves.resent", "*.moves.rejected",
		"*.up", "*.down", "*.remote_reversals", "*.remote_snaps",
		"*.time_discrepancy.detected", "*.time_discrepancy.after", "*.time_discrepancy.gain",
		"shots.fired", "shots.claimed", "shots.confirmed", "shots.refused",
		"shots.agreement", "shots.false_hits",
	}
	for _, f := range []string{"*.owner_error", "*.remote_error", "*.view_delay", "shots.pose_error"} {
		list = append(list, f+".mean", f+".p99", f+".max")
	}
	return list
}

// DefaultParams are the documented names of `params` with their defaults, in SI
// units and radians; gravity is negative, as it is in files.
func DefaultParams() []Param {
	return []Param{
		{Name: "radius", Value: 0.34},
		{Name: "half_height", Value: 0.88},
		{Name: "crouched_half_height", Value: 0.40},
		{Name: "max_walk_speed", Value: 6},
		{Name: "max_crouched_speed", Value: 3},
		{Name: "max_swim_speed", Value: 3},
		{Name: "max_fly_speed", Value: 6},
		{Name: "max_acceleration", Value: 20.48},
		{Name: "ground_friction", Value: 8},
		{Name: "braking_deceleration", Value: 20.48},
		{Name: "braking_friction_factor", Value: 2},
		{Name: "jump_speed", Value: 4.2},
		{Name: "max_jumps", Value: 1},
		{Name: "max_jump_hold", Value: 0},
		{Name: "gravity", Value: -9.8},
		{Name: "air_control", Value: 0.05},
		{Name: "air_control_boost", Value: 2},
		{Name: "air_control_boost_speed", Value: 0.25},
		{Name: "terminal_speed", Value: 40},
		{Name: "step_height", Value: 0.45},
		{Name: inDegrees, Value: radians(44.765)},
		{Name: "perch_radius", Value: 0},
		{Name: yesOrNo, Value: 1},
		{Name: "mass", Value: 100},
		{Name: "buoyancy", Value: 1},
	}
}

// The documented tunables that are no plain numbers.
const (
	inDegrees = "walkable_slope"
	yesOrNo   = "walk_off_ledges"
)

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }
