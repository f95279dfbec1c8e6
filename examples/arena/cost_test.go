package arena

import (
	"math"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
)

// alone shows the arena's game to predict in a world without others.
type alone struct {
	*Game
	view collide.WorldAt
	move session.Move
}

func (r *alone) Step(h *Hero, c *predict.Command[Command]) {
	r.view.At = c.Stamp
	r.move.World, r.move.Duration = &r.view, c.Duration
	r.Game.Step(&r.move, h, &c.Input)
}

func (r *alone) Combine(_, _ *Hero, _, _ *predict.Command[Command]) bool { return false }

// Important is that of a session.
func (r *alone) Important(before, after *Hero, c *predict.Command[Command]) bool {
	was, is := r.Pose(before), r.Pose(after)
	was.ClipAt, is.ClipAt = 0, 0
	return c.Input.Shot.Fire || was.Mode != is.Mode || was.Crouched != is.Crouched || was.GameData != is.GameData
}

const (
	costFrames = 2400
	costWarm   = 1200 // from here on it is timed
	costFrame  = 16680 * clock.Microsecond
)

// runner is a character that runs about scene A of package benchscene, turning every half
// second as those do: its moves, and the packets that carry them.
type runner struct {
	world   *collide.World
	start   Hero
	warm    Hero // after costWarm moves
	moves   [costFrames]predict.Command[Command]
	packets [costFrames][]byte
}

func (r *runner) rules() *alone {
	return &alone{Game: NewGame(), view: collide.WorldAt{World: r.world}}
}

func stampOf(frame int) clock.Micros { return clock.Second + clock.Micros(frame)*costFrame }

func newRunner(b *testing.B) *runner {
	world, err := benchscene.A.World()
	if err != nil {
		b.Fatal(err)
	}
	dice := benchscene.Draw(7)
	r := &runner{world: world, start: NewGame().Spawn(geom.V(0, benchscene.A.Height(0, 0)+1, 0), 0, 1)}
	c := Command{}
	c.Move.Forward = 1
	owner := predict.NewOwner[Hero, Command](r.rules(), r.start)
	authority := predict.NewAuthority[Hero, Command](r.rules(), r.start, nil)
	var p bits.Packer
	for i := range costFrames {
		if i%30 == 0 {
			c.Move.Yaw = geom.WrapAngle(2 * math.Pi * dice.Unit())
			c.Quantise()
		}
		if i == costWarm {
			r.warm = *owner.State()
		}
		r.moves[i] = *owner.Advance(stampOf(i), costFrame, c)
		p.Write(make([]byte, 600))
		owner.Pack(&p, 600)
		r.packets[i] = p.Bytes()
		r.receive(b, authority, &p, i)
		owner.Receive(authority.Verdict(stampOf(i)))
	}
	if authority.Counters().Corrections != 0 {
		b.Fatal("corrected")
	}
	return r
}

// receive inputs the packet of a frame to an authority, which runs what is new.
func (r *runner) receive(b *testing.B, a *predict.Authority[Hero, Command], p *bits.Packer, frame int) {
	p.Read(r.packets[frame])
	if err := a.Receive(stampOf(frame), stampOf(frame), p); err != nil {
		b.Fatal(err)
	}
	for a.Next(stampOf(frame)) {
	}
}

// bare returns how long the steps alone take from there on.
func (r *runner) bare(rules *alone, h Hero, of []predict.Command[Command]) time.Duration {
	t := time.Now()
	for i := range of {
		rules.Step(&h, &of[i])
	}
	return time.Since(t)
}

// What networked moves cost beside the arena's steps alone. "times" is how many bare
// steps would have taken as long: 1.3 is required of an authority that receives, runs,
// tests and answers a move.
func BenchmarkAuthorityAgainstTheStep(b *testing.B) {
	r := newRunner(b)
	rules := r.rules()
	var p bits.Packer
	var whole, bare time.Duration
	for b.Loop() {
		a := predict.NewAuthority[Hero, Command](rules, r.start, nil)
		t := time.Now()
		for i := range costFrames {
			if i == costWarm {
				t = time.Now()
			}
			r.receive(b, a, &p, i)
			a.Verdict(stampOf(i))
		}
		whole += time.Since(t)
		bare += r.bare(rules, r.warm, r.moves[costWarm:])
	}
	b.ReportMetric(float64(whole)/float64(bare), "times")
	b.ReportMetric(float64(bare.Nanoseconds())/float64(b.N)/(costFrames-costWarm), "ns/step")
}

// The same for an owner that is corrected and replays twelve moves: 13 are required.
func BenchmarkOwnerAgainstTheStep(b *testing.B) {
	r := newRunner(b)
	rules := r.rules()
	o := predict.NewOwner[Hero, Command](rules, r.warm)
	o.Combining = false
	correct := predict.Verdict[Hero]{Correction: true, State: r.warm}
	var whole, bare time.Duration
	for n := 0; b.Loop(); n += 12 {
		for i := range 12 {
			o.Advance(stampOf(n+i), costFrame, r.moves[costWarm+i].Input)
		}
		correct.Number, correct.Epoch = o.Number()-12, correct.Epoch+1
		o.Receive(&correct)
		t := time.Now()
		o.ApplyCorrection()
		whole += time.Since(t)
		bare += r.bare(rules, r.warm, r.moves[costWarm:costWarm+12])
	}
	b.ReportMetric(12*float64(whole)/float64(bare), "times")
}
