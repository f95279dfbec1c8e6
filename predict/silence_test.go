package predict

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

const frame60 = 417 * TimeQuantum // 16.68 ms

// pair is an owner and an authority on a line that takes 30 ms up and nothing down, at
// 60 frames and ticks a second. What is said while it is cut is lost, while it is held
// comes later.
type pair struct {
	o         *toyOwner
	a         *toyAuthority
	now       clock.Micros
	cut, held bool
	mail      [][]byte
	due       []clock.Micros
	forced    clock.Micros // time that was simulated without the owner
	input     toyInput     // of the newest step
	cause     []Cause      // of the corrections that were sent, each once
}

func newPair(rules Rules[toyState, toyInput]) *pair {
	start := toyState{Ammo: 10}
	p := &pair{now: 5 * clock.Second}
	p.o = NewOwner(rules, start)
	p.a = NewAuthority(rules, start, nil)
	return p
}

// frame lets both ends go on by one frame; without in, the owner makes no move.
func (p *pair) frame(t *testing.T, in *toyInput) {
	t.Helper()
	p.now += frame60
	if in != nil {
		p.o.Advance(p.now-p.now%TimeQuantum, frame60, *in)
		if !p.cut {
			p.mail = append(p.mail, sealed(p.o, 1000))
			p.due = append(p.due, p.now+30*clock.Millisecond)
		} else {
			sealed(p.o, 1000)
		}
	}
	for !p.held && len(p.due) > 0 && p.due[0] <= p.now {
		if err := open(p.a, p.now, p.mail[0]); err != nil {
			t.Fatal(err)
		}
		p.mail, p.due = p.mail[1:], p.due[1:]
	}
	for p.a.Next(p.now) {
		if p.a.ServerDriven() {
			p.forced += p.a.Command().Duration
		}
		p.input = p.a.Command().Input
	}
	epoch := p.a.epoch
	if v := p.a.Verdict(p.now); v != nil && !p.cut && !p.held {
		if v.Correction && epoch != p.o.epoch && !p.o.waiting {
			p.cause = append(p.cause, v.Cause)
		}
		p.o.Receive(copied(v))
	}
}

func (p *pair) frames(t *testing.T, n int, in *toyInput) {
	t.Helper()
	for range n {
		p.frame(t, in)
	}
}

// A player that is silent for 250 ms is simulated on, behind by that and by the way of its link: for a
// second with the input that it held, without its trigger, then with none. A player whose moves have not
// begun is not, and no player is where SilenceTimeout is zero. [GAP-11, SRV-15]
func TestSilentPlayersAreSimulatedOn(t *testing.T) {
	p := newPair(toy{})
	p.frames(t, 60, nil)
	if p.a.Counters().ServerDriven != 0 {
		t.Fatal("somebody who never moved was carried on")
	}
	p.frames(t, 60, &toyInput{X: 1})
	p.frame(t, &toyInput{X: 1, Fire: true})
	last := p.now
	for p.now-last <= 260*clock.Millisecond {
		if p.frame(t, nil); p.forced != 0 {
			t.Fatalf("carried on %v s after its last move", (p.now - last).Seconds())
		}
	}
	for p.forced < clock.Second {
		p.frame(t, nil)
		if p.input != (toyInput{X: 1}) || !p.a.ServerDriven() && p.a.Next(p.now) {
			t.Fatalf("after %v s of it the input is %+v", p.forced.Seconds(), p.input)
		}
	}
	p.frames(t, 60, nil)
	if trail := p.now - p.a.Stamp(); trail < 283*clock.Millisecond || trail > 284*clock.Millisecond {
		t.Errorf("trails by %d µs, want 250 ms and two ticks, which the line takes", trail)
	}
	if s := p.a.State(); p.input != (toyInput{}) || s.Vel.Len() > 1e-6 || s.Ammo != 9 {
		t.Errorf("in the end %+v with input %+v", s, p.input)
	}
	p = newPair(toy{})
	p.a.Limits.SilenceTimeout = -1
	p.frames(t, 60, &toyInput{X: 1})
	if p.frames(t, 600, nil); p.a.Counters().ServerDriven != 0 {
		t.Error("carried on where it is off")
	}
}

// resting lets go of the keys but not of the trigger, which stands for a view here.
type resting struct{ toy }

func (resting) ReleaseHeld(c *toyInput) { *c = toyInput{Z: 1} }

