package scenario

import "slices"

// The words of the format. Each exported list is a fresh copy.
var (
	modes          = []string{"none", "walking", "nav_walking", "falling", "swimming", "flying", "path"}
	bots           = []string{"none", "wander", "hunter"}
	beyonds        = []string{"capped", "present"}
	rootMotions    = []string{"constant_force", "radial_force", "move_to", "jump_to"}
	faultKinds     = append([]string{"freeze", "partition", "background", "clock_step", "network", "reconnect"}, slices.Concat(serverFaults, hostileKinds)...)
	serverFaults   = []string{"restart", "next_level", "overload"}
	hostileKinds   = []string{"garbage", "bit_flips", "replays", "wild_stamps"} // what a hostile client sends
	solidKinds     = []string{"box", "ramp", "stairs", "triangles", "hull"}
	triggerKinds   = []string{"once", "toggle", "timed", "stop_go"} // by collide.TriggerKind, from 1
	kinds          = append(solidKinds[:5:5], "mover", "water", "pad", "gravity", "planet", "kill")
	reservedNames  = []string{"shots", "players", "ticks", "seed", "name", "hash"} // words of results
	additiveModes  = []string{"override", "additive"}
	motionStarters = []string{"server", "owner"}
)

// Hostile reports whether the fault is a client that sends what no honest one does.
func (f *Fault) Hostile() bool { return slices.Contains(hostileKinds, f.Kind) }

// Remotes returns the ways in which a client may draw other players.
func Remotes() []string { return []string{"interpolate", "linear", "exponential", "none"} }

// Cheats returns the ways in which a client may cheat.
func Cheats() []string {
	return []string{"none", "speed", "teleport", "backdate", "nocooldown", "aimthrough", "lag", "burst", "ping", "forge", "duplicate", "withhold"}
}

// FlightTimelines returns the timelines of a projectile.
func FlightTimelines() []string { return []string{"shooter", "fade", "present"} }

// Parts returns the names of the hitboxes that a shot may aim at: every character has head and body,
// the others are of the full rig.
func Parts() []string {
	parts := []string{"head", "body", "arm", "leg", "shield", "neck", "chest", "belly", "pelvis"}
	for _, side := range []string{"_l", "_r"} {
		for _, limb := range []string{"shoulder", "upper_arm", "lower_arm", "hand", "thigh", "shin", "foot"} {
			parts = append(parts, limb+side)
		}
	}
	return parts
}
