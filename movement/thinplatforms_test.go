package movement_test

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

// DownButton is the bit of Command.Buttons that is held to drop.
const DownButton uint8 = 1

// Jumper is a player's state.
type Jumper struct {
	movement.State
	Drop clock.Micros // time left in which thin platforms do not carry it
}

// tops are the heights of the thin platforms, ascending: the movers 1, 2, … of the stage.
var tops = []float64{2, 4}

// above has, by how many of the platforms are below the feet, those that are not.
var above = func() (sets [3]collide.MoverSet) {
	for n := range sets {
		for i := n; i < len(tops); i++ {
			sets[n].Add(collide.MoverID(i + 1))
		}
	}
	return sets
}()

// below returns how many platforms are below the feet.
func (j *Jumper) below() (n int) {
	feet := j.Position.Y
	if j.Drop > 0 {
		feet -= 0.3
	}
	for n < len(tops) && tops[n] <= feet {
		n++
	}
	return n
}

func (j *Jumper) step(model *movement.Model, m *session.Move, c *movement.Command) {
	if c.Buttons&DownButton != 0 && j.Base.Mover != collide.Static {
		j.Drop = 120 * clock.Millisecond
	}
	j.Drop -= min(j.Drop, m.Duration)
	m.World.Exclude = &above[j.below()] // in this move only
	m.Walk(model, &j.State, c)
}

// sideModel is the character of a game seen from the side, in the plane z = 0.
func sideModel() movement.Model {
	model := movement.DefaultModel()
	model.Plane = movement.Plane{Normal: geom.V(0, 0, 1)}
	model.MaxAcceleration, model.AirControl = 60, 0.8
	model.Gravity, model.JumpSpeed, model.MaxJumps = 24, 11, 2
	return model
}

func jumperRules(model *movement.Model) session.Game[Jumper, movement.Command] {
	g := session.Game[Jumper, movement.Command]{
		Step: func(m *session.Move, j *Jumper, c *movement.Command) { j.step(model, m, c) },
		PackState: func(p *bits.Packer, j *Jumper) {
			j.State.Pack(p)
			p.Varint((*int64)(&j.Drop))
		},
	}
	character.Fill(&g, model)
	combine := g.Combine
	g.Combine = func(m *session.Move, start, between *Jumper, first, second *movement.Command) bool {
		return start.Drop == 0 && start.below() == between.below() && combine(m, start, between, first, second)
	}
	return g
}

// stage is a floor with the thin platforms above it.
func stage() *collide.World {
	var b collide.Builder
	for i, top := range tops {
		at := collide.Path{Keys: []collide.Key{{Position: geom.V(0, top-0.1, 0)}}} // a mover that rests
		b.Mover([]string{"low", "high"}[i], at, func(b *collide.Builder) {
			b.Box(geom.Vec3{}, geom.V(2, 0.1, 1), geom.IdentityQuat, collide.Surface{})
		})
	}
	b.Box(geom.V(0, -1, 0), geom.V(20, 1, 1), geom.IdentityQuat, collide.Surface{})
	return b.MustBake()
}

// A character jumps from the floor through the platform above it, lands on it, and drops through it on a button, at
// any frame rate; it stays in the plane. (BAS-17, PRF-15)
func TestThinPlatforms(t *testing.T) {
	model := sideModel()
	game := jumperRules(&model)
	for _, hz := range []clock.Micros{20, 60, 144} {
		world := collide.WorldAt{World: stage()}
		m := session.Move{World: &world, Duration: clock.Second / hz}
		j := Jumper{State: movement.Spawn(geom.V(0, 0.02, 0), 0)}
		play := func(c movement.Command, d clock.Micros) (height float64) {
			for end := world.At + d; world.At < end; world.At += m.Duration {
				game.Step(&m, &j, &c)
			}
			if j.Position.Z != 0 || j.Mode != movement.Walking {
				t.Errorf("%d Hz: got mode %v at %.2f; want walking in the plane", hz, j.Mode, j.Position)
			}
			return j.Position.Y
		}
		jumped := play(movement.Command{Jump: true}, 2*clock.Second)
		stayed := play(movement.Command{Yaw: 1}, clock.Second)
		dropped := play(movement.Command{Buttons: DownButton}, clock.Second)
		for i, height := range []float64{jumped - tops[0], stayed - tops[0], dropped} {
			if height < movement.MinFloor || height > movement.MaxFloor {
				t.Errorf("%d Hz: got %.2f, %.2f and %.2f m after jump, rest and drop: number %d is wrong", hz, jumped, stayed, dropped, i)
			}
		}
	}
}

// Client and server agree about thin platforms, in the middle of a drop and of a jump too. (BAS-17)
func TestThinPlatformsArePredicted(t *testing.T) {
	model := sideModel()
	at := func(y float64) Jumper { return Jumper{State: movement.Spawn(geom.V(0, y, 0), 0)} }
	dropping, rising := at(2.02), at(3)
	dropping.Drop = 100 * clock.Millisecond
	rising.Mode, rising.Velocity = movement.Falling, geom.V(0, 8, 0)
	check.Game(t, jumperRules(&model), check.Play[Jumper, movement.Command]{
		Start: at(0.02), States: []Jumper{at(2.02), dropping, rising}, World: stage(),
	})
}