// A game may say which input is left when none is held any more. [GAP-11]
func TestTheInputAfterASilenceIsTheGames(t *testing.T) {
	p := newPair(resting{})
	p.frames(t, 60, &toyInput{X: 1})
	if p.frames(t, 120, nil); p.input != (toyInput{Z: 1}) {
		t.Errorf("the input of somebody silent for two seconds is %+v", p.input)
	}
}

// A second in which the input is held, by what the owner did in it. An owner that did what the authority
// simulated agrees with it and is not corrected. Another is corrected once, with the cause Timeout. The
// move that straddles the end is cut to what is left of it. [GAP-11, GAP-66]
func TestMovesThatCameTooLate(t *testing.T) {
	for _, c := range []struct {
		name   string
		before toyInput
		during toyInput
		want   []Cause
	}{
		{"stands", toyInput{}, toyInput{}, nil},
		{"turns back", toyInput{X: 1}, toyInput{X: -1}, []Cause{Timeout}},
		{"fires", toyInput{}, toyInput{Fire: true}, []Cause{Timeout}},
	} {
		p := newPair(toy{})
		p.frames(t, 90, &c.before)
		p.held = true
		p.frame(t, &c.during)
		c.during.Fire = false
		p.frames(t, 60, &c.during)
		reached := p.a.Stamp()
		p.held = false
		p.frame(t, &c.during)
		p.frames(t, 90, &c.during)
		n := p.a.Counters()
		if p.a.Discrepancy() != (Discrepancy{}) || n.Refused+n.Cut+n.Corrections != 0 || n.Stale < 40 || reached == 0 {
			t.Errorf("%s: %+v", c.name, n)
		}
		if len(p.cause) != len(c.want) || len(p.cause) > 0 && p.cause[0] != c.want[0] {
			t.Errorf("%s: corrected because of %v, want %v", c.name, p.cause, c.want)
		}
		p.frames(t, 5, nil)
		if *p.o.State() != *p.a.State() {
			t.Errorf("%s: owner %+v, authority %+v", c.name, p.o.State(), p.a.State())
		}
	}
}

// A move that begins in time that was simulated without the owner and ends after it lasts only from
// there on; the one before it is dropped. [GAP-11]
func TestStraddlingMoves(t *testing.T) {
	a := newToyAuthority(toyState{})
	at := 10 * clock.Second
	hand(a, at, toyCommand{Number: 1, Stamp: at, Duration: 40 * clock.Millisecond})
	for now := at; now <= at+500*clock.Millisecond; now += 10 * clock.Millisecond {
		for a.Next(now) {
		}
	}
	if a.Stamp() != at+250*clock.Millisecond {
		t.Fatalf("carried on to %d", a.Stamp()-at)
	}
	now := at + 510*clock.Millisecond
	hand(a, now,
		toyCommand{Number: 2, Stamp: at + 200*clock.Millisecond, Duration: 100 * clock.Millisecond},
		toyCommand{Number: 3, Stamp: at + 300*clock.Millisecond, Duration: 100 * clock.Millisecond},
		toyCommand{Number: 4, Stamp: at + 400*clock.Millisecond, Duration: 100 * clock.Millisecond})
	want := []clock.Micros{50 * clock.Millisecond, 100 * clock.Millisecond}
	for a.Next(now) {
		if len(want) == 0 || a.Command().Duration != want[0] || a.ServerDriven() {
			t.Fatalf("move %d runs for %d", a.Command().Number, a.Command().Duration)
		}
		want = want[1:]
	}
	if c := a.Counters(); len(want) != 0 || c.Stale != 1 || c.Cut != 0 || a.correcting {
		t.Errorf("%d left\n%+v", len(want), c)
	}
}

// MOD-03, GAP-20: after 130 s without a move in which the match went on, the first
// input is run at once, whole, and nobody is corrected.
func TestTheFirstInputAfterALongSilence(t *testing.T) {
	p := newPair(toy{})
	p.frames(t, 60, &toyInput{})
	p.frames(t, 130*60, nil)
	before := p.a.Counters()
	p.frames(t, 3, &toyInput{X: 1})
	after := p.a.Counters()
	if after.Executed <= before.Executed || p.a.State().Vel.X <= 0 || after.Cut+after.Refused+after.Stale != 0 {
		t.Errorf("after %+v\n%+v", before, after)
	}
	p.frames(t, 60, &toyInput{X: 1})
	if len(p.cause) != 0 {
		t.Errorf("corrected because of %v", p.cause)
	}
}

