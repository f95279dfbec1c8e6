package lab_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/session"
)

// plain is a floor, and a player on it for each line of players.
func plain(long, more string, players ...string) string {
	return "name: test\nduration: " + long + "\ngeometry:\n  - box: {min: [-200, -1, -200], max: [200, 0, 200]}\n" +
		more + "\nplayers:\n  - " + strings.Join(players, "\n  - ") + "\n"
}

// play plays a scenario that must have no errors.
func play(t testing.TB, text string) *lab.Result {
	t.Helper()
	r, err := lab.Play(parse(t, text), labgame.New(), lab.Options{Series: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// at returns the position of a player at t seconds.
func at(f *lab.Figures, t float64) lab.Point { return f.Trajectory[int(math.Round(t*100))] }

// kinds returns the kinds of a player's events, in a line.
func kinds(f *lab.Figures) string {
	var out []string
	for _, e := range f.Events {
		out = append(out, e.Kind)
	}
	return strings.Join(out, " ")
}

// A player is held in the air until time zero, and falls once its first command has arrived.
func TestHeldUntilTimeZero(t *testing.T) {
	f := play(t, plain("2s", "network: {rtt: 100ms}", "{name: ann, at: [3, 10, -4], yaw: 90}")).Players["ann"]
	if first := at(f, 0); first.P != [3]float64{3, 10, -4} || first.V != [3]float64{} {
		t.Errorf("at 0 s: %+v", first)
	}
	if len(f.Trajectory) != 201 {
		t.Errorf("%d points in 2 s, want 201", len(f.Trajectory))
	}
	fell := 10 - at(f, 1).P[1]
	if late := 1 - math.Sqrt(fell/4.9); late < 0.05 || late > 0.09 {
		t.Errorf("fell %.3f m in 1 s: began %.3f s late, want half a round trip", fell, late)
	}
	if got := kinds(f); got != "landed" {
		t.Errorf("events: %s", got)
	}
	if f.OwnerError.Max != 0 || f.Corrections != 0 {
		t.Errorf("owner error %v, %d corrections", f.OwnerError, f.Corrections)
	}
}

// A script does what it says: walks, turns, jumps by a press between two frames,
// crouches, and is pushed.
func TestAScript(t *testing.T) {
	r := play(t, plain("8s", "network: {rtt: 60ms, jitter: 5ms}", `name: ann
    frame: [144, 30]
    script:
      - {at: 0s, forward: 1}
      - {at: 2s, jump: true}
      - {at: 2.001s, jump: false}
      - {at: 4s, yaw: 90}
      - {at: 6s, forward: 0, crouch: true}
      - {at: 7s, push: [0, 3, 0]}`))
	f := r.Players["ann"]
	if got := kinds(f); got != "jumped landed pushed corrected landed" {
		t.Errorf("events: %s", got)
	}
	if v := at(f, 3.9).V; math.Abs(v[2]+6) > 0.01 || v[0] != 0 {
		t.Errorf("before the turn: %v m/s, want 6 along −Z", v)
	}
	if v := at(f, 5.9).V; math.Abs(v[0]+6) > 0.01 || math.Abs(v[2]) > 0.01 {
		t.Errorf("after the turn: %v m/s, want 6 along −X", v)
	}
	if f.Corrections != 1 || f.ServerForces != 1 || f.Teleports != 0 {
		t.Errorf("%d corrections of up to %v m, %d placements; want the push alone", f.Corrections, f.CorrectionMax, f.Teleports)
	}
	if f.View.Frames != 4*(144+30) {
		t.Errorf("%d frames in 8 s, want %d", f.View.Frames, 4*(144+30))
	}
	if r.Ticks != 480 {
		t.Errorf("%d ticks, want 480", r.Ticks)
	}
}

// Shots at drawn players over a bad network get the verdict that the screen showed; two shots in one
// frame are one claim, and a shot during the cooldown is none.
func TestShots(t *testing.T) {
	r := play(t, plain("6s", "network: {rtt: 100ms, jitter: 20ms, loss: 0.05}", `name: ann
    script:
      - {at: 1s, fire: {at: bob, part: head}}
      - {at: 1s, fire: {at: bob}}
      - {at: 1.05s, fire: {at: bob}}
      - {at: 2s, fire: {at: bob}}
      - {at: 3s, fire: {yaw: 170, pitch: 10}}
      - {at: 5.99s, fire: {at: bob}}`, `name: bob
    at: [-8, 0, -10]
    script:
      - {at: 0s, right: 1}`))
	s := r.Shots
	if s.Fired != 6 || s.Claimed != 4 || s.Confirmed != 2 || s.Undecided != 1 || s.Agreement != 1 || s.PoseError.Max != 0 {
		t.Errorf("%+v", s)
	}
	for i, want := range []string{"bob head hit", "bob body hit", "  miss"} {
		if x := s.Receipts[i]; x.Target+" "+x.Part+" "+x.Verdict != want || !x.Agrees {
			t.Errorf("shot %d: %+v, want %s", i, x, want)
		}
	}
	if n := len(r.Series.Shots); n != 4 {
		t.Fatalf("%d shots in the series", n)
	}
	if p := r.Series.Shots[0].Poses; len(p) != 1 || p[0].Player != "bob" || !slices.Equal(p[0].Drawn, p[0].Server) {
		t.Errorf("poses of the first shot: %+v", p)
	}
}

// A killed player respawns where it began after 3 s; neither is a correction.
func TestTheDeadReturn(t *testing.T) {
	script := "name: ann\n    script:"
	for _, at := range []string{"1s", "1.2s", "1.4s", "1.6s"} {
		script += "\n      - {at: " + at + ", fire: {at: bob}}"
	}
	r := play(t, plain("6s", "server: {damage: true}\nnetwork: {rtt: 40ms}", script, "{name: bob, at: [0, 0, -10], script: [{at: 0s, right: 0.1}]}"))
	f := r.Players["bob"]
	if got := kinds(f); got != "died spawned" {
		t.Fatalf("bob's events: %s", got)
	}
	if d := f.Events[1].T - f.Events[0].T; d < 2.8 || d > 3.02 { // its death waits until it can know of it
		t.Errorf("returned after %v s, want 3", d)
	}
	if f.Corrections != 0 || f.Teleports != 2 {
		t.Errorf("%d corrections and %d placements, want 0 and 2", f.Corrections, f.Teleports)
	}
	if p := at(f, f.Events[1].T+0.01).P; math.Abs(p[0]) > 0.1 || math.Abs(p[2]+10) > 0.1 {
		t.Errorf("returned to %v", p)
	}
}

// A frozen process and a partitioned network: the match goes on, the server continues the player
// after 250 ms (GAP-11), and there are no errors afterwards.
func TestFaults(t *testing.T) {
	for _, kind := range []string{"freeze", "partition"} {
		r := play(t, plain("8s", "network: {rtt: 50ms}\nfaults:\n  - {at: 2s, for: 1s, kind: "+kind+", player: ann}",
			"{name: ann, script: [{at: 0s, forward: 1}]}", "{name: bob, at: [5, 0, 0]}"))
		f := r.Players["ann"]
		walked := at(f, 2.2).P[2] - at(f, 2.9).P[2]
		if walked < 3.4 || walked > 4.2 {
			t.Errorf("%s: the server carried ann on by %v m meanwhile", kind, walked)
		}
		if v := at(f, 7).V[2]; math.Abs(v+6) > 0.01 {
			t.Errorf("%s: walks at %v m/s afterwards", kind, v)
		}
		frames := map[string]int{"freeze": 7 * 60, "partition": 8 * 60}[kind]
		if f.View.Frames != frames {
			t.Errorf("%s: %d frames, want %d", kind, f.View.Frames, frames)
		}
		if got := f.Events[0]; got.T != 2 || got.Kind != map[string]string{"freeze": "frozen", "partition": "cut"}[kind] {
			t.Errorf("%s: first event %+v", kind, got)
		}
		t.Logf("%s: %d corrections of up to %.2f m, owner error %+v, discrepancy %+v", kind, f.Corrections, f.CorrectionMax, f.OwnerError, f.TimeDiscrepancy)
	}
}

// A link that is dead one way for a second, played whole: without the way up the server walks the player
// on, who has turned meanwhile, and corrects it afterwards; without the way down nothing is to be corrected, and other
// players stand still on its screen until the way is back. The fault is counted, and the link is the player's own again afterwards.
func TestALinkThatIsDeadOneWay(t *testing.T) {
	for _, way := range []string{"up", "down"} {
		r := play(t, plain("6s", "network: {rtt: 60ms}\nexpect: [ann.events.network == 1]\nfaults:\n  - {at: 2s, for: 1s, kind: network, player: ann, network: {loss: 1}, direction: "+way+"}",
			"{name: ann, script: [{at: 0s, forward: 1}, {at: 2400ms, forward: 0, right: 1}]}", "{name: bob, at: [5, 0, 0], script: [{at: 0s, forward: 1}]}"))
		ann, shown := r.Players["ann"], r.Series.Players["ann"].Remotes["bob"]
		if !r.Held() || kinds(ann)[:7] != "network" || ann.Events[0].T != 2 {
			t.Errorf("%s: events %s, want the fault at 2 s", way, kinds(ann))
		}
		if up := way == "up"; (ann.Timeouts > 0) != up || ann.RemoteError.Max > 1 == up || ann.Extrapolated > 0.1 == up {
			t.Errorf("%s: %d timeouts, a remote error of %v m, and %v of the views past the last sample; want timeouts up, and more than 1 m and a tenth down", way, ann.Timeouts, ann.RemoteError.Max, ann.Extrapolated)
		}
		if v := at(ann, 5).V[0]; math.Abs(v-6) > 0.01 || len(shown) == 0 {
			t.Errorf("%s: walks to the right at %v m/s afterwards and sees %d points of bob, want 6 and some", way, v, len(shown))
		}
		t.Logf("%s: %d timeouts, %d corrections of up to %.2f m, remote error %+v", way, ann.Timeouts, ann.Corrections, ann.CorrectionMax, ann.RemoteError)
	}
}

// Clocks: an offset does not matter, 300 ppm are followed without a trace, and a
// clock 7 % fast is not followed, is detected, and gains nothing lasting. [TIM-12, TIM-15]
func TestClocks(t *testing.T) {
	for _, c := range []struct {
		clock    string
		detected bool
		gain     float64
	}{
		{"{offset: 300s}", false, 0.002},
		{"{offset: -5000s}", false, 0.002},
		{"{rate: 1.0003}", false, 0.002},
		{"{rate: 0.9997}", false, 0.002},
		{"{rate: 0.99}", false, 0.002},
		{"{rate: 1.01}", false, 0.002},
		{"{rate: 1.07}", true, 0.03},
	} {
		f := play(t, plain("20s", "network: {rtt: 80ms}", "{name: ann, clock: "+c.clock+", script: [{at: 0s, forward: 1}]}")).Players["ann"]
		d := f.TimeDiscrepancy
		t.Logf("%s: %+v, %d frames, %d corrections", c.clock, d, f.View.Frames, f.Corrections)
		if d.Detected != c.detected || d.Gain > c.gain || !c.detected && d.Gain < -c.gain {
			t.Errorf("%s: %+v", c.clock, d)
		}
		if !c.detected && f.Corrections != 0 {
			t.Errorf("%s: %d corrections", c.clock, f.Corrections)
		}
	}
}

// Snapshots on every third tick cost about a third; what is drawn stays true.
func TestFewerSnapshots(t *testing.T) {
	two := []string{"{name: ann}", "{name: bob, at: [5, 0, 0], script: [{at: 0s, forward: 1}, {at: 1s, forward: -1}, {at: 3s, forward: 1}]}"}
	all := play(t, plain("5s", "network: {rtt: 50ms, jitter: 10ms}", two...)).Players["ann"]
	some := play(t, plain("5s", "server: {snapshots: 20}\nnetwork: {rtt: 50ms, jitter: 10ms}", two...)).Players["ann"]
	t.Logf("60 Hz: %.0f B/s, view delay %.3f s, error %+v; 20 Hz: %.0f B/s, %.3f s, %+v",
		all.Down, all.ViewDelay.Mean, all.RemoteError, some.Down, some.ViewDelay.Mean, some.RemoteError)
	if share := some.Down / all.Down; share < 0.3 || share > 0.4 {
		t.Errorf("20 Hz costs %.2f of 60 Hz", share)
	}
	if some.ViewDelay.Mean < all.ViewDelay.Mean+0.02 || some.RemoteError.Mean > 0.01 || some.Corrections != 0 || some.Snaps != 0 {
		t.Errorf("20 Hz: %+v", some.RemoteError)
	}
}

// Tunables reach both ends.
func TestParams(t *testing.T) {
	f := play(t, plain("4s", "params: {max_walk_speed: 3, gravity: -2, jump_speed: 2}",
		"{name: ann, script: [{at: 0s, forward: 1}, {at: 1s, jump: true}]}")).Players["ann"]
	if v := at(f, 0.9).V[2]; math.Abs(v+3) > 0.01 {
		t.Errorf("walks at %v m/s, want 3", v)
	}
	var flight float64
	for _, e := range f.Events {
		if e.Kind == "jumped" {
			flight -= e.T
		} else if e.Kind == "landed" {
			flight += e.T
		}
	}
	if math.Abs(flight-2) > 0.1 || f.Corrections != 0 {
		t.Errorf("jumped for %v s, want 2; %d corrections", flight, f.Corrections)
	}
}

// A hundred players run.
func TestAHundredPlayers(t *testing.T) {
	if testing.Short() {
		t.Skip("a long match in one goroutine")
	}
	r, err := lab.Play(crowd(t, 100, "yard", "wander", 1), labgame.New(), lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Players["p0"]
	if len(r.Players) != 100 || p.RemoteError.Mean > 0.05 || p.Moves.Made < 50 {
		t.Errorf("%d players; the first: %+v, %+v", len(r.Players), p.RemoteError, p.Moves)
	}
}

// A scenario that cannot be played is an error in its line; so are invalid tunables.
func TestWhatCannotBePlayed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{plain("1s", "params: {half_height: 0.1}", "{name: ann}"), "test.yaml:5: movement: HalfHeight is 0.1"},
		{plain("1s", "params:\n  max_walk_speed: 3\n  half_height: 0.1", "{name: ann}"), "test.yaml:7: movement: HalfHeight is 0.1"},
		{plain("1s", "network: {loss: 1}", "{name: ann}"), "ann was not ready"},
		{strings.Replace(plain("1s", "", "{name: ann}"), "geometry:\n  - box: {min: [-200, -1, -200], max: [200, 0, 200]}", "level: none.glb", 1), "none.glb"},
	} {
		_, err := lab.Play(parse(t, c.text), labgame.New(), lab.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// A player that loses its connection between two pushes has both corrections, all its moves, and the bytes of each; its
// line goes on as it was, a bad one too. [SND-06]
func TestFiguresOverAReconnect(t *testing.T) {
	text := plain("8s", "network: {rtt: 60ms}", "{name: ann, script: [{at: 0s, forward: 1}, {at: 1s, push: [0, 0, 3]}, {at: 6s, push: [0, 0, 3]}]}", "{name: bob, at: [5, 0, 0]}")
	plays := play(t, text).Players["ann"]
	faults := "faults:\n  - {at: 3s, for: 300ms, kind: reconnect, player: ann}\n"
	back := play(t, text+faults).Players["ann"]
	if back.ServerForces != 2 || happened(back, "corrected") != back.Corrections || happened(back, "disconnected") != 1 {
		t.Errorf("%d pushes, %d corrections, events %s; want 2 pushes, and an event of each correction", back.ServerForces, back.Corrections, kinds(back))
	}
	if back.Moves.Made < plays.Moves.Made-90 || back.Moves.Made > plays.Moves.Made || math.Abs(back.MoveBytes/plays.MoveBytes-1) > 0.1 {
		t.Errorf("%d moves of %.1f bytes each; without the fault %d of %.1f", back.Moves.Made, back.MoveBytes, plays.Moves.Made, plays.MoveBytes)
	}
	slow := play(t, text+faults+"  - {at: 2s, kind: network, player: ann, network: {rtt: 400ms}}\n").Players["ann"]
	if slow.ViewDelay.P99 < 0.2 { // 132 ms before
		t.Errorf("a view delay of %+v, want that the round trip of 400 ms goes on over the new connection", slow.ViewDelay)
	}
}

// happened counts the events of a kind.
func happened(f *lab.Figures, kind string) int { return strings.Count(" "+kinds(f)+" ", " "+kind+" ") }

// deaf is a game whose server refuses a datagram of its second player after a while.
type deaf struct{ lab.Game }

func (g deaf) Match(s lab.Setup) (lab.Match, error) {
	m, err := g.Game.Match(s)
	return &deafMatch{Match: m}, err
}

type deafMatch struct {
	lab.Match
	received int
}

func (m *deafMatch) Wrapped() any { return m.Match }

func (m *deafMatch) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	if m.received++; m.received > 500 && from == 2 {
		return errors.New("bits: short")
	}
	return m.Match.Receive(from, ch, at, b)
}

// A packet of an honest player that the server cannot read ends the run; of a cheat it may refuse any.
func TestTheServerReadsHonestPlayers(t *testing.T) {
	for cheat, want := range map[string]any{"none": "lab: one end cannot read a packet of the other: bits: short", "speed": nil} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("cheat %s: got %v, want %v", cheat, got, want)
				}
			}()
			s := parse(t, plain("5s", "", "{name: ann}", "{name: bob, cheat: "+cheat+"}"))
			if _, err := lab.Play(s, deaf{labgame.New()}, lab.Options{}); err != nil {
				t.Errorf("cheat %s: %v", cheat, err)
			}
		}()
	}
}

