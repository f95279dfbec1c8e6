package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// row is one phase and what was seen in it.
type row struct {
	phase   phase
	crowd   tally
	worst   worst
	cores   float64       // of the server
	grown   float64       // MB of live heap, at its height over what it was before
	missed  int64         // ticks
	fire    string        // what the attacker says it sent
	fireCPU time.Duration // that it took
	joins   string        // of honest newcomers
}

// cost fills in what the server paid between two samples.
func (r *row) cost(before, after sample) {
	r.cores = float64(after.cpu-before.cpu) / float64(after.at.Sub(before.at))
	r.grown = r.worst.heap - before.heap
	r.missed = after.missed - before.missed
}

// agreement is the share of shots that were judged as their shooter saw them, in percent.
func (t *tally) agreement() float64 {
	return 100 * float64(t.Agreed) / float64(max(t.Agreed+t.Disagreed, 1))
}

// String returns the row of the table.
func (r row) String() string {
	fire := "–"
	if r.phase.kind != "" {
		fire = "nothing: the attacker had no processor time"
	}
	if r.fire != "" {
		fire = fmt.Sprintf("%s; %.2f cores", r.fire, r.fireCPU.Seconds()/r.phase.last.Seconds())
	}
	return fmt.Sprintf("| %s | %v | %s | %.2f | %.1f / %.1f ms, %d | %+.0f MB | %d | %.2f %% of %d%s | %d / %d ms | %d | %s |",
		r.phase.name, r.phase.last, fire, r.cores, r.worst.p99, r.worst.tick, r.missed, r.grown, r.crowd.Failed,
		r.crowd.agreement(), r.crowd.Agreed+r.crowd.Disagreed, r.crowd.reasons(), r.crowd.verdict(0.5), r.crowd.verdict(0.99), r.crowd.Corrections, r.joins)
}

// page is docs/siege.md.
func page(o options, rows []row) string {
	commit, _ := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	var b strings.Builder
	fmt.Fprintf(&b, `# Server under attack

The effect of packet floods on players and on the server. `+"`make siege`"+` prints this page; this one is of commit %s, on %d cores of %s/%s.
The server has one core (taskset), players and attackers share the rest, where attackers take what players leave (chrt --idle). Over loopback the kernel receives a packet on the core that sends it.

%d bots play over QUIC at 60 frames a second in matches of %d. Each bot is a full client with prediction. The attacks come from loopback
addresses, one after another, each from one process, after a phase without attacks. Meanwhile new players join over QUIC twice a
second and leave again.

- **sent**: packets of the attacker, and its processor time in cores.
- **ticks**: the highest 99th percentile of tick times in any 8 seconds, the longest tick, and the number of skipped ticks.
- **heap**: growth of the live heap, as garbage collections found it, to its maximum during the phase.
- **verdicts**: time from a shot until the player receives its verdict, median and 99th percentile.
- **new players**: how many of those that tried could join, and the time of joining, median and longest.

| attack | for | sent | server, cores | ticks | heap | players lost | shots judged as seen | verdicts | corrections | new players |
|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---|
`, strings.TrimSpace(string(commit)), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, o.bots, o.seats)
	for _, r := range rows {
		fmt.Fprintln(&b, r)
	}
	return b.String()
}
