package arena

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
)

// alone shows the arena's game to predict in a world without others.
type alone struct {
	*Game
	view collide.View
}

func (r *alone) Step(h *Hero, c *predict.Command[Command]) {
	r.view.At = c.Stamp
	r.Game.Step(&r.view, h, &c.Input, c.Duration)
}

func (r *alone) Combine(_, _ *Hero, _, _ *predict.Command[Command]) bool { return false }

// BenchmarkMovesAgainstTheStep is what networked moves cost in the arena beside the
// steps alone, of one who runs about the real level: "times" is how many bare steps would have
// taken as long. The bars: 1.3 for a move that an authority receives, runs, tests and
// answers, 13 for an owner that replays twelve.
func BenchmarkMovesAgainstTheStep(b *testing.B) {
	const frames, warm, frame = 2400, 1200, 16680
	level := realLevel(b)
	newRules := func() *alone { return &alone{NewGame(), collide.View{World: level.World}} }
	start := NewGame().Spawn(spawnsOf(level)[0].Position, 0, 1)
	owner := predict.NewOwner[Hero, Command](newRules(), start)
	first := predict.NewAuthority[Hero, Command](newRules(), start)
	var packets [frames][]byte
	var moves [frames]predict.Command[Command]
	var p bits.Packer
	at := func(i int) clock.Micros { return clock.Second + clock.Micros(i)*frame }
	for i := range frames {
		c := Command{}
		c.Move.Forward, c.Move.Yaw, c.Move.Jump = 1, geom.WrapAngle(float64(i)*0.013), i%70 == 0
		c.Quantise()
		moves[i] = *owner.Advance(at(i), frame, c)
		p.Write(make([]byte, 600))
		owner.Pack(&p, 600)
		packets[i] = p.Bytes()
		p.Read(packets[i])
		if err := first.Receive(at(i), at(i), &p); err != nil {
			b.Fatal(err)
		}
		for first.Next(at(i)) {
		}
		owner.Receive(first.Verdict(at(i)))
	}
	if first.Counters().Corrections != 0 {
		b.Fatal("corrected")
	}
	bare := func(rules *alone, of []predict.Command[Command]) time.Duration {
		h := start
		t := time.Now()
		for i := range of {
			rules.Step(&h, &of[i])
		}
		return time.Since(t)
	}
	b.Run("authority", func(b *testing.B) {
		var whole, alone time.Duration
		rules := newRules()
		for b.Loop() {
			a := predict.NewAuthority[Hero, Command](rules, start)
			t := time.Now()
			for i := range frames {
				if i == warm {
					t = time.Now()
				}
				p.Read(packets[i])
				if a.Receive(at(i), at(i), &p) != nil {
					b.Fatal("a packet cannot be read")
				}
				for a.Next(at(i)) {
				}
				a.Verdict(at(i))
			}
			whole += time.Since(t)
			alone += bare(rules, moves[warm:])
		}
		b.ReportMetric(float64(whole)/float64(alone), "times")
		b.ReportMetric(float64(alone.Nanoseconds())/float64(b.N)/(frames-warm), "ns/step")
	})
	b.Run("owner", func(b *testing.B) {
		var whole, alone time.Duration
		rules := newRules()
		for b.Loop() {
			o := predict.NewOwner[Hero, Command](rules, start)
			o.Combining = false
			for i := range 12 {
				o.Advance(at(i), frame, moves[i].Input)
			}
			o.Receive(&predict.Verdict[Hero]{Correction: true, Epoch: 1, State: start})
			t := time.Now()
			o.Settle()
			whole += time.Since(t)
			alone += bare(rules, moves[:12])
		}
		b.ReportMetric(12*float64(whole)/float64(alone), "times")
	})
}