// An owner that is always a little late, to hang in the air, is simulated on once it is further behind
// than any link. [THR-22]
func TestAnOwnerThatIsAlwaysLate(t *testing.T) {
	a := newToyAuthority(toyState{})
	now, stamp := 10*clock.Second, 10*clock.Second
	for n := range uint32(1800) {
		now += frame60
		stamp += frame60 / 10
		hand(a, now, toyCommand{Number: n + 1, Stamp: stamp, Duration: frame60 / 10})
		for a.Next(now) {
		}
		if now-a.Stamp() > maxLinkDelay+a.limits.SilenceTimeout+frame60 {
			t.Fatalf("%d µs behind", now-a.Stamp())
		}
	}
	if a.Counters().ServerDriven == 0 {
		t.Error("never carried on")
	}
}

// In silence the input of the last move that was run goes on, whatever arrived and was refused since.
// [GAP-11]
func TestARefusedMoveIsNotTheHeldInput(t *testing.T) {
	a, now, refused := newToyAuthority(toyState{}), clock.Second, 0
	hand(a, now, toyCommand{1, now, frame60, toyInput{X: 1, Fire: true}})
	for frame := range 60 {
		for a.Next(now) {
			c := a.Command()
			if want := (toyInput{X: 1}); a.ServerDriven() && c.Input != want {
				t.Fatalf("frame %d, %d refused: %+v goes on, want %+v", frame, refused, c.Input, want)
			}
		}
		if c := a.Counters(); frame%10 == 9 && c.ServerDriven > 0 {
			refused++
			hand(a, now, toyCommand{a.Number() + 1, a.Stamp(), frame60, toyInput{Z: 1}})
		}
		now += frame60
	}
	if c := a.Counters(); c.ServerDriven < 3 || c.Stale < 2 || c.Executed != 1 {
		t.Errorf("%+v", c)
	}
}

// trusting believes claims, if it wants to.
type trusting struct {
	toy
	no bool
}

func (r trusting) Trust(s *toyState, claimed geom.Vec3) bool {
	if !r.no {
		s.Pos = claimed
	}
	return !r.no
}

// SRV-14: by default a claim is not adopted, within the error test's tolerance or not;
// where it is trusted and the game agrees it is, and nobody is corrected. Nobody is
// trusted beyond the limit, nor where something discrete differs, nor while its time
// is put right.
func TestTrust(t *testing.T) {
	for _, c := range []struct {
		name           string
		off, most      float64
		ammo           int
		no, resolving  bool
		adopted, wrong bool
	}{
		{"1 cm, not trusted", 0.01, 0, 0, false, false, false, false},
		{"1 cm", 0.01, 0.5, 0, false, false, true, false},
		{"30 cm, not trusted", 0.3, 0, 0, false, false, false, true},
		{"30 cm", 0.3, 0.5, 0, false, false, true, false},
		{"60 cm of 50", 0.6, 0.5, 0, false, false, false, true},
		{"1 mm, which the grid of claims may be", 0.001, 0.5, 0, false, false, false, false},
		{"30 cm, and the game says no", 0.3, 0.5, 0, true, false, false, true},
		{"1 cm, and the game says no", 0.01, 0.5, 0, true, false, false, false},
		{"30 cm and a shot", 0.3, 0.5, 1, false, false, false, true},
		{"30 cm while resolving", 0.3, 0.5, 0, false, true, false, true},
	} {
		rules := trusting{no: c.no}
		start := toyState{Ammo: 5}
		o := NewOwner[toyState, toyInput](rules, start)
		start.Pos.X, start.Ammo = c.off, 5+c.ammo
		a := NewAuthority[toyState, toyInput](rules, start, nil)
		a.Limits.TrustDistance = c.most
		o.Advance(clock.Second, frame60, toyInput{})
		o.Advance(clock.Second+frame60, frame60, toyInput{})
		now := clock.Second + frame60
		if err := open(a, now, sealed(o, 1000)); err != nil {
			t.Fatal(err)
		}
		a.budget.resolving = c.resolving
		for a.Next(now) {
			a.budget.resolving = c.resolving
		}
		adopted := a.State().Pos.Len() < 0.003
		if c.off < 0.003 {
			adopted = a.Counters().Trusted > 0
		}
		if adopted != c.adopted || a.correcting != c.wrong || (a.Counters().Trusted > 0) != c.adopted {
			t.Errorf("%s: at %v, corrected %v\n%+v", c.name, a.State().Pos, a.correcting, a.Counters())
		}
	}
}

