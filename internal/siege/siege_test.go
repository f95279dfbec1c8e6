package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// bots is a process of bots that has printed a line.
func bots(line string) *process { return &process{line: line} }

// What the crowd did in a phase is the difference of two sums over its processes; who plays and why a
// shot was judged otherwise too. A process that has printed nothing yet adds nothing.
func TestWhatACrowdDidInAPhase(t *testing.T) {
	c := &crowd{processes: []*process{
		bots(`{"playing":20,"failed":1,"corrections":5,"agreed":90,"disagreed":10,"verdicts_ms":{"30":7,"40":3},"otherwise":{"shooter is dead":2}}`),
		bots(`{"playing":19,"agreed":10,"verdicts_ms":{"30":1},"otherwise":{"view is too old":1}}`),
		bots(""),
	}}
	c.begin()
	c.processes[0].line = `{"playing":18,"failed":3,"corrections":6,"agreed":150,"disagreed":15,"verdicts_ms":{"30":8,"40":6,"90":2},"otherwise":{"shooter is dead":2,"another outcome":4}}`
	c.processes[1].line = `{"playing":19,"agreed":25,"verdicts_ms":{"30":2},"otherwise":{"view is too old":4}}`
	c.processes[2].line = `{"playing":1,"failed":1,"agreed":5}`
	got := c.end()
	if got.Playing != 38 || got.Failed != 3 || got.Corrections != 1 || got.Agreed != 80 || got.Disagreed != 5 {
		t.Errorf("got %+v, want 38 that play, 3 failures, 1 correction, 80 agreed and 5 disagreed", got)
	}
	if fmt.Sprint(got.Verdicts) != "map[30:2 40:3 90:2]" || got.reasons() != " (4 another outcome, 3 view is too old)" {
		t.Errorf("verdicts %v, reasons %q", got.Verdicts, got.reasons())
	}
	if a := got.agreement(); a < 94.11 || a > 94.12 {
		t.Errorf("agreement %v %%, want 80 of 85", a)
	}
	if err := c.ended(); err != nil {
		t.Errorf("while all processes run: %v", err)
	}
	c.processes[1].ended = make(chan struct{})
	close(c.processes[1].ended)
	if err := c.ended(); err == nil || !strings.Contains(err.Error(), `number 2 has ended; its last line is "{\"playing\":19`) {
		t.Errorf("of a process that has ended: got %v", err)
	}
	if none := (&tally{}); none.agreement() != 0 || none.reasons() != "" || none.verdict(0.99) != 0 {
		t.Errorf("of nothing: %v %%, %q, %d ms", none.agreement(), none.reasons(), none.verdict(0.99))
	}
}

// The time of a share of the verdicts is the nearest rank of a plain list of them.
func TestTimesOfVerdictsAgainstAList(t *testing.T) {
	const seed = 8
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		all := tally{Verdicts: map[int]int{}}
		var list []int
		for range 1 + r.IntN(60) {
			ms := r.IntN(25)
			all.Verdicts[ms]++
			list = append(list, ms)
		}
		slices.Sort(list)
		for _, share := range []float64{0.5, 0.9, 0.99, 1} {
			rank := 0
			for float64(rank+1) < share*float64(len(list)) {
				rank++
			}
			if got := all.verdict(share); got != list[rank] {
				t.Fatalf("seed %d: %g of %v: got %d, want %d", seed, share, list, got, list[rank])
			}
		}
	}
}

// admin is an admin port that answers with a status and metrics.
func admin(t *testing.T, status, metrics func() string) *server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/status", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, status()) })
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, metrics()) })
	s := httptest.NewServer(mux)
	t.Cleanup(func() { asking.CloseIdleConnections(); s.Close() })
	return &server{admin: s.URL}
}

// text returns a function that returns a text.
func text(s string) func() string { return func() string { return s } }

// A sample has the processor time and the heap of the metrics and the missed ticks of all matches; what
// cannot be read is an error.
func TestASampleOfTheServer(t *testing.T) {
	const status = `{"matches":[{"ticks_missed":3},{"ticks_missed":4}]}`
	s := admin(t, text(status), text("# HELP x\ngo_gc_heap_live_bytes 3.145728e+06\nprocess_cpu_seconds_total 12.5\ngo_gc_heap_live_bytes_total 9\n"))
	got, err := s.sample()
	if err != nil || got.missed != 7 || got.heap != 3 || got.cpu != 12500*time.Millisecond || got.at.IsZero() {
		t.Errorf("got %+v, %v; want 7 missed ticks, 3 MB, 12.5 s", got, err)
	}
	if _, err := admin(t, text("no JSON"), text("")).sample(); err == nil {
		t.Error("a status that is none is a sample")
	}
	const heap, cpu = "go_gc_heap_live_bytes 1048576\n", "process_cpu_seconds_total 1\n"
	for _, metrics := range []string{"", heap, cpu, "go_gc_heap_live_bytes many\n" + cpu, heap + "process_cpu_seconds_total \n", heap + `process_cpu_seconds_total{core="0"} 1` + "\n"} {
		if got, err := admin(t, text(status), text(metrics)).sample(); err == nil {
			t.Errorf("metrics without a heap or a processor time, %q, are the sample %+v", metrics, got)
		}
	}
	if _, err := (&server{admin: "http://127.0.0.1:1"}).sample(); err == nil {
		t.Error("a server that does not answer has a sample")
	}
}

