package bench

import (
	"fmt"
	"strings"
)

// Figure is one row of the report.
type Figure struct {
	// Name is the key in the report; _ns, _us, _kBps, _percent or nothing at its end is the unit.
	Name string
	// Group is the name of the Group that measures it.
	Group string
	// What is measured, for the table.
	What string
	// Goal is what it should be at most. NoGoal means there is none.
	Goal float64
	// Of, if set, is the figure of which Goal is a multiple.
	Of string
	// Yard is what it should be at most of the yardstick's; 0 means there is no goal.
	Yard float64
	// Tail is what the 99th percentile should be at most; 0 means there is no goal.
	Tail float64
}

// NoGoal is the Goal of a figure that has none.
const NoGoal = -1

// Figures are all figures, in the order of the table.
var Figures = append([]Figure{
	{Name: "step_a_us", Group: "step", What: "a character's step on scene A, open land", Goal: 1.5, Tail: 5, Yard: 1.6},
	{Name: "step_b_us", Group: "step", What: "a character's step on scene B, a dense arena", Goal: 2.5, Tail: 9, Yard: 1.4},
	{Name: "step_d_us", Group: "step", What: "a character's step on scene D, a fine mesh", Goal: 2.8},
	{Name: "step_f2_us", Group: "step", What: "a character's step on scene F2, a flat mesh", Goal: 0.7},
	{Name: "crowd_a_us", Group: "step", What: "a step on scene A among a thousand obstacles", Goal: 1.3, Of: "step_a_us"},
	{Name: "ray50_ns", Group: "query", What: "a ray of 50 m on scene A", Goal: 470},
	{Name: "sweep_1m_ns", Group: "query", What: "a capsule swept 1 m sideways", Goal: 400},
	{Name: "sweep_down_ns", Group: "query", What: "a capsule swept 1 m down", Goal: 700},
	{Name: "sweep_01m_ns", Group: "query", What: "a capsule swept 0.1 m sideways", Goal: 300},
	{Name: "owner_replay12_us", Group: "owner", What: "a client's frame that replays 12 moves, on scene A", Goal: 13, Of: "step_a_us"},
	{Name: "authority_move_us", Group: "owner", What: "a server's move: read, checked, simulated, on scene A", Goal: 1.3, Of: "step_a_us"},
	{Name: "rewind_record100_us", Group: "rewind", What: "recording the poses of 100 characters", Goal: 15},
	{Name: "rewind_ray_us", Group: "rewind", What: "a shot at one of 100, in its shooter's view", Goal: 5},
	{Name: "rewind_pellets8_us", Group: "rewind", What: "eight pellets at one of 100", Goal: 10},
	{Name: "rewind_blast_us", Group: "rewind", What: "a blast with six of 100 around", Goal: 20},
	{Name: "snapshot_10_us", Group: "snapshot", What: "a client's snapshot, 10 others in view", Goal: 4},
	{Name: "snapshot_64_us", Group: "snapshot", What: "a client's snapshot, 64 others in view", Goal: 20},
	{Name: "match10_128_us", Group: "match", What: "a tick of 10 players at 128 Hz who shoot, hot", Goal: 120},
	{Name: "match10_128_cold_us", Group: "match", What: "the same with cold caches", Goal: 120},
	{Name: "match10_128_paced_us", Group: "match", What: "the same, paced", Goal: 120},
	{Name: "match40_60_us", Group: "match", What: "a tick of 40 players at 60 Hz who shoot, hot", Goal: 450},
	{Name: "match40_60_cold_us", Group: "match", What: "the same with cold caches", Goal: 450},
	{Name: "match40_60_paced_us", Group: "match", What: "the same, paced", Goal: 450},
	{Name: "match100_30_us", Group: "match", What: "a tick of 100 players at 30 Hz, all in view, hot", Goal: 4000},
	{Name: "match100_30_cold_us", Group: "match", What: "the same with cold caches", Goal: 4000},
	{Name: "match100_30_paced_us", Group: "match", What: "the same, paced", Goal: 4000},
	{Name: "match100_30_cores1_us", Group: "match", What: "the same, hot, by the wall clock", Goal: NoGoal},
	{Name: "match100_30_cores2_us", Group: "match", What: "the same on two cores", Goal: .75, Of: "match100_30_cores1_us"},
	{Name: "edge_udp_us", Group: "edge", What: "a server process over UDP, for a client and tick", Goal: 10},
	{Name: "edge_quic_us", Group: "edge", What: "a server process over QUIC, for a client and tick", Goal: 30},
	{Name: "lateness_50_p99_us", Group: "scheduler", What: "how late ticks of 50 matches of 4 begin, p99", Goal: NoGoal},
	{Name: "lateness_50_p999_us", Group: "scheduler", What: "the same, p99.9", Goal: 1000},
	{Name: "lateness_50_core_percent", Group: "scheduler", What: "of a core, the server process", Goal: NoGoal},
	{Name: "allocs_per_tick", Group: "match", What: "allocations in a tick of 10 players", Goal: 0},
}, wanderFigures()...)

// Wander is a measurement of MoveWander.
type Wander struct {
	Load      string // of package edge; its figures' names begin with it
	Transport string // udp or quic
}

// Wanders are all of them, in the order of the table.
func Wanders() (list []Wander) {
	for _, load := range []string{"wander20", "wander60"} {
		list = append(list, Wander{load, "udp"}, Wander{load, "quic"}, Wander{load + "_derived", "udp"}, Wander{load + "_far", "udp"})
	}
	return list
}

// wanderFigures are those of MoveWander.
func wanderFigures() (list []Figure) {
	for _, w := range Wanders() {
		rate, goal := "20 Hz", 12.0
		if strings.HasPrefix(w.Load, "wander60") {
			rate, goal = "60 Hz", 55
		}
		name := w.Load + "_" + w.Transport
		add := func(suffix, what string, goal float64) {
			list = append(list, Figure{Name: name + suffix, Group: "movewander", What: what, Goal: goal})
		}
		switch {
		case strings.HasSuffix(w.Load, "_derived"):
			add("_kBps", "the same over UDP, if clients derive the rotation from the velocity", goal)
		case strings.HasSuffix(w.Load, "_far"):
			add("_kBps", "the same over UDP with the rotation and a round trip of 170 ms", goal)
		default:
			add("_kBps", fmt.Sprintf("MoveWander at %s over %s, to a client, with all headers", rate, strings.ToUpper(w.Transport)), goal)
			add("_payload_kBps", "its payload", NoGoal)
			add("_core_percent", "of a core, the server process", NoGoal)
			add("_garbage_kBps", "garbage of the server process", 0)
		}
	}
	return list
}

// unitOf returns a figure's unit in nanoseconds.
func unitOf(name string) float64 {
	if strings.HasSuffix(name, "_us") {
		return 1000
	}
	return 1
}

// unitName returns a figure's unit as the table says it.
func unitName(name string) string {
	switch {
	case strings.HasSuffix(name, "_us"):
		return "µs"
	case strings.HasSuffix(name, "_ns"):
		return "ns"
	case strings.HasSuffix(name, "_kBps"):
		return "kB/s"
	case strings.HasSuffix(name, "_percent"):
		return "%"
	}
	return ""
}
