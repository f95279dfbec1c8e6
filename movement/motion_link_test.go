package movement_test

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/rootmotion"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/track"
)

// dasher is a hero whose command can start a dash: the whole of what a game does
// for an ability of the owner's (RMS-21).
type dasher struct {
	movement.State
	Ready clock.Micros // when it may dash again
}

type dashCommand struct {
	movement.Command
	Dash        bool
	Lunge, Leap bool // a clip, a jump-to
}

type dashGame struct {
	model movement.Model
	view  collide.WorldAt
	frame movement.StepContext
}

func (g *dashGame) Step(h *dasher, move *predict.Command[dashCommand]) {
	c, d := &move.Input, move.Duration
	g.view.At = move.Stamp
	h.Ready = max(h.Ready-d, 0)
	if c.Dash && h.Ready == 0 {
		dash := rootmotion.Constant(geom.V(0, 0, -12), clock.Second/4)
		dash.Flags = rootmotion.Local | rootmotion.IgnoreVertical
		dash.Finish, dash.FinishVelocity = rootmotion.Clamp, geom.V(6, 0, 0)
		if _, ok := h.Motion.Apply(dash, g.view.At); ok {
			h.Ready = clock.Second
		}
	}
	if c.Lunge {
		h.Motion.Apply(rootmotion.Play(0), g.view.At)
	}
	if c.Leap {
		h.Motion.Apply(rootmotion.JumpTo(geom.V(1, 0, -3), 1.5, clock.Second), g.view.At)
	}
	movement.Step(&g.model, &h.State, &c.Command, d, &g.view, &g.frame)
}

func (g *dashGame) ClearOneTime(c *dashCommand) { c.Dash, c.Lunge, c.Leap = false, false, false }

func (g *dashGame) PackCommand(p *bits.Packer, c, before *dashCommand) {
	c.Command.Pack(p, &before.Command)
	p.Bool(&c.Dash)
	p.Bool(&c.Lunge)
	p.Bool(&c.Leap)
}

func (g *dashGame) PackState(p *bits.Packer, h *dasher) {
	h.State.Pack(p)
	ready := int64(h.Ready)
	p.Varint(&ready)
	h.Ready = clock.Micros(ready)
}

func (g *dashGame) Position(h *dasher) geom.Vec3                                  { return h.Position }
func (g *dashGame) Combine(_, _ *dasher, _, _ *predict.Command[dashCommand]) bool { return false }
func (g *dashGame) Differ(_, _ *dasher, into []predict.Difference) []predict.Difference {
	return into
}
func (g *dashGame) Digest(h *dasher) uint16 { return uint16(h.Mode) ^ h.Motion.Digest() }

func (g *dashGame) Important(before, after *dasher, _ *predict.Command[dashCommand]) bool {
	return g.Digest(before) != g.Digest(after)
}

// link is an owner and an authority 75 ms apart, in steps of a millisecond.
type link struct {
	t          *testing.T
	game       dashGame
	owner      *predict.Owner[dasher, dashCommand]
	authority  *predict.Authority[dasher, dashCommand]
	now        clock.Micros
	frame      clock.Micros
	up, down   []letter
	input      dashCommand
	trace      []geom.Vec3 // of the owner, frame by frame
	sent, drop int         // drop every so-manieth datagram; 0 none
}

type letter struct {
	due   clock.Micros
	bytes []byte
}

const oneWay = 75 * clock.Millisecond

func newLink(t *testing.T, frame clock.Micros) *link {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(100, 1, 100), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, .5, -30), geom.V(4, .5, 2), geom.IdentityQuat, collide.Surface{})
	world := b.MustBake()
	w := &link{t: t, frame: frame}
	w.game.model = movement.DefaultModel()
	w.game.model.Motion = &rootmotion.Library{Clips: []rootmotion.Clip{
		{Name: "lunge", Length: clock.Second, Root: rootmotion.Track{{}, {At: .4, Move: geom.V(0, 0, -2)}, {At: 1, Move: geom.V(0, 0, -3)}}},
	}}
	w.game.view.World = world
	w.begin(movement.Spawn(geom.V(0, .02, 0), 0))
	return w
}

// begin starts both ends with the state.
func (w *link) begin(s movement.State) {
	start := dasher{State: s}
	w.owner = predict.NewOwner[dasher, dashCommand](&w.game, start)
	w.authority = predict.NewAuthority[dasher, dashCommand](&w.game, start, nil)
}

