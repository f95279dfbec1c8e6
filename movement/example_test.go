package movement_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// floor returns a world that is one large floor.
func floor() collide.WorldAt {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(100, 1, 100), geom.IdentityQuat, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		panic(err)
	}
	return collide.WorldAt{World: w}
}

// A character runs for a second, jumps, and lands.
func Example() {
	world, model := floor(), movement.DefaultModel()
	hero := movement.Spawn(geom.V(0, 0, 0), 0)
	var frame movement.StepContext // scratch, kept and reused

	for i := range 120 {
		command := movement.Command{Forward: 1, Jump: i == 60}
		command.Quantise()
		movement.Step(&model, &hero, &command, 16667, &world, &frame)
		for _, e := range frame.Events() {
			switch e.Kind {
			case movement.Jumped:
				fmt.Printf("frame %d: jumped at z = %.1f\n", i, hero.Position.Z)
			case movement.Landed:
				fmt.Printf("frame %d: landed at z = %.1f with %.1f m/s\n", i, hero.Position.Z, e.Value)
			}
		}
	}
	fmt.Printf("%.2f m/s\n", hero.Velocity.Len())
	// Output:
	// frame 60: jumped at z = -5.3
	// frame 111: landed at z = -10.4 with 4.2 m/s
	// 6.00 m/s
}

// gliding is a mode of the game's own: it sinks slowly along the view.
const gliding = movement.Custom

// glide uses up the frame's time, and hands over to Falling when it touches
// something.
func glide(f *movement.StepContext) {
	dt := f.TakeSlice()
	f.Velocity = geom.Forward(f.Yaw).Mul(8).MulAdd(f.Up, -1)
	if _, blocked := f.Move(f.Velocity.Mul(dt)); blocked {
		f.SetMode(movement.Falling)
	}
}

// A game with a mode of its own writes the loop around StepContext itself.
func Example_ownMode() {
	world, model := floor(), movement.DefaultModel()
	hero := movement.State{Position: geom.V(0, 2, 0), Mode: gliding}
	var f movement.StepContext
	var command movement.Command

	for i := range 180 {
		was := hero.Mode
		f.Begin(&model, &hero, &command, 16667, &world)
		for f.Running() {
			switch f.Mode {
			case gliding:
				glide(&f)
			default:
				f.Advance()
			}
		}
		if hero.Mode != was {
			fmt.Printf("frame %d: mode %d at z = %.1f\n", i, hero.Mode, hero.Position.Z)
		}
	}
	// Output:
	// frame 119: mode 2 at z = -16.0
	// frame 120: mode 1 at z = -16.1
}

// A dash is a root motion source: a velocity ahead for a quarter of a second, and
// what is left of it afterwards.
func Example_dash() {
	world, model := floor(), movement.DefaultModel()
	hero := movement.Spawn(geom.V(0, 0, 0), 0)
	var f movement.StepContext
	var command movement.Command

	dash := rootmotion.Constant(geom.V(0, 0, -12), clock.Second/4)
	dash.Flags = rootmotion.Local | rootmotion.IgnoreVertical
	dash.Finish, dash.FinishVelocity = rootmotion.Clamp, geom.V(0, 0, 0)
	for i := range 30 {
		if i == 5 {
			hero.Motion.Apply(dash, world.At)
		}
		movement.Step(&model, &hero, &command, 16667, &world, &f)
		if i%5 == 4 {
			fmt.Printf("frame %d: %.2f m away, %.0f m/s\n", i, hero.Position.Flat(geom.Up).Len(), hero.Velocity.Len())
		}
	}
	// Output:
	// frame 4: 0.00 m away, 0 m/s
	// frame 9: 1.00 m away, 12 m/s
	// frame 14: 2.00 m away, 12 m/s
	// frame 19: 3.00 m away, 0 m/s
	// frame 24: 3.00 m away, 0 m/s
	// frame 29: 3.00 m away, 0 m/s
}

// A rider's place is kept in its lift's own frame. What the lift does to it between
// two moves follows from the platform time alone.
func ExampleState_ride() {
	var b collide.Builder
	up := collide.Path{Keys: []collide.Key{{}, {At: 10 * clock.Second, Position: geom.V(0, 30, 0)}}}
	b.Mover("lift", up, func(b *collide.Builder) {
		b.Box(geom.V(0, -.5, 0), geom.V(2, .5, 2), geom.IdentityQuat, collide.Surface{})
	})
	world, err := b.Bake()
	if err != nil {
		fmt.Println(err)
		return
	}
	model, state := movement.DefaultModel(), movement.Spawn(geom.V(1, 0, 0), 0)
	var frame movement.StepContext
	for at := clock.Micros(0); at < 2*clock.Second; at += 20 * clock.Millisecond {
		movement.Step(&model, &state, &movement.Command{}, 20*clock.Millisecond, &collide.WorldAt{World: world, At: at}, &frame)
	}
	fmt.Printf("%.2f m up, %.2f m above the lift's floor\n", state.Position.Y, state.Base.Position.Y)
	// Output: 5.96 m up, 0.02 m above the lift's floor
}

// Whether two frames of a fast screen may become one move, and what was wrong with a
// prediction.
func ExampleModel_CanCombine() {
	world, model := floor(), movement.DefaultModel()
	start := movement.State{Mode: movement.Walking, Position: geom.V(0, .02, 0), Velocity: geom.V(0, 0, -6)}
	between, ahead := start, movement.Command{Forward: 1}
	between.Position.Z -= .04
	aside, jump := movement.Command{Forward: 1, Yaw: .2}, movement.Command{Forward: 1, Jump: true}
	fmt.Println("on:", model.CanCombine(&world, &start, &between, &ahead, &ahead))
	fmt.Println("aside:", model.CanCombine(&world, &start, &between, &ahead, &aside))
	fmt.Println("jump:", model.CanCombine(&world, &start, &between, &ahead, &jump))

	type difference struct {
		Field string
		By    float64
	}
	fmt.Println(movement.Differ(&start, &between, []difference(nil)))
	// Output:
	// on: true
	// aside: false
	// jump: false
	// [{position 0.04}]
}
