package jetpack

import (
	"math/rand"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// Through water, over jump pads, up walls that pull and by jets, at dice, over a bad
// line: what the owner predicts is what the server computes, without one correction
// (VOL-01, VOL-02, BAS-05, JMP-02, PRF-14).
func TestAllModesArePredicted(t *testing.T) {
	var b collide.Builder
	none := collide.Surface{}
	b.Box(geom.V(0, -5, 0), geom.V(25, 1, 25), geom.IdentityQuat, none)
	b.Box(geom.V(20, -2, 0), geom.V(10, 2, 25), geom.IdentityQuat, none)
	b.Ramp(geom.V(0, -4, 0), 40, 4, 10, -1.5707963, none)
	for i, side := range []geom.Vec3{{X: 26}, {X: -26}, {Z: 26}, {Z: -26}} {
		half := geom.V(1, 12, 27)
		if i > 1 {
			half = geom.V(27, 12, 1)
		}
		b.Box(side.Add(geom.V(0, 6, 0)), half, geom.IdentityQuat, none)
	}
	b.VolumeBox(collide.Volume{Water: true}, geom.V(-8, -2.5, 0), geom.V(18, 2.2, 26), geom.IdentityQuat)
	b.VolumeBox(collide.Volume{Launch: geom.V(-7, 7, 0)}, geom.V(18, .2, 5), geom.V(1, .2, 1), geom.IdentityQuat)
	b.VolumeBox(collide.Volume{Up: geom.V(0, 0, 1)}, geom.V(15, 5, -24), geom.V(8, 5, 1.5), geom.IdentityQuat)
	b.VolumeBox(collide.Volume{Up: geom.Up, Priority: -1}, geom.Vec3{}, geom.V(60, 60, 60), geom.IdentityQuat)
	world, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	model := movement.DefaultModel()
	model.MaxJumpHold, model.MaxJumps, model.Buoyancy = .2, 2, 1.1
	seen := map[movement.EventKind]int{}
	ups := 0
	for seed := range int64(4) {
		r := rand.New(rand.NewSource(seed))
		var c Command
		f := flight{
			server: newMatch(counting(&model, seen), world), model: &model, world: world, duration: 60 * clock.Second, seed: uint64(seed) + 1,
			frames: []float64{[]float64{30, 60, 144, 75}[seed]}, network: mem.Network{RTT: 100 * time.Millisecond, Loss: .03, Jitter: 5 * time.Millisecond},
			input: func(clock.Micros) Command {
				if r.Intn(15) == 0 {
					c.Command = movement.Command{Forward: 1, Right: r.Float64() - .5, Up: r.Float64() - .5, Yaw: 7 * r.Float64(), Pitch: r.Float64() - .5, Jump: r.Intn(3) == 0, Crouch: r.Intn(6) == 0}
					c.Jet = r.Intn(8) == 0
				}
				return c
			},
			drawn: func(c *session.Client[Hero, Command]) {
				if !c.Self().Up.IsZero() {
					ups++
				}
			},
		}
		if _, rover := f.play(t); rover.Corrections != 0 {
			t.Errorf("seed %d: %d corrections, want none", seed, rover.Corrections)
		}
	}
	t.Logf("%v, %d frames on a wall", seen, ups)
	for _, kind := range []movement.EventKind{movement.EnteredWater, movement.LeftWater, movement.Jumped} {
		if seen[kind] == 0 {
			t.Errorf("no event %d in four minutes: the run proves little", kind)
		}
	}
}

// counting is the game, with a count of the events of movement.
func counting(model *movement.Model, seen map[movement.EventKind]int) session.Game[Hero, Command] {
	g := Game(model)
	step := g.Step
	g.Step = func(m *session.Move, h *Hero, c *Command) {
		step(m, h, c)
		for _, e := range m.Motor.Events() {
			seen[e.Kind]++
		}
	}
	return g
}