// run lets the time pass; each is called before every frame of the owner's.
func (w *link) run(long clock.Micros, each func()) {
	w.t.Helper()
	for end := w.now + long; w.now < end; {
		w.now += clock.Millisecond
		if w.now/w.frame != (w.now-clock.Millisecond)/w.frame {
			if each != nil {
				each()
			}
			w.owner.Advance(w.now, w.frame, w.input)
			w.trace = append(w.trace, w.owner.State().Position)
			w.game.ClearOneTime(&w.input)
			w.post(&w.up, func(p *bits.Packer) { w.owner.Pack(p, 1100) })
		}
		w.deliver()
		if w.now%(16*clock.Millisecond) == 0 {
			for w.authority.Next(w.now) {
			}
			if v := w.authority.Verdict(w.now); v != nil {
				w.post(&w.down, func(p *bits.Packer) {
					predict.PackVerdict[dasher, dashCommand](p, &w.game, v)
				})
			}
		}
	}
}

func (w *link) post(q *[]letter, write func(*bits.Packer)) {
	var p bits.Packer
	var buf [1200]byte
	p.Write(buf[:])
	write(&p)
	if p.Err() != nil {
		w.t.Fatal(p.Err())
	}
	if w.sent++; w.drop > 0 && w.sent%w.drop == 0 {
		return
	}
	*q = append(*q, letter{w.now + oneWay, append([]byte(nil), p.Bytes()...)})
}

func (w *link) deliver() {
	var p bits.Packer
	for len(w.up) > 0 && w.up[0].due <= w.now {
		p.Read(w.up[0].bytes)
		if err := w.authority.Receive(w.now, w.now, &p); err != nil {
			w.t.Fatal(err)
		}
		w.up = w.up[1:]
	}
	for len(w.down) > 0 && w.down[0].due <= w.now {
		var v predict.Verdict[dasher]
		p.Read(w.down[0].bytes)
		predict.PackVerdict[dasher, dashCommand](&p, &w.game, &v)
		w.owner.Receive(&v)
		w.down = w.down[1:]
	}
}

// settle stops input and waits until both ends agree.
func (w *link) settle() {
	w.t.Helper()
	w.input, w.drop = dashCommand{}, 0
	w.run(clock.Second, nil)
	o, a := *w.owner.State(), *w.authority.State()
	if d := o.Position.Dist(a.Position); d > 1e-9 {
		w.t.Errorf("the ends are %v m apart", d)
	}
}

func TestDashByTheOwnerNeedsNoCorrection(t *testing.T) { // RMS-21
	for _, frame := range []clock.Micros{33 * clock.Millisecond, 16 * clock.Millisecond, 7 * clock.Millisecond, 4 * clock.Millisecond} {
		w := newLink(t, frame)
		w.input.Forward = 1
		for range 5 {
			w.input.Forward = 1
			w.input.Dash = true
			w.run(3*clock.Second/2, nil)
		}
		w.settle()
		c := w.owner.Counters()
		if c.Corrections+c.Teleports != 0 || w.owner.State().Motion.LastID != 5 {
			t.Errorf("frames of %d ms: %d corrections in %d dashes", frame/1000, c.Corrections, w.owner.State().Motion.LastID)
		}
	}
}

func TestKnockBackByTheServerIsOneCorrection(t *testing.T) { // RMS-21, E2E-05
	w := newLink(t, 16*clock.Millisecond)
	w.input.Forward = 1
	w.run(clock.Second, nil)
	knock := rootmotion.Constant(geom.V(8, 0, 0), 3*clock.Second/8)
	knock.Finish, knock.FinishVelocity = rootmotion.Clamp, geom.V(2, 0, 0)
	if _, ok := w.authority.State().Motion.Apply(knock, w.now); !ok {
		t.Fatal("refused")
	}
	began := w.now
	for w.owner.Counters().Corrections == 0 && w.now < began+clock.Second {
		w.run(clock.Millisecond, nil)
	}
	if late := w.now - began; late > 2*oneWay+40*clock.Millisecond {
		t.Errorf("the owner knows after %d ms", late/1000)
	}
	w.run(clock.Second, nil)
	w.settle()
	if c := w.owner.Counters(); c.Corrections != 1 || w.owner.State().Position.X < 2.9 {
		t.Errorf("%d corrections, pushed %v m; want 1 and 3", c.Corrections, w.owner.State().Position.X)
	}
}

func TestServerCancelsASource(t *testing.T) { // RMS-08, GAP-30
	w := newLink(t, 16*clock.Millisecond)
	w.run(clock.Second/5, nil)
	w.input.Dash = true
	w.run(oneWay+50*clock.Millisecond, nil) // the authority has begun it
	m := &w.authority.State().Motion
	if m.Active[0].ID == 0 {
		t.Fatal("the authority does not dash")
	}
	m.Remove(m.Active[0].ID)
	began := w.now
	for w.owner.State().Motion.Busy() && w.now < began+clock.Second {
		w.run(clock.Millisecond, nil)
	}
	if late := w.now - began; late > 2*oneWay+40*clock.Millisecond {
		t.Errorf("the owner stops after %d ms, want one round trip", late/1000)
	}
	w.settle()
	if c := w.owner.Counters(); c.Corrections != 1 {
		t.Errorf("%d corrections, want 1", c.Corrections)
	}
}

