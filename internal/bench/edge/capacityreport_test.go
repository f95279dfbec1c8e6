package edge

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// bounds are those of backstep bench capacity.
var bounds = Bounds{Tick: 1, Late: .25, Agreement: 99}

// ramped returns a ramp at 60 Hz on two cores whose steps are judged.
func ramped(load, transport string, steps ...Step) Ramp {
	r := Ramp{Load: load, Transport: transport, TickRate: 60, ServerCores: 1, LoadCores: 1, Steps: steps}
	for i := range steps {
		r.judge(&steps[i], bounds)
		r.Limit = steps[i].Limit
	}
	return r
}

// good returns a step within all bounds.
func good(players int) Step {
	return Step{
		Players: players, Tick50: 300, Tick99: 1200, Late99: 340, Late999: 900, Shots: 1000, Agreement: 99.95, Corrections: .25,
		ServerUsed: float64(players) / 400, LoadUsed: float64(players) / 500, LoadFrame: 33, Frames: 1, Down: 9.1, Up: 1.2,
	}
}

// Two samples four seconds apart, of ten players that have made all their frames, become a step by second and by player.
func TestAStepFromSamples(t *testing.T) {
	server := [2]sample{{CPU: time.Second}, {CPU: 3 * time.Second, Tick50: 1, Tick99: 2, Late99: 3, Late999: 4}}
	clients := [2]sample{
		{Frames: 100, Payload: 1000, Agreed: 5, Corrections: 1},
		{CPU: time.Second, Frames: 2500, Payload: 401_000, PayloadOut: 40_000, Agreed: 104, Disagreed: 1, Corrections: 3, Lost: 1},
	}
	got := Step{Players: 10}
	got.fill(&server, &clients, 4*time.Second, 60)
	want := Step{
		Players: 10, Tick50: 1, Tick99: 2, Late99: 3, Late999: 4, Shots: 100, Agreement: 99, Corrections: 3,
		ServerUsed: .5, LoadUsed: .25, LoadFrame: 1e6 / 2400., Frames: 1, Down: 10, Up: 1, Lost: 1,
	}
	if got != want {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// Each bound that ends a ramp is named; late ticks do not. If the load makes too few frames, its own cores are the limit, whatever else breaks.
func TestEachBrokenBoundIsNamed(t *testing.T) {
	for _, c := range []struct {
		change func(s *Step)
		held   bool
		want   string
	}{
		{func(s *Step) {}, true, ""},
		{func(s *Step) { s.Tick99 = 16_700 }, false, "tick time: p99 16.7 ms"},
		{func(s *Step) { s.Late99 = 4200 }, false, ""},
		{func(s *Step) { s.Agreement = 98.9 }, false, "agreement: 98.9 %"},
		{func(s *Step) { s.Shots, s.Agreement = 0, 0 }, true, ""},
		{func(s *Step) { s.Lost, s.Frames = 2, .5 }, false, "2 players could not join or were disconnected"},
		{func(s *Step) { s.Frames, s.LoadUsed = .9, .9 }, false, "the load's own cores are full"},
		{func(s *Step) { s.Frames, s.LoadUsed = .9, .5 }, false, "other programs used the load's cores"},
		{func(s *Step) { s.LoadUsed = .96 }, true, "the load's own cores are full"},
		{func(s *Step) { s.Late99, s.Frames, s.LoadUsed = 4200, .9, 1 }, false, "the load's own cores are full"},
		{func(s *Step) { s.Late99, s.LoadUsed = 4200, .99 }, false, "the load's own cores are full"},
		{func(s *Step) { s.Tick99, s.Frames, s.LoadUsed = 16_700, .9, 1 }, false, "tick time: p99 16.7 ms, and the load's own cores are full"},
	} {
		s := good(40)
		c.change(&s)
		r := ramped("match20_60", "udp", s)
		if got := r.Steps[0]; got.Limit != c.want || got.Held != c.held {
			t.Errorf("%+v: held %v, limit %q; want %v, %q", s, got.Held, got.Limit, c.held, c.want)
		}
	}
}

// Players join by a third, by a twelfth near a bound, and in whole matches.
func TestTheNextStep(t *testing.T) {
	r := Ramp{TickRate: 60, ServerCores: 1, LoadCores: 1}
	for _, c := range []struct {
		step        Step
		group, want int
	}{
		{Step{Players: 40}, 20, 60},
		{Step{Players: 120}, 20, 160},
		{Step{Players: 240, ServerUsed: .7}, 20, 260},
		{Step{Players: 240, LoadUsed: .7}, 1, 260},
		{Step{Players: 240, Tick99: 12_000}, 1, 260},
		{Step{Players: 2}, 1, 3},
	} {
		if got := r.next(&c.step, c.group); got != c.want {
			t.Errorf("after %+v: %d, want %d", c.step, got, c.want)
		}
	}
}

// The table has the last step of each ramp that broke no bound but that of lateness, how many were held within that too,
// and what ended the ramp. If that was the load, or the
// end of the tries, the server may hold more.
func TestTheCapacityTable(t *testing.T) {
	late, slow, full := good(420), good(440), good(200)
	late.Late99, slow.Tick99, full.Frames, full.LoadUsed = 5000, 18_000, .8, 1
	report := CapacityReport{Machine: "Commit 1.", Cores: 2, Ramps: []Ramp{
		ramped("match20_60", "udp", good(40), good(400), late, slow),
		ramped("match20_60", "quic", good(150), full),
		ramped("growing_60", "websocket", full),
	}}
	want := `Commit 1.

| load | transport | players held | but for lateness | per core used | server CPU per player, of a core | ticks, p99 | late, p99 | corrections a minute | shots agree | down, up | the load took, of the machine | for a client's frame | ended by |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|
| matches of 20 at 60 Hz | udp | 400 | 420 | 400 | 0.25 % | 1.2 ms | 5.0 ms | 0.25 | 99.95 % of 1000 | 9.1, 1.2 kB/s | 42 % | 33 µs | tick time: p99 18.0 ms |
| matches of 20 at 60 Hz | quic | 150 | at least 150 | 400 | 0.25 % | 1.2 ms | 0.3 ms | 0.25 | 99.95 % of 1000 | 9.1, 1.2 kB/s | 15 % | 33 µs | the load's own cores are full |
| one growing match at 60 Hz | websocket | 0 | 0 | – | – | – | – | – | – | – | – | – | the load's own cores are full |
`
	if got := report.Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	file := filepath.Join(t.TempDir(), "capacity.json")
	if err := report.Write(file); err != nil {
		t.Fatal(err)
	}
	read, err := ReadCapacity(file)
	if err != nil || !reflect.DeepEqual(read, &report) {
		t.Errorf("read back %+v (%v), want %+v", read, err, report)
	}
	for _, c := range []struct {
		load, over string
		players    int
	}{{"match20_60", "udp", 420}, {"growing_60", "websocket", 200}, {"growing_60", "udp", 0}} {
		if got := read.Measured(c.load, c.over); (got == nil) != (c.players == 0) || got != nil && got.Players != c.players {
			t.Errorf("%s over %s: measured %+v, want %d players", c.load, c.over, got, c.players)
		}
	}
}

// The percentiles of a hundred ticks that took 1 to 100 µs.
func TestPercentilesOfTicks(t *testing.T) {
	var times tickTimes
	for i := range 100 {
		times.add(time.Duration(i+1)*time.Microsecond, time.Hour)
	}
	var s sample
	times.fill(&s)
	if s.Tick50 != 50 || s.Tick99 != 99 || s.Late99 != 65535 {
		t.Errorf("got %+v, want 50, 99 and the longest", s)
	}
	if times.fill(&s); s.Tick99 != 0 {
		t.Errorf("with no tick since: %v, want 0", s.Tick99)
	}
}

// A bound is kept up to it and broken beyond it, at the tick rate of the ramp and with the cores of its load. Players
// that were lost are named before all else, since what is measured without them is too good.
func TestBoundsAtTheirEdges(t *testing.T) {
	for _, c := range []struct {
		what       string
		change     func(s *Step)
		kept, held bool
		want       string
	}{
		{"all at their bounds", func(s *Step) { s.Tick99, s.Late99, s.Agreement, s.Frames, s.LoadUsed = 20_000, 5000, 99, .97, 1.9 }, true, true, ""},
		{"a tick as long as two at 100 Hz", func(s *Step) { s.Tick99 = 20_001 }, false, false, "tick time: p99 20.0 ms"},
		{"a quarter of a tick late", func(s *Step) { s.Late99 = 5001 }, true, false, ""},
		{"slow and disagreeing", func(s *Step) { s.Tick99, s.Agreement = 30_000, 90 }, false, false, "tick time: p99 30.0 ms"},
		{"lost and slow", func(s *Step) { s.Lost, s.Tick99, s.Frames, s.LoadUsed = 1, 30_000, .1, 2 }, false, false, "1 players could not join or were disconnected"},
		{"a load of two cores that uses one", func(s *Step) { s.LoadUsed = 1 }, true, true, ""},
		{"few frames at four fifths of the load's cores", func(s *Step) { s.Frames, s.LoadUsed = .96, 1.6 }, false, false, loadIsStarved},
		{"few frames above that", func(s *Step) { s.Frames, s.LoadUsed = .96, 1.61 }, false, false, loadIsFull},
		{"disagreeing with few frames", func(s *Step) { s.Agreement, s.Frames, s.LoadUsed = 90, .9, .5 }, false, false, "agreement: 90.0 %, and " + loadIsStarved},
		{"disagreeing with a full load", func(s *Step) { s.Agreement, s.LoadUsed = 90, 2 }, false, false, "agreement: 90.0 %"},
	} {
		s := good(40)
		c.change(&s)
		r := Ramp{TickRate: 50, ServerCores: 2, LoadCores: 2}
		if r.judge(&s, bounds); s.Kept != c.kept || s.Held != c.held || s.Limit != c.want {
			t.Errorf("%s: kept %v, held %v, limit %q; want %v, %v, %q", c.what, s.Kept, s.Held, s.Limit, c.kept, c.held, c.want)
		}
	}
}

// The line of a step ends with what ends the ramp, or with that ticks were late only.
func TestTheLineOfAStep(t *testing.T) {
	late, slow := good(40), good(40)
	late.Late99, slow.Tick99 = 5000, 18_000
	for want, s := range map[string]Step{", up 1.2": good(40), ", up 1.2\n        ticks are late": late, ", up 1.2\n        tick time: p99 18.0 ms": slow} {
		r := ramped("match20_60", "udp", s)
		if got := r.Steps[0].line(); !strings.HasSuffix(got, want) {
			t.Errorf("got %q, want it to end with %q", got, want)
		}
	}
}

// The server may hold more players than a ramp has shown if its last step was kept, or if the load or other programs had
// no processor time left, also where a bound of the server broke meanwhile. It does not where the server alone broke one.
func TestWhichRampsAreOpen(t *testing.T) {
	slow, full, starved, both := good(60), good(60), good(60), good(60)
	slow.Tick99 = 18_000
	full.LoadUsed = 1
	starved.Frames, starved.LoadUsed = .9, .2
	both.Tick99, both.Frames, both.LoadUsed = 18_000, .9, 1
	for want, list := range map[bool][]Step{true: {good(60), full, starved, both}, false: {slow}} {
		for _, last := range list {
			r := ramped("match20_60", "udp", good(40), last)
			if got := r.open(); got != want {
				t.Errorf("after %+v: open %v, want %v", r.Steps[1], got, want)
			}
		}
	}
}

// What is quoted of a load: the largest kept step of its ramp over that transport, else the last one if all played in it,
// else nothing. A ramp that was measured again later counts where the first has nothing.
func TestWhatIsQuotedOfALoad(t *testing.T) {
	lost, slow := good(20), good(40)
	lost.Lost, slow.Tick99 = 1, 18_000
	for _, c := range []struct {
		what  string
		ramps []Ramp
		want  int
	}{
		{"kept", []Ramp{ramped("fight", "udp", good(40), good(80), slow)}, 80},
		{"none kept", []Ramp{ramped("fight", "udp", slow)}, 40},
		{"lost players", []Ramp{ramped("fight", "udp", lost)}, 0},
		{"lost players after a kept step", []Ramp{ramped("fight", "udp", good(10), lost)}, 10},
		{"measured again", []Ramp{ramped("fight", "udp", lost), ramped("fight", "udp", good(60))}, 60},
		{"others", []Ramp{ramped("fight", "quic", good(60)), ramped("fifty", "udp", good(60))}, 0},
	} {
		players := 0
		if s := (&CapacityReport{Ramps: c.ramps}).Measured("fight", "udp"); s != nil {
			players = s.Players
		}
		if players != c.want {
			t.Errorf("%s: got a step of %d players, want %d", c.what, players, c.want)
		}
	}
}

// The next step depends on the fullest of three: the cores of the server, those of the load, and the tick's interval, each
// as a share of its own.
func TestTheNextStepOfSeveralCores(t *testing.T) {
	r := Ramp{TickRate: 60, ServerCores: 4, LoadCores: 2}
	for _, c := range []struct {
		step Step
		want int
	}{
		{Step{Players: 120, ServerUsed: 2.6, LoadUsed: 1.3, Tick99: 11_000}, 160},
		{Step{Players: 120, ServerUsed: 2.7}, 130},
		{Step{Players: 120, LoadUsed: 1.4}, 130},
		{Step{Players: 120, Tick99: 11_200}, 130},
	} {
		if got := r.next(&c.step, 10); got != c.want {
			t.Errorf("after %+v: %d, want %d", c.step, got, c.want)
		}
	}
}

// Percentiles by nearest rank: of two ticks the median is the shorter one, a tick that began early counts as on time, and
// a longer one than the table has is its last entry.
func TestPercentilesOfFewTicks(t *testing.T) {
	var times tickTimes
	times.add(30*time.Microsecond, -time.Microsecond)
	times.add(time.Second, 7*time.Microsecond)
	var s sample
	if times.fill(&s); s.Tick50 != 30 || s.Tick99 != 65535 || s.Late99 != 7 {
		t.Errorf("got %+v, want 30, 65535 and 7", s)
	}
	counts := make([]uint32, 10)
	counts[2], counts[5], counts[9] = 989, 10, 1
	for share, want := range map[float64]float64{.5: 2, .989: 2, .99: 5, .999: 5, 1: 9} {
		if got := percentile(counts, share); got != want {
			t.Errorf("share %g: got %g, want %g", share, got, want)
		}
	}
}
