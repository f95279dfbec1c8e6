package bench

import "strings"

// Figure is one row of the report.
type Figure struct {
	// Name is the key in the report; _ns, _us or nothing at its end is the unit.
	Name string
	// Group is the name of the Group that measures it.
	Group string
	// What is measured, for the table.
	What string
	// Goal is what it should be at most; 0 means there is none.
	Goal float64
	// Of, if set, is the figure of which Goal is a multiple.
	Of string
	// Tail is what the 99th percentile should be at most; 0 means there is no goal.
	Tail float64
}

// Figures are all figures, in the order of the table.
var Figures = []Figure{
	{Name: "step_a_us", Group: "step", What: "a character's step on scene A, open land", Goal: 1.5, Tail: 5},
	{Name: "step_b_us", Group: "step", What: "a character's step on scene B, a dense arena", Goal: 2.5, Tail: 9},
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
	{Name: "edge_udp_us", Group: "edge", What: "a server process over UDP, for a client and tick", Goal: 10},
	{Name: "edge_quic_us", Group: "edge", What: "a server process over QUIC, for a client and tick", Goal: 30},
	{Name: "allocs_per_tick", Group: "match", What: "allocations in a tick of 10 players", Goal: 0},
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
	}
	return ""
}