// interrupted runs the same input twice, once with a correction that says nothing
// new in the middle, and returns how far the two paths are apart at most.
func interrupted(t *testing.T, frame clock.Micros, begin func(w *link)) float64 {
	var paths [2][]geom.Vec3
	for i := range paths {
		w := newLink(t, frame)
		w.run(clock.Second/2, nil)
		begin(w)
		w.input.Forward, w.input.Right = .5, 1
		w.input.Quantise()
		w.run(250*clock.Millisecond, nil)
		if i == 1 {
			w.authority.SetState(*w.authority.State(), 0, 0)
		}
		w.run(clock.Second, nil)
		if i == 1 && w.owner.Counters().Replayed == 0 {
			t.Error("nothing was replayed")
		}
		w.settle()
		paths[i] = w.trace
	}
	worst := 0.0
	for i := range paths[0] {
		worst = max(worst, paths[0][i].Dist(paths[1][i]))
	}
	return worst
}

func TestCorrectionInMidSourceReplaysTheSamePath(t *testing.T) { // RMS-06, RMS-19
	for _, frame := range []clock.Micros{33 * clock.Millisecond, 16 * clock.Millisecond, 7 * clock.Millisecond} {
		for name, begin := range map[string]func(w *link){
			"dash": func(w *link) { w.input.Dash = true },
			"clip": func(w *link) { w.input.Lunge = true },
			"leap": func(w *link) { w.input.Leap = true },
		} {
			if worst := interrupted(t, frame, begin); worst != 0 {
				t.Errorf("%s, frames of %d ms: %v m apart", name, frame/1000, worst)
			}
		}
	}
}

func TestMoveToWithAMovingTarget(t *testing.T) { // RMS-13
	w := newLink(t, 16*clock.Millisecond)
	w.run(clock.Second/2, nil)
	s := rootmotion.MoveTo(w.owner.State().Position, geom.V(0, .02, -6), 12*clock.Second/10)
	s.Flags, s.Finish = rootmotion.IgnoreVertical, rootmotion.Set
	w.input.Forward = 0
	w.authority.State().Motion.Apply(s, w.now)
	w.run(6*clock.Second/10, nil)
	before := w.owner.Counters().Corrections
	m := &w.authority.State().Motion
	if !m.SetTarget(nil, m.Active[0].ID, geom.V(2, .02, -6)) {
		t.Fatal("no target")
	}
	w.run(clock.Second, nil)
	w.settle()
	if n := w.owner.Counters().Corrections - before; n != 1 {
		t.Errorf("%d corrections for one new target, want 1", n)
	}
	if at := w.owner.State().Position; at.Flat(geom.Up).Dist(geom.V(2, 0, -6)) > 1e-3 {
		t.Errorf("at %v, want (2, 0, −6)", at)
	}
}

func TestDashesOverABadLink(t *testing.T) { // RMS-21, E2E-02
	w := newLink(t, 16*clock.Millisecond)
	w.drop = 20 // 5 %
	for range 10 {
		w.input.Forward = 1
		w.input.Dash = true
		w.run(clock.Second, nil)
		w.input.Yaw += 1
		w.input.Quantise()
	}
	w.settle()
	if c := w.owner.Counters(); c.Corrections != 0 {
		t.Errorf("%d corrections where one datagram in 20 is lost", c.Corrections)
	}
}

// TestObserverOfADash draws a dash as others see it, between samples: what they
// see is off by at most a quarter of the change of velocity in a sample's interval,
// so 5 cm need 60 samples a second for a standing start at 12 m/s.
func TestObserverOfADash(t *testing.T) { // RMS-20
	for _, c := range []struct {
		hz     clock.Micros
		within float64
	}{{60, .05}, {30, .1}, {10, .3}} {
		w := newLink(t, 0)
		h := dasher{State: movement.Spawn(geom.V(0, .02, 0), 0)}
		const frame = clock.Second / 480
		var truth []track.Sample
		for i := range clock.Micros(480) {
			in := dashCommand{Dash: i == 100}
			w.game.Step(&h, &predict.Command[dashCommand]{Stamp: i * frame, Duration: frame, Input: in})
			truth = append(truth, track.Sample{At: i * frame, Pose: track.Pose{Position: h.Position, Velocity: h.Velocity}})
		}
		every := int(480 / c.hz)
		worst := 0.0
		for i := range truth[:len(truth)-every] {
			a := i / every * every
			drawn, _ := track.Interpolate(&truth[a], &truth[a+every], track.View{At: truth[i].At}, nil)
			worst = max(worst, drawn.Position.Dist(truth[i].Position))
		}
		t.Logf("%d samples a second: off by at most %.1f cm", c.hz, worst*100)
		if worst > c.within || worst == 0 {
			t.Errorf("%d samples a second: off by %v m, want at most %v", c.hz, worst, c.within)
		}
	}
}