// A phase keeps the worst of every match at any time; an answer that cannot be read in between is
// passed over.
func TestTheWorstOfAPhase(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	asked := 0
	s := admin(t, func() string {
		switch asked++; { // watch asks twice each time
		case asked <= 2:
			return `{"matches":[{"tick_p99_ms":3,"tick_max_ms":40},{"tick_p99_ms":7,"tick_max_ms":8}]}`
		case asked == 3:
			return "late"
		case asked >= 5:
			stop()
		}
		return `{"matches":[{"tick_p99_ms":5,"tick_max_ms":6}]}`
	}, func() string {
		return fmt.Sprintf("go_gc_heap_live_bytes %d\nprocess_cpu_seconds_total 1\n", (10-asked)<<20)
	})
	if got, want := s.watch(ctx), (worst{p99: 7, tick: 40, heap: 8}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A row by hand: cores are processor time over time, the heap is what it grew to, and an attack has what
// it sent and took.
func TestARowOfThePage(t *testing.T) {
	begin := time.Now()
	r := row{
		phase: phase{"junk", long, 1000, 20 * time.Second}, fire: "990 a second", fireCPU: 5 * time.Second, joins: "38 of 40, 150 / 900 ms",
		worst: worst{p99: 7.25, tick: 30, heap: 120},
		crowd: tally{Failed: 1, Agreed: 99, Disagreed: 1, Corrections: 2, Verdicts: map[int]int{30: 60, 80: 40}, Otherwise: map[string]int{"shooter is dead": 1}},
	}
	r.cost(sample{at: begin, cpu: time.Second, heap: 100, missed: 5}, sample{at: begin.Add(20 * time.Second), cpu: 16 * time.Second, heap: 90, missed: 12})
	const want = "| junk | 20s | 990 a second; 0.25 cores | 0.75 | 7.2 / 30.0 ms, 7 | +20 MB | 1 | 99.00 % of 100 (1 shooter is dead) | 30 / 80 ms | 2 | 38 of 40, 150 / 900 ms |"
	if got := r.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (row{phase: phase{name: "no attack", last: time.Minute}}).String(); !strings.HasPrefix(got, "| no attack | 1m0s | – | 0.00 |") {
		t.Errorf("without an attack: %s", got)
	}
	if got := (row{phase: phase{"junk", long, 1000, time.Minute}}).String(); !strings.HasPrefix(got, "| junk | 1m0s | nothing: the attacker had no processor time | 0.00 |") {
		t.Errorf("an attack that did not begin: %s", got)
	}
	text := page(options{bots: 60, seats: 20}, []row{r, {}})
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if cells := strings.Count(want, "|"); strings.Count(lines[len(lines)-4], "|") != cells || strings.Count(lines[len(lines)-3], "|") != cells || lines[len(lines)-2] != want {
		t.Errorf("the page's table is\n%s", strings.Join(lines[len(lines)-4:], "\n"))
	}
	if !strings.Contains(text, "60 bots play over QUIC at 60 frames a second in matches of 20.") {
		t.Errorf("the page does not say who plays:\n%s", text)
	}
}

// Every attack of a siege is one that the program knows, at a rate and for a time; before and after them
// there is none.
func TestThePhasesOfASiege(t *testing.T) {
	all := phases(options{quiet: time.Minute, flood: time.Second})
	for i, p := range all {
		attacks := i > 0 && i < len(all)-1
		if attacks != (p.kind != "") || attacks != (p.rate > 0) || p.last <= 0 || p.name == "" {
			t.Errorf("phase %d: %+v", i, p)
		}
		if attacks && !slices.Contains([]kind{initials, long, short, silent}, p.kind) {
			t.Errorf("phase %d is of the unknown kind %s", i, p.kind)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "attack needs a kind, an address, a rate and a time"},
		{[]string{"long", "127.0.0.1:9", "many", "1s"}, `"many"`},
		{[]string{"long", "127.0.0.1:9", "5", "soon"}, `"soon"`},
		{[]string{"fire", "127.0.0.1:9", "5", "1s"}, `an attack of kind "fire"`},
		{[]string{"short", "nowhere", "5", "1s"}, "nowhere"},
		{[]string{"silent", "nowhere", "5", "1s"}, "nowhere"},
		{[]string{"join", "http://127.0.0.1:1", "5", "1s"}, "127.0.0.1:1"},
	} {
		if err := attack(c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.args, err, c.want)
		}
	}
}

// Noise is as long as packets are and begins like packets of its kind; no two in a row are of one
// connection.
func TestNoise(t *testing.T) {
	for _, k := range []kind{long, short} {
		datagram, least, most := noise(k), 1<<20, 0
		seen := map[string]bool{}
		for i := range 20_000 {
			b := datagram(i)
			least, most = min(least, len(b)), max(most, len(b))
			form, version := b[0]&0xc0, string(b[1:5])
			if k == long && (form != 0xc0 || version != "\x00\x00\x00\x01" || b[5] != 8) || k == short && form != 0x40 {
				t.Fatalf("%s: datagram %d begins with % x", k, i, b[:6])
			}
			seen[string(b[6:14])] = true
		}
		if least < 40 || least > 60 || most > 1239 || most < 1200 {
			t.Errorf("%s: datagrams of %d to %d bytes, want 40 to 1239", k, least, most)
		}
		if len(seen) < 19_900 {
			t.Errorf("%s: %d connection IDs in 20,000 datagrams, want nearly as many", k, len(seen))
		}
	}
}

// First packets of handshakes are whole ones, each of a client of its own.
func TestFirstPacketsOfHandshakes(t *testing.T) {
	list, err := handshakes(t.Context(), 5)
	if err != nil || len(list) != 5 {
		t.Fatalf("%d packets, %v; want 5", len(list), err)
	}
	ids := map[string]bool{}
	for _, b := range list {
		if len(b) < 1200 || b[0]&0xc0 != 0xc0 || string(b[1:5]) != "\x00\x00\x00\x01" {
			t.Errorf("%d bytes that begin with % x, want an Initial of QUIC of 1200 at least", len(b), b[:6])
		}
		ids[string(b[6:6+int(b[5])])] = true
	}
	if len(ids) != 5 {
		t.Errorf("%d connection IDs of 5 clients", len(ids))
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if list, err := handshakes(ended, 5); err == nil || len(list) != 0 {
		t.Errorf("after the end: %d packets, %v", len(list), err)
	}
}

// A flood comes from many addresses of this machine, with the datagrams in their order, until its end.
func TestAFlood(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has all of 127.0.0.0/8")
	}
	in, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- flood(ctx, in.LocalAddr().String(), 20_000, func(i int) []byte { return fmt.Append(nil, i) })
	}()
	from, newest := map[string]int{}, map[string]int{}
	b := make([]byte, 100)
	_ = in.SetReadDeadline(time.Now().Add(time.Minute))
	for len(from) < 8 {
		n, at, err := in.ReadFromUDP(b)
		if err != nil {
			t.Fatalf("%v after datagrams of %d addresses", err, len(from))
		}
		var number int
		if _, err := fmt.Sscan(string(b[:n]), &number); err != nil {
			t.Fatalf("%q is no datagram of the flood", b[:n])
		}
		name := at.IP.String()
		if last, again := newest[name]; again && number <= last || !strings.HasPrefix(name, "127.1.") {
			t.Errorf("%s sends number %d after %d", name, number, last)
		}
		from[name]++
		newest[name] = number
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A process prints lines, of which the last is kept, and ends when it is told to.
func TestAProcessOfTheSiege(t *testing.T) {
	for _, program := range []string{"taskset", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s: %v", program, err)
		}
	}
	p, err := startLogged(t.Context(), os.Stderr, serverCore, "sh", "-c", "echo one; echo two")
	if err != nil {
		t.Fatal(err)
	}
	if line, took := p.last(); line != "two" || took < 0 {
		t.Errorf("the last line is %q after %v of processor time, want two", line, took)
	}
	p, err = startLogged(t.Context(), os.Stderr, serverCore, "sh", "-c", "echo ready; exec sleep 600")
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); p.now() != "ready" && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	p.stop()
	if p.now() != "ready" || p.cmd.ProcessState.Success() {
		t.Errorf("after the end: line %q, %v; want that a signal ended it", p.now(), p.cmd.ProcessState)
	}
	ports, err := freePorts(3)
	if err != nil || len(ports) != 3 || ports[0] == ports[1] || ports[1] == ports[2] || ports[0] == ports[2] {
		t.Errorf("free ports %v, %v; want three", ports, err)
	}
}