// A run whose length is no multiple of a tick has no point of a path after its end.
func TestNoPointAfterTheEnd(t *testing.T) {
	f := play(t, plain("1010ms", "server: {tick: 20}", "{name: ann}")).Players["ann"]
	if last := f.Trajectory[len(f.Trajectory)-1]; len(f.Trajectory) != 102 || last.T != 1.01 {
		t.Errorf("%d points up to %v s, want 102 up to 1.01", len(f.Trajectory), last.T)
	}
}

// An expectation about what was never measured does not hold, whatever number stands in for it: the error of players
// that are not there, the share of no shots. A mean leaves such runs out.
func TestExpectationsOfNothing(t *testing.T) {
	expect := "expect: [ann.remote_error.max <= 1, shots.agreement == 1, shots.kept > 0, shots.weapons.sword.agreement == 1, shots.behind_cover.share == 0, mean shots.kept == 1, ann.view_delay.max < 1, ann.owner_error.max == 0]"
	r := play(t, plain("1s", expect, "{name: ann}"))
	for i, x := range r.Expect {
		if measured := i >= 6; x.Held != measured || x.Unmeasured == measured {
			t.Errorf("alone: %+v, want held %v", x, measured)
		}
	}
	shoots := strings.Replace(plain("2s", expect, "{name: ann, script: [{at: 1s, fire: {at: bob}}]}", "{name: bob, at: [0, 0, -10]}"), "shots.weapons.sword.agreement == 1, ", "", 1)
	if r := play(t, shoots); !r.Held() {
		t.Errorf("with a target: %+v, want that all hold", r.Expect)
	}
	d, err := lab.Seeds(t.Context(), parse(t, plain("1s", expect, "{name: ann}")), labgame.New(), 2, lab.SeedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range d.Expect {
		if measured := i >= 6; x.Held != measured || x.Unmeasured == measured {
			t.Errorf("over seeds: %+v, want held %v", x, measured)
		}
	}
}

// Expectations are checked.
func TestExpectations(t *testing.T) {
	r := play(t, plain("1s", "expect:\n  - ann.corrections <= 0\n  - ann.view.frames == 30\n  - shots.unfired == 0", "{name: ann, frame: 90}"))
	if r.Held() || !r.Expect[0].Held || r.Expect[1].Held || r.Expect[1].Got != 90 || !r.Expect[2].Held {
		t.Errorf("%+v", r.Expect)
	}
}

// A page in the background has a frame a second, or none, and receives packets all the time: its
// clock does not jump, there is no time discrepancy, and it plays on afterwards.
func TestBackground(t *testing.T) {
	for frame, want := range map[string]int{"": 364, ", frame: 0": 360} {
		text := plain("10s", "network: {rtt: 60ms}", "{name: ann, script: [{at: 0s, forward: 1}]}")
		f := play(t, text+"faults: [{at: 3s, for: 4s, kind: background, player: ann"+frame+"}]\n").Players["ann"]
		if n := f.View.Frames; n < want-2 || n > want+2 || f.TimeDiscrepancy.Detected || f.Events[0].Kind != "hidden" {
			t.Errorf("%q: %d frames, want about %d; %+v; first event %+v", frame, n, want, f.TimeDiscrepancy, f.Events[0])
		}
		if f.End.Speed < 5.9 {
			t.Errorf("%q: %.2f m/s at the end", frame, f.End.Speed)
		}
	}
}

// A lag switch that holds packets for a second of each four: the server continues the player three
// times in twelve seconds, and the player gains nothing.
func TestLagSwitch(t *testing.T) {
	lag := "{name: eve, cheat: {kind: lag, hold: 1s, every: 4s}, script: [{at: 0s, forward: 1}, {at: 0.5s, yaw: 90}, {at: 4.5s, yaw: 180}, {at: 8.5s, yaw: 270}]}"
	f := play(t, plain("12s", "network: {rtt: 60ms}", lag)).Players["eve"]
	t.Logf("%d corrections, %d overtaken, %+v", f.Corrections, f.Timeouts, f.TimeDiscrepancy)
	if f.Timeouts < 2 || f.Timeouts > 6 || f.TimeDiscrepancy.Gained > 0.25 || f.Fastest > 6.03 {
		t.Errorf("%d overtaken, %+v, %.2f m/s at most", f.Timeouts, f.TimeDiscrepancy, f.Fastest)
	}
}
