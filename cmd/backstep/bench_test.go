package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/internal/bench"
	"github.com/backstep-net/backstep/internal/bench/edge"
	"github.com/backstep-net/backstep/internal/benchscene"
)

// One short measurement of everything has every figure that the format names, and every scene; another is compared with it.
func TestSlowBenchMeasuresEverything(t *testing.T) {
	t.Setenv("BACKSTEP_TEST_MAIN", "1") // for the processes of the edge
	file := filepath.Join(t.TempDir(), "bench.json")
	code, out, errs := say(t.Context(), "bench", "--runs", "1", "--share", "0.02", "--json", file)
	if code != 0 {
		t.Fatalf("exit code %d\n%s\n%s", code, out, errs)
	}
	r, err := bench.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields(`step_a_us step_b_us step_d_us step_f2_us ray50_ns sweep_1m_ns sweep_down_ns
		sweep_01m_ns crowd_a_us owner_replay12_us authority_move_us rewind_record100_us rewind_ray_us rewind_pellets8_us
		rewind_blast_us snapshot_10_us snapshot_64_us match10_128_us match10_128_cold_us match10_128_paced_us
		match40_60_cold_us match40_60_paced_us match100_30_us edge_udp_us edge_quic_us allocs_per_tick
		lateness_50_p99_us lateness_50_p999_us lateness_50_core_percent
		wander20_udp_kBps wander20_quic_core_percent wander60_udp_payload_kBps wander60_quic_garbage_kBps
		wander60_derived_udp_kBps wander20_far_udp_kBps
		step_a_us_p99 ray50_ns_p99 match10_128_paced_us_p99`) {
		if v, ok := r.Figures[key]; !ok || v <= 0 && key != "allocs_per_tick" {
			t.Errorf("%s: got %v", key, v)
		}
		if !strings.HasSuffix(key, bench.P99) && !strings.Contains(out, key) {
			t.Errorf("the table has no %s:\n%s", key, out)
		}
	}
	for _, s := range []benchscene.Scene{benchscene.A, benchscene.B, benchscene.D, benchscene.F2} {
		if got := r.Scenes[s.Name]; got != s.Published {
			t.Errorf("scene %s: hash %q, want %q", s.Name, got, s.Published)
		}
	}
	code, out, errs = say(t.Context(), "bench", "--runs", "1", "--share", "0.02", "--only", "query", "--compare", file)
	if code != 0 || !strings.Contains(out, "Compared with commit "+r.Commit) || !strings.Contains(out, "× earlier") {
		t.Errorf("exit code %d\n%s\n%s", code, out, errs)
	}
}

// Four players over each transport play one match whose bound of a tick's time no server keeps: each ramp ends with its first
// step, which names the bound, and the file has what the players did.
func TestCapacityEndsAtABrokenBound(t *testing.T) {
	t.Setenv("BACKSTEP_TEST_MAIN", "1") // for the server and the clients
	file := filepath.Join(t.TempDir(), "capacity.json")
	code, out, errs := say(t.Context(), "bench", "capacity", "--load", "growing_60", "--most", "4", "--tick=-1", "--share=0.1", "--json", file)
	if code != 0 || strings.Count(out, "| one growing match at 60 Hz |") != 3 || !strings.Contains(errs, "4 players: ticks") {
		t.Fatalf("exit code %d\n%s\n%s", code, out, errs)
	}
	report, err := edge.ReadCapacity(file)
	if err != nil || len(report.Ramps) != 3 {
		t.Fatalf("%+v (%v), want a ramp for each transport", report, err)
	}
	for _, r := range report.Ramps {
		s := r.Steps[0]
		if len(r.Steps) != 1 || s.Players != 4 || s.Held || !strings.HasPrefix(r.Limit, "tick time: p99") {
			t.Errorf("%s: got %+v, want one step of 4 whose ticks are too long", r.Transport, r)
		}
		if s.Lost > 0 || s.Tick50 <= 0 || s.Frames <= 0 || s.ServerUsed <= 0 || s.LoadUsed <= 0 || s.Down <= 0 || s.Up <= 0 {
			t.Errorf("%s: got %+v, want players that play", r.Transport, s)
		}
	}
}

// What cannot be measured or compared is said before anything is measured.
func TestBenchRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"bench --only jump", `"jump" is no group of figures`},
		{"bench --compare nowhere.json", "nowhere.json"},
		{"bench capacity --most 1001", "--most is 1 to 1000"},
		{"bench --yardstick ./nowhere", "nowhere"},
	} {
		code, _, errs := say(t.Context(), strings.Fields(c.args)...)
		if code != exitFailure || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, %q, want %q", c.args, code, errs, c.want)
		}
	}
}