// SRV-14, THR-23: nor is one brought further that begins anew over another connection, five times a second.
func TestTrustIsABudgetOverTakeovers(t *testing.T) {
	rules := trusting{}
	var o *Owner[toyState, toyInput]
	var a *Authority[toyState, toyInput]
	now, trusted := clock.Second, 0
	for n := range 600 {
		if n%12 == 0 {
			earlier, state := a, toyState{}
			if earlier != nil {
				state = *earlier.State()
				trusted += earlier.Counters().Trusted
			}
			o, a = NewOwner[toyState, toyInput](rules, state), NewAuthority[toyState, toyInput](rules, state, nil)
			if a.Limits.TrustDistance = 0.5; earlier != nil {
				a.Continue(earlier, now)
			}
		}
		now += frame60
		o.state.Pos.X = a.State().Pos.X + 0.1 // the lie
		o.Advance(now-now%TimeQuantum, frame60, toyInput{})
		if err := open(a, now, sealed(o, 1000)); err != nil {
			t.Fatal(err)
		}
		for a.Next(now) {
		}
		if most := 0.51 + 0.5*(now-clock.Second).Seconds(); a.State().Pos.X > most {
			t.Fatalf("brought %v m in %d moves", a.State().Pos.X, n)
		}
	}
	if trusted < 20 {
		t.Errorf("%d claims adopted, want some", trusted)
	}
}

// SRV-14, THR-23: a liar that is trusted with half a metre and claims 10 cm more with
// each move is brought no further than that in any second.
func TestTrustIsABudget(t *testing.T) {
	rules := trusting{}
	o := NewOwner[toyState, toyInput](rules, toyState{})
	a := NewAuthority[toyState, toyInput](rules, toyState{}, nil)
	a.Limits.TrustDistance = 0.5
	now := clock.Second
	for n := range 600 {
		now += frame60
		o.state.Pos.X = a.State().Pos.X + 0.1 // the lie
		o.Advance(now-now%TimeQuantum, frame60, toyInput{})
		if err := open(a, now, sealed(o, 1000)); err != nil {
			t.Fatal(err)
		}
		for a.Next(now) {
		}
		if most := 0.51 + 0.5*(now-clock.Second).Seconds(); a.State().Pos.X > most {
			t.Fatalf("brought %v m in %d moves", a.State().Pos.X, n)
		}
		if v := a.Verdict(now); v.Correction {
			o.Receive(copied(v))
			o.ApplyCorrection()
		}
	}
	if c := a.Counters(); c.Trusted < 20 || c.CorrectionsSent < 20 {
		t.Errorf("%+v", c)
	}
}

// Limits that contradict each other are an error.
func TestInvalidLimits(t *testing.T) {
	for name, spoil := range map[string]func(*Limits){
		"age": func(l *Limits) { l.MaxMoveAge = -1 }, "burst": func(l *Limits) { l.Burst = -1 },
		"trust": func(l *Limits) { l.TrustDistance = 1 }, "rate": func(l *Limits) { l.Rate = -1 },
		"error": func(l *Limits) { l.MaxErrorSquared = math.NaN() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: taken", name)
				}
			}()
			a := newToyAuthority(toyState{})
			spoil(&a.Limits)
			open(a, 1, nil)
		}()
	}
}

