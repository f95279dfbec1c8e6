package movement_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// WallRun is a mode of the game's own, and RunButton the bit of Command.Buttons that is held for it.
const (
	WallRun         = movement.Custom
	RunButton uint8 = 1
)

// Runner is a player's state.
type Runner struct {
	movement.State
	Wall geom.Vec3    // normal of the wall that it runs along
	Left clock.Micros // for wall runs until it walks again
}

func runnerRules(model *movement.Model) session.Game[Runner, movement.Command] {
	g := session.Game[Runner, movement.Command]{
		Step: func(m *session.Move, r *Runner, c *movement.Command) { r.step(model, m, c) },
		PackState: func(p *bits.Packer, r *Runner) {
			r.State.Pack(p)
			p.Vec64(&r.Wall)
			p.Varint((*int64)(&r.Left))
		},
		Pose: func(r *Runner) track.Sample {
			s := character.Pose(&r.State)
			if r.Mode == WallRun {
				s.Stance.Air, s.UserData = 1, 1 // a pose of its own, for others
			}
			return s
		},
	}
	character.Fill(&g, model)
	combine := g.Combine
	g.Combine = func(m *session.Move, start, between *Runner, first, second *movement.Command) bool {
		return between.Mode < movement.Custom && combine(m, start, between, first, second)
	}
	return g
}

func (r *Runner) step(model *movement.Model, m *session.Move, c *movement.Command) {
	pressed := c.Jump && !r.JumpHeld // Begin notes the button
	f := &m.Motor
	f.Begin(model, &r.State, c, m.Duration, m.World)
	switch {
	case r.Mode == movement.Walking:
		r.Wall, r.Left = geom.Vec3{}, 1500*clock.Millisecond
	case r.Mode == WallRun && pressed: // off the wall
		r.Velocity = r.Velocity.MulAdd(r.Wall, 4).MulAdd(f.Up, 5)
		f.SetMode(movement.Falling)
	case r.Mode == movement.Falling && c.Buttons&RunButton != 0 && r.Left > 0:
		r.findWall(f)
	}
	for f.Running() {
		if r.Mode == WallRun {
			r.wallRun(f)
		} else {
			f.Advance()
		}
	}
}

// findWall begins a wall run at the top of a jump beside a wall, for one that moves along it.
func (r *Runner) findWall(f *movement.StepContext) {
	if r.Velocity.Dot(f.Up) > 1 {
		return
	}
	right := geom.Right(r.Yaw)
	for _, side := range [2]geom.Vec3{right, right.Neg()} {
		hit, ok := f.World.SweepCapsule(f.Model.Capsule(&r.State), side.Mul(0.3))
		if along := r.Velocity.Flat(f.Up).Flat(hit.FaceNormal); ok && hit.Mover == collide.Static && along.Len() > 4 {
			r.Wall, r.Velocity = hit.FaceNormal, along
			f.SetMode(WallRun)
			f.StandUp()
			return
		}
	}
}

// wallRun integrates one slice.
func (r *Runner) wallRun(f *movement.StepContext) {
	dt := f.TakeSlice()
	r.Left -= clock.Micros(float64(dt*1e6) + 0.5)
	near, ok := f.World.SweepCapsule(f.Model.Capsule(&r.State), r.Wall.Mul(-0.4))
	if !ok || near.FaceNormal.Dot(r.Wall) < 0.9 || r.Left <= 0 || f.Command.Buttons&RunButton == 0 {
		f.SetMode(movement.Falling) // the wall ends, or its time; this slice still runs
	}
	r.Velocity = r.Velocity.MulAdd(f.Up, -float64(2*dt)) // it sinks slowly
	if hit, met := f.Glide(dt); met && hit.Normal.Dot(f.Up) > 0.7 {
		r.Left = 0
		f.SetMode(movement.Falling) // onto the floor
	}
}

// hall is a floor between two walls that are 2.6 m apart.
func hall() *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	for _, x := range []float64{-2.3, 2.3} {
		b.Box(geom.V(x, 5, 0), geom.V(1, 5, 50), geom.IdentityQuat, collide.Surface{})
	}
	return b.MustBake()
}

// A runner jumps beside a wall with the button held: it runs along the wall from the top of its jump until it has
// sunk to the floor, 0.85 m at 2 m/s², at any frame rate.
// (MOD-04)
func TestAWallRun(t *testing.T) {
	model := movement.DefaultModel()
	game := runnerRules(&model)
	for _, hz := range []clock.Micros{30, 60, 144} {
		world := collide.WorldAt{World: hall()}
		m := session.Move{World: &world, Duration: clock.Second / hz}
		r := Runner{State: movement.Spawn(geom.V(0.8, 0, 40), 0)}
		ran, from := clock.Micros(0), geom.Vec3{}
		for now := clock.Micros(0); now < 4*clock.Second; now += m.Duration {
			c := movement.Command{Forward: 1, Buttons: RunButton, Jump: now > clock.Second && now < 1200*clock.Millisecond}
			if world.At = now; r.Mode == WallRun {
				if ran += m.Duration; from.IsZero() {
					from = r.Position
				}
			}
			game.Step(&m, &r, &c)
		}
		if r.Mode != movement.Walking || ran < 850*clock.Millisecond || ran > 980*clock.Millisecond || from.Y < 0.8 || math.Abs(r.Position.X-0.8) > .05 {
			t.Errorf("%d Hz: ran for %v from %.2f, and is in mode %v at %.2f", hz, ran, from, r.Mode, r.Position)
		}
	}
}

// Client and server agree about wall runs, from the middle of one too. (MOD-04)
func TestAWallRunIsPredicted(t *testing.T) {
	model := movement.DefaultModel()
	running := Runner{State: movement.Spawn(geom.V(0.95, 2, 40), 0), Wall: geom.V(-1, 0, 0), Left: clock.Second}
	running.Mode, running.Velocity = WallRun, geom.V(0, 0, -6)
	check.Game(t, runnerRules(&model), check.Play[Runner, movement.Command]{
		Start: Runner{State: movement.Spawn(geom.V(0, 0, 0), 0)}, States: []Runner{running}, World: hall(),
	})
}
