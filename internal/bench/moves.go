package bench

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
)

// How owners and authorities are measured: so many runners on scene A, each with so many moves, of which the first are
// not timed; and so many moves are on the way when an owner is corrected.
const (
	runners    = 40
	runnerMove = 16680 * clock.Microsecond
	moves      = 300
	warmMoves  = 60
	onTheWay   = 12
)

// alone shows the measured game to predict, in a world without others.
type alone struct {
	session.Game[Hero, Command]
	view  collide.WorldAt
	move  session.Move
	exact Hero
	p     bits.Packer
	buf   [512]byte
}

var _ predict.Rules[Hero, Command] = (*alone)(nil)

func newAlone(world *collide.World) *alone {
	r := &alone{Game: Rules(), view: collide.WorldAt{World: world}}
	r.move.World, r.move.Weapons = &r.view, Weapons()
	return r
}

// Step implements predict.Rules.
func (r *alone) Step(h *Hero, c *predict.Command[Command]) {
	r.view.At, r.move.Duration = c.Stamp, c.Duration
	r.Game.Step(&r.move, h, &c.Input)
}

// Combine implements predict.Rules.
func (r *alone) Combine(_, _ *Hero, _, _ *predict.Command[Command]) bool { return false }

// Differ implements predict.Rules.
func (r *alone) Differ(predicted, truth *Hero, into []predict.Difference) []predict.Difference {
	return r.Game.Differ(predicted, truth, into)
}

// ClearOneTime implements predict.Rules.
func (r *alone) ClearOneTime(c *Command) { r.Game.ClearOneTime(c) }

// PackCommand implements predict.Rules.
func (r *alone) PackCommand(p *bits.Packer, c, before *Command) { r.Game.PackCommand(p, c, before) }

// PackState implements predict.Rules.
func (r *alone) PackState(p *bits.Packer, h *Hero) { r.Game.PackState(p, h) }

// Position implements predict.Rules.
func (r *alone) Position(h *Hero) geom.Vec3 { return r.Game.Position(h) }

// Digest implements predict.Rules, with the work of a session for a game without a Digest.
func (r *alone) Digest(h *Hero) uint16 {
	r.exact = *h
	r.ClearInexact(&r.exact)
	r.p.Write(r.buf[:])
	r.Game.PackState(&r.p, &r.exact)
	sum := uint32(2166136261) // FNV-1a
	for _, b := range r.p.Bytes() {
		sum = (sum ^ uint32(b)) * 16777619
	}
	return uint16(sum)
}

// Important implements predict.Rules: these moves are not sent.
func (r *alone) Important(_, _ *Hero, _ *predict.Command[Command]) bool { return false }

// runner is a character that runs about, turning every half second as those of the bench page do.
type runner struct {
	start   Hero
	inputs  [moves]Command
	states  [moves]Hero // after each move
	packets [moves][]byte
}

func stampOf(move int) clock.Micros { return clock.Second + clock.Micros(move)*runnerMove }

// newRunner plays a runner's moves on both ends, which must agree.
func newRunner(rules *alone, d *benchscene.Draw) (*runner, error) {
	r := &runner{}
	x, z := d.Within(benchscene.A.Start), d.Within(benchscene.A.Start)
	r.start = Hero{State: movement.Spawn(geom.V(x, benchscene.A.Height(x, z)+1, z), 0), Loadout: Weapons().Loadout()}
	c := Command{}
	c.Forward = 1
	o, a := predict.NewOwner(predict.Rules[Hero, Command](rules), r.start), predict.NewAuthority(predict.Rules[Hero, Command](rules), r.start, nil)
	o.Combining = false
	var p bits.Packer
	for i := range moves {
		if i%30 == 0 {
			c.Yaw = geom.WrapAngle(2 * math.Pi * d.Unit())
			c.Quantise()
		}
		o.Advance(stampOf(i), runnerMove, c)
		r.inputs[i], r.states[i] = c, *o.State()
		p.Write(make([]byte, 600))
		o.Pack(&p, 600)
		r.packets[i] = p.Bytes()
		if err := r.receive(a, &p, i); err != nil {
			return nil, err
		}
		o.Receive(a.Verdict(stampOf(i)))
	}
	if a.Counters().Corrections != 0 {
		return nil, errors.New("an honest owner was corrected")
	}
	return r, nil
}

// receive is the server's part of a move but for the answer.
func (r *runner) receive(a *predict.Authority[Hero, Command], p *bits.Packer, move int) error {
	p.Read(r.packets[move])
	if err := a.Receive(stampOf(move), stampOf(move), p); err != nil {
		return err
	}
	for a.Next(stampOf(move)) {
	}
	return nil
}

// measureMoves times a client's frame with a correction and a server's move, both on scene A.
func measureMoves(_ context.Context, m *Meter) error {
	world, err := m.world(benchscene.A)
	if err != nil {
		return err
	}
	rules, d := newAlone(world), benchscene.Draw(7)
	var all [runners]*runner
	for i := range all {
		if all[i], err = newRunner(rules, &d); err != nil {
			return err
		}
	}
	if err := measureOwner(m, rules, &all); err != nil {
		return err
	}
	return measureAuthority(m, rules, &all)
}

// measureOwner times a frame in which a correction arrives while so many moves are on the way: it is explained, the
// moves are simulated again, and a new one is made.
func measureOwner(m *Meter, rules *alone, all *[runners]*runner) error {
	var owners [runners]*predict.Owner[Hero, Command]
	v := predict.Verdict[Hero]{}
	frame := func(k, move int) {
		r, o := all[k], owners[k]
		if v.Correction = move > warmMoves; move > onTheWay {
			v.Number, v.Epoch, v.State = uint32(move-onTheWay), uint8(move), r.states[move-onTheWay-1]
			o.Receive(&v)
		}
		o.Advance(stampOf(move), runnerMove, r.inputs[move])
	}
	err := m.Time("owner_replay12_us", Work{
		Calls: runners * (moves - warmMoves - 1),
		Begin: func() {
			for k := range owners {
				owners[k] = predict.NewOwner(predict.Rules[Hero, Command](rules), all[k].start)
				owners[k].Combining = false
				for move := range warmMoves + 1 {
					frame(k, move)
				}
			}
		},
		Call: func(i int) { frame(i%runners, warmMoves+1+i/runners) },
	})
	if c := owners[0].Counters(); err == nil && (c.Corrections == 0 || c.Replayed != onTheWay*c.Corrections) {
		return fmt.Errorf("the owner replayed %d moves in %d corrections, not %d in each", c.Replayed, c.Corrections, onTheWay)
	}
	return err
}

// measureAuthority times a packet with a new move and some older ones: read, verified, simulated and answered.
func measureAuthority(m *Meter, rules *alone, all *[runners]*runner) error {
	var authorities [runners]*predict.Authority[Hero, Command]
	var scratch predict.Scratch[Hero, Command] // of one match
	var p bits.Packer
	var failed error
	move := func(k, move int) {
		a := authorities[k]
		if err := all[k].receive(a, &p, move); err != nil {
			failed = err
		}
		a.Verdict(stampOf(move))
	}
	err := m.Time("authority_move_us", Work{
		Calls: runners * (moves - warmMoves),
		Begin: func() {
			for k := range authorities {
				authorities[k] = predict.NewAuthority(predict.Rules[Hero, Command](rules), all[k].start, &scratch)
				for i := range warmMoves {
					move(k, i)
				}
			}
		},
		Call: func(i int) { move(i%runners, warmMoves+i/runners) },
	})
	return errors.Join(err, failed)
}