// The zero Limits are the defaults, and what is below zero is off.
func TestZeroLimitsAreTheDefaults(t *testing.T) {
	want := Limits{
		MaxErrorSquared: 3e-4, LargeError: 0.15, CorrectionInterval: 100 * clock.Millisecond, LargeCorrectionInterval: 50 * clock.Millisecond,
		MaxTimeDiscrepancy: 250 * clock.Millisecond, MaxMoveAge: 6 * clock.Second, SilenceTimeout: 250 * clock.Millisecond,
		InputHoldTime: clock.Second, MaxReorderWait: 50 * clock.Millisecond, Rate: 600, Burst: 1200,
	}
	if got := (Limits{}).filled(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	off := Limits{
		MaxErrorSquared: -1, LargeError: -1, CorrectionInterval: -1, LargeCorrectionInterval: -1,
		MaxTimeDiscrepancy: -1, SilenceTimeout: -1, InputHoldTime: -1, MaxReorderWait: -1,
	}
	if got := off.filled(); got != (Limits{MaxMoveAge: 6 * clock.Second, Rate: 600, Burst: 1200}) {
		t.Errorf("below zero: got %+v", got)
	}
}

// How long an owner is waited for follows its link: 250 ms, or twice as long as packets have recently
// been lost in a row, at most 500 ms. A longer outage teaches nothing, nor does a link that holds packets
// or a page that froze; the wait decays, and an owner that borrows time is not waited for. [TIM-16, GAP-11]
func TestTheSilenceThatIsTolerated(t *testing.T) {
	for _, c := range []struct {
		name      string
		run, idle clock.Micros // in ms; idle is the time since then in which all arrived
		how       string
		want      clock.Micros
	}{
		{"an orderly link", 0, 1000, "lost", 250},
		{"120 ms lost", 120, 1000, "lost", 250},
		{"200 ms lost", 200, 1000, "lost", 400},
		{"300 ms lost, which was not waited for", 300, 1000, "lost", 500},
		{"480 ms lost", 480, 1000, "lost", 500},
		{"600 ms lost", 600, 1000, "lost", 250},
		{"300 ms lost, four minutes ago", 300, 240_000, "lost", 250},
		{"300 ms held", 300, 1000, "held", 250},
		{"300 ms frozen", 300, 1000, "frozen", 250},
		{"300 ms lost, and 200 ms borrowed", 300, 1000, "borrowed", 300},
	} {
		a, now, n := newToyAuthority(toyState{}), lineBegin, uint32(0)
		next := func() {
			for a.Next(now) {
			}
		}
		play := func(long clock.Micros, how string) {
			var moves []toyCommand
			for end := now + long*ms; now < end; {
				now += 20 * ms
				n++
				moves = append(moves, toyCommand{Number: n, Stamp: now, Duration: 20 * ms})
				if how == "" {
					hand(a, now, moves...)
					moves = moves[:0]
				}
				next()
			}
			switch {
			case len(moves) == 0:
			case how == "held":
				for _, m := range moves {
					hand(a, now, m)
				}
			case how == "frozen":
				moves[len(moves)-1].Number -= uint32(len(moves) - 1)
				n = moves[len(moves)-1].Number
				hand(a, now, moves[len(moves)-1])
			default:
				hand(a, now, moves...)
			}
			next()
		}
		play(2000, "")
		if c.run > 0 {
			play(c.run+20, c.how) // the newest of them is in time
		}
		play(c.idle, "")
		if c.how == "borrowed" {
			a.budget.credit -= 200 * ms
		}
		heard, driven := now, a.Counters().ServerDriven
		for a.Counters().ServerDriven == driven {
			now += ms
			next()
		}
		if got := (now - heard) / ms; got < c.want-2 || got > c.want+1 { // 2 ms decay in a second
			t.Errorf("%s: simulated on after %d ms, want %d", c.name, got, c.want)
		}
	}
}

// A link that loses all packets of 450 ms again and again: the moves of each run are run as they are,
// but at one instant no more than on any link, 375 ms; the rest follows a tenth faster than time
// passes. [TIM-16, THR-18]
func TestLateMovesThatExceedTheBudgetWait(t *testing.T) {
	p := newPair(toy{})
	most := clock.Micros(0)
	frames := func(n int, cut bool) {
		p.cut = cut
		for i := range n {
			before, passed := p.a.Stamp(), p.now
			p.frame(t, &toyInput{X: i%3 - 1, Z: i/2%3 - 1})
			most = max(most, p.a.Stamp()-before-(p.now-passed))
		}
	}
	frames(120, false)
	frames(27, true)
	frames(300, false)
	learnt := p.a.Counters()
	most = 0
	for range 5 {
		frames(27, true)
		frames(300, false)
	}
	c := p.a.Counters()
	if c.ServerDriven != learnt.ServerDriven || c.Timeouts+c.Corrections != learnt.Timeouts+learnt.Corrections || c.Overdue+c.Stale-learnt.Stale > 0 {
		t.Errorf("after the first time\n%+v\n%+v", learnt, c)
	}
	if p.frames(t, 5, nil); p.a.Queued() > 0 || *p.o.State() != *p.a.State() {
		t.Errorf("%d moves still wait; owner %+v, authority %+v", p.a.Queued(), p.o.State(), p.a.State())
	}
	if limit := p.a.limits.atOnce(); most > limit || most < limit-2*frame60 {
		t.Errorf("%d µs more than passed were run in a tick, want nearly %d", most, limit)
	}
}
