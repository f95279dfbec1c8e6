package conformance

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// place is a world of the suite in words.
type place struct {
	Name   string `json:"name"`
	Boxes  []box  `json:"boxes,omitempty"`
	Hulls  []hull `json:"hulls,omitempty"`
	Water  []box  `json:"water,omitempty"`
	Movers []ride `json:"movers,omitempty"`
	// Gravity is boxes with a direction of gravity of their own, Planets are balls that
	// pull towards their centre.
	Gravity []tilt   `json:"gravity,omitempty"`
	Planets []planet `json:"planets,omitempty"`
	Comment string   `json:"comment,omitempty"`
}

// tilt is a box in which up is another direction.
type tilt struct {
	box
	Up [3]float64 `json:"up"`
}

type planet struct {
	Centre [3]float64 `json:"centre"`
	Radius float64    `json:"radius"`
}

// box is a solid: its half size along its own axes, turned about its centre.
type box struct {
	Centre [3]float64 `json:"centre"`
	Half   [3]float64 `json:"half"`
	Yaw    float64    `json:"yaw,omitempty"`
}

// hull is the convex hull of points.
type hull [][3]float64

// ride is a mover: its boxes in its own frame, which is at the keys at their
// times, straight in between, and begins again after the last.
type ride struct {
	Boxes []box `json:"boxes"`
	Keys  []key `json:"keys"`
}

type key struct {
	At    clock.Micros `json:"at"` // µs
	Move  [3]float64   `json:"move"`
	Angle float64      `json:"angle,omitempty"` // about +Y
}

func vec(v [3]float64) geom.Vec3 { return geom.V(v[0], v[1], v[2]) }

// bake makes the world.
func (p *place) bake(t testing.TB) *collide.World {
	return baked(t, func(b *collide.Builder) {
		boxes := func(b *collide.Builder, list []box) {
			for _, x := range list {
				b.Box(vec(x.Centre), vec(x.Half), geom.YawQuat(x.Yaw), collide.Surface{})
			}
		}
		boxes(b, p.Boxes)
		for _, h := range p.Hulls {
			points := make([]geom.Vec3, len(h))
			for i := range h {
				points[i] = vec(h[i])
			}
			if _, err := b.Hull(points, collide.Surface{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, x := range p.Water {
			if err := b.VolumeBox(collide.Volume{Water: true}, vec(x.Centre), vec(x.Half), geom.YawQuat(x.Yaw)); err != nil {
				t.Fatal(err)
			}
		}
		for _, x := range p.Gravity {
			if err := b.VolumeBox(collide.Volume{Up: vec(x.Up)}, vec(x.Centre), vec(x.Half), geom.YawQuat(x.Yaw)); err != nil {
				t.Fatal(err)
			}
		}
		for _, x := range p.Planets {
			v := collide.Volume{Planet: true, Centre: vec(x.Centre)}
			if err := b.VolumeSphere(v, geom.Sphere{Centre: vec(x.Centre), Radius: x.Radius}); err != nil {
				t.Fatal(err)
			}
		}
		for i, r := range p.Movers {
			path := collide.Path{Loop: true}
			for _, k := range r.Keys {
				path.Keys = append(path.Keys, collide.Key{At: k.At, Position: vec(k.Move), Angle: k.Angle})
			}
			b.Mover(string('a'+rune(i)), path, func(b *collide.Builder) { boxes(b, r.Boxes) })
		}
	})
}

// wedge is a slope as wide as 2·half about x that rises by rise towards −Z from z on.
func wedge(x, half, z, rise, run float64) hull {
	return hull{{x - half, 0, z}, {x + half, 0, z}, {x - half, 0, z - run}, {x + half, 0, z - run}, {x - half, rise, z - run}, {x + half, rise, z - run}}
}

var ground = box{Centre: [3]float64{0, -1, 0}, Half: [3]float64{50, 1, 50}}

// places are the worlds of the suite.
var places = []place{
	{Name: "flat", Boxes: []box{ground}},
	{Name: "slopes", Boxes: []box{ground}, Hulls: []hull{wedge(0, 2, -2, 3, 5.2), wedge(10, 2, -2, 5, 4)}, Comment: "30° at x 0, 51° at x 10"},
	{Name: "stairs", Boxes: []box{ground,
		{Centre: [3]float64{0, .1, -3}, Half: [3]float64{2, .1, 1}}, {Centre: [3]float64{0, .2, -3.5}, Half: [3]float64{2, .2, .8}},
		{Centre: [3]float64{0, .3, -4.3}, Half: [3]float64{2, .3, 1.2}}, {Centre: [3]float64{10, .3, -4}, Half: [3]float64{2, .3, 2}}},
		Comment: "steps of 0.2 m at x 0, a ledge of 0.6 m at x 10"},
	{Name: "walls", Boxes: []box{ground, {Centre: [3]float64{0, 2, -3}, Half: [3]float64{8, 2, .2}}, {Centre: [3]float64{5, 2, 0}, Half: [3]float64{.2, 2, 8}, Yaw: .5},
		{Centre: [3]float64{-4, 1.6, 2}, Half: [3]float64{1, .5, 2}}}, Comment: "a wall, one at an angle, and a beam 1.1 m above the ground at x −4"},
	{Name: "pool", Boxes: []box{{Centre: [3]float64{0, -5, 0}, Half: [3]float64{20, 1, 20}}, {Centre: [3]float64{0, -2, 12}, Half: [3]float64{20, 2, 8}}},
		Water: []box{{Centre: [3]float64{0, -2.2, -8}, Half: [3]float64{20, 1.8, 12}}}, Comment: "water from −4 m to −0.4 m, its bank at z 4"},
	{Name: "rides", Boxes: []box{ground}, Movers: []ride{
		{Boxes: []box{{Centre: [3]float64{0, -.1, 0}, Half: [3]float64{2, .1, 2}}}, Keys: []key{{0, [3]float64{0, .2, 0}, 0}, {2_000_000, [3]float64{0, 3.2, 0}, 0}, {4_000_000, [3]float64{0, .2, 0}, 0}}},
		{Boxes: []box{{Centre: [3]float64{0, -.1, 0}, Half: [3]float64{2, .1, 2}}}, Keys: []key{{0, [3]float64{10, .2, 0}, 0}, {2_000_000, [3]float64{10, .2, -6}, 1}, {4_000_000, [3]float64{10, .2, 0}, 0}}},
		{Boxes: []box{{Centre: [3]float64{0, 1, 0}, Half: [3]float64{.2, 1, 2}}}, Keys: []key{{0, [3]float64{-8, 0, 0}, 0}, {2_000_000, [3]float64{-4, 0, 0}, 0}, {4_000_000, [3]float64{-8, 0, 0}, 0}}},
	}, Comment: "a lift at x 0, a platform that slides and turns at x 10, a wall that pushes at x −8 … −4"},
	{Name: "gravity", Boxes: []box{ground, {Centre: [3]float64{8, 5, 0}, Half: [3]float64{1, 5, 10}}, {Centre: [3]float64{0, 40, 0}, Half: [3]float64{3, 3, 3}}},
		Gravity: []tilt{{box{Centre: [3]float64{5.5, 5, 0}, Half: [3]float64{2, 4.5, 10}}, [3]float64{-1, 0, 0}}, {box{Centre: [3]float64{-10, 2, 0}, Half: [3]float64{4, 2, 4}}, [3]float64{.6, .8, 0}}},
		Planets: []planet{{[3]float64{0, 40, 0}, 12}}, Comment: "a wall to walk on at x 7, a place at x −10 where up leans, a planet at y 40: a box to walk around"},
}

// step is one move of the suite.
type step struct {
	Name      string         `json:"name"`
	World     string         `json:"world"`
	At        clock.Micros   `json:"at"`       // the stamp, µs
	Duration  clock.Micros   `json:"duration"` // µs
	Command   map[string]any `json:"command"`
	Obstacles []any          `json:"obstacles,omitempty"`
	Before    packed         `json:"before"`
	After     packed         `json:"after"`
}

// packed is a state by its fields and as bytes, as a correction has it.
type packed struct {
	State map[string]any `json:"state"`
	Bytes Hex            `json:"bytes"`
}

func packedState(s movement.State) packed {
	var p bits.Packer
	p.Write(make([]byte, 1024))
	s.Pack(&p)
	return packed{show(reflect.ValueOf(s)).(map[string]any), bytes.Clone(p.Bytes())}
}

// walk is a script of moves, of which some are in the suite.
type walk struct {
	name, world string
	at          geom.Vec3
	moves       int
	every       int          // one in so many is in the suite
	lasts       clock.Micros // 0: 1/60 s, on the grid of 40 µs
	input       func(i int, s *movement.State) movement.Command
	obstacles   []collide.Obstacle
	prepare     func(s *movement.State)
}

// hold is an input that never changes.
func hold(c movement.Command) func(int, *movement.State) movement.Command {
	return func(int, *movement.State) movement.Command { return c }
}

// until is one input for n moves, and another one after.
func until(n int, first, then movement.Command) func(int, *movement.State) movement.Command {
	return func(i int, _ *movement.State) movement.Command {
		if i < n {
			return first
		}
		return then
	}
}

func walks() []walk {
	forward := movement.Command{Forward: 1}
	jump := movement.Command{Forward: 1, Jump: true}
	mate := collide.Obstacle{ID: 2, Capsule: geom.Capsule{A: geom.V(0, .34, -1.2), B: geom.V(0, 1.42, -1.2), Radius: .34}}
	return []walk{
		{name: "walking from rest", world: "flat", moves: 8, every: 2, input: hold(forward)},
		{name: "braking", world: "flat", moves: 26, every: 3, input: until(16, forward, movement.Command{})},
		{name: "half a stick, to the right", world: "flat", moves: 6, every: 3, input: hold(movement.Command{Forward: .5, Right: .5})},
		{name: "turning at speed", world: "flat", moves: 24, every: 4, input: func(i int, _ *movement.State) movement.Command {
			return movement.Command{Forward: 1, Yaw: float64(i) * .1}
		}},
		{name: "moves of 125 ms", world: "flat", moves: 4, every: 1, lasts: 125_000, input: hold(forward)},
		{name: "moves of 6.96 ms", world: "flat", moves: 9, every: 4, lasts: 6960, input: hold(forward)},
		{name: "a jump", world: "flat", moves: 62, every: 6, input: until(10, forward, jump)},
		{name: "steering in the air", world: "flat", moves: 30, every: 6, input: until(5, jump, movement.Command{Right: -1})},
		{name: "an impulse", world: "flat", moves: 8, every: 2, input: hold(movement.Command{}), prepare: func(s *movement.State) { s.Impulse = geom.V(3, 0, 1) }},
		{name: "a force", world: "flat", moves: 3, every: 1, input: hold(forward), prepare: func(s *movement.State) { s.Force = geom.V(0, 0, 40) }},
		{name: "a launch", world: "flat", moves: 9, every: 3, input: hold(forward), prepare: func(s *movement.State) { s.Launch = geom.V(2, 5, 0) }},
		{name: "up a slope of 30°", world: "slopes", at: geom.V(0, .02, 0), moves: 60, every: 10, input: hold(forward)},
		{name: "along a slope of 30°", world: "slopes", at: geom.V(-1.5, 1.2, -4), moves: 40, every: 8, input: hold(movement.Command{Right: 1})},
		{name: "against a slope of 51°", world: "slopes", at: geom.V(10, .02, -1), moves: 30, every: 6, input: hold(forward)},
		{name: "falling onto a steep slope", world: "slopes", at: geom.V(10, 4.5, -5), moves: 36, every: 6, input: hold(movement.Command{})},
		{name: "up and down stairs", world: "stairs", at: geom.V(0, .02, 0), moves: 75, every: 6, input: hold(forward)},
		{name: "a ledge that is too tall", world: "stairs", at: geom.V(10, .02, 0), moves: 30, every: 6, input: hold(forward)},
		{name: "a jump onto a ledge", world: "stairs", at: geom.V(10, .02, 0), moves: 40, every: 8, input: until(8, forward, jump)},
		{name: "straight into a wall", world: "walls", at: geom.V(0, .02, -1), moves: 25, every: 5, input: hold(forward)},
		{name: "along a wall", world: "walls", at: geom.V(-3, .02, -2), moves: 30, every: 6, input: hold(movement.Command{Forward: 1, Yaw: -1})},
		{name: "along a wall at an angle", world: "walls", at: geom.V(4, .02, -1), moves: 40, every: 8, input: hold(movement.Command{Forward: 1, Right: 1})},
		{name: "crouching under a beam", world: "walls", at: geom.V(-4, .02, 5), moves: 60, every: 10, input: until(50, movement.Command{Forward: 1, Crouch: true}, movement.Command{Forward: 1})},
		{name: "standing up", world: "flat", moves: 6, every: 2, input: until(3, movement.Command{Crouch: true}, movement.Command{})},
		{name: "no room to stand up", world: "walls", at: geom.V(-4, .02, 2.5), moves: 4, every: 1, input: hold(movement.Command{}), prepare: func(s *movement.State) { s.Crouched = true }},
		{name: "into the water", world: "pool", at: geom.V(0, .02, 5), moves: 60, every: 8, input: hold(forward)},
		{name: "swimming up and down", world: "pool", at: geom.V(0, -2.5, -4), moves: 40, every: 8, input: func(i int, _ *movement.State) movement.Command {
			return movement.Command{Forward: 1, Pitch: float64(i)*.04 - .8, Up: float64(i%2) * .5}
		}, prepare: func(s *movement.State) { s.Mode = movement.Swimming }},
		{name: "out of the water", world: "pool", at: geom.V(0, -1.4, 1.5), moves: 84, every: 12, input: hold(movement.Command{Forward: -1, Up: 1}), prepare: func(s *movement.State) { s.Mode = movement.Swimming }},
		{name: "on a lift", world: "rides", at: geom.V(0, .22, 0), moves: 30, every: 6, input: hold(forward)},
		{name: "a jump from a lift", world: "rides", at: geom.V(0, .22, 0), moves: 40, every: 8, input: until(10, movement.Command{}, movement.Command{Jump: true})},
		{name: "on a platform that turns", world: "rides", at: geom.V(11, .22, 0), moves: 40, every: 8, input: until(20, movement.Command{}, forward)},
		{name: "pushed by a wall", world: "rides", at: geom.V(-7, .02, 0), moves: 40, every: 8, input: hold(movement.Command{})},
		{name: "another player in the way", world: "flat", at: geom.V(.1, .02, 0), moves: 24, every: 4, input: hold(forward), obstacles: []collide.Obstacle{mate}},
		{name: "inside another player", world: "flat", at: geom.V(.1, .02, -1), moves: 8, every: 2, input: hold(movement.Command{}), obstacles: []collide.Obstacle{mate}},
		{name: "falling to a wall and walking on it", world: "gravity", at: geom.V(4.5, 3, 0), moves: 80, every: 6, input: until(30, movement.Command{}, forward), prepare: func(s *movement.State) { s.Mode, s.ForceFloor = movement.Falling, false }},
		{name: "walking where up leans", world: "gravity", at: geom.V(-10, .02, 0), moves: 24, every: 4, input: hold(forward)},
		{name: "a jump where up leans", world: "gravity", at: geom.V(-10, .02, 0), moves: 40, every: 8, input: until(8, forward, jump)},
		{name: "around an edge of a planet", world: "gravity", at: geom.V(0, 43.02, -1), moves: 80, every: 8, input: hold(forward)},
		{name: "a constant root motion", world: "flat", moves: 24, every: 3, input: hold(forward), prepare: source(rootmotion.Constant(geom.V(3, 2, 0), 250_000))},
		{name: "an added root motion, with a curve", world: "flat", moves: 20, every: 3, input: hold(forward), prepare: added},
		{name: "a radial root motion", world: "flat", moves: 24, every: 4, input: hold(movement.Command{}), prepare: source(rootmotion.Radial(geom.V(1, 0, 1), 4, 5, 300_000))},
		{name: "a move to a place, and past a wall", world: "walls", at: geom.V(0, .02, -1), moves: 36, every: 4, input: hold(forward), prepare: source(rootmotion.MoveTo(geom.V(0, .02, -1), geom.V(3, .02, -3.5), 500_000))},
		{name: "a leap onto a ledge", world: "stairs", at: geom.V(10, .02, 0), moves: 48, every: 6, input: hold(movement.Command{}), prepare: source(rootmotion.JumpTo(geom.V(0, 0, -4), 1.5, 700_000))},
		{name: "an animation's root motion", world: "flat", moves: 40, every: 5, input: hold(forward), prepare: source(rootmotion.Play(0))},
		{name: "on a path, and off it", world: "flat", moves: 60, every: 6, input: func(i int, s *movement.State) movement.Command {
			if i == 45 {
				s.LeavePath()
			}
			return forward
		}, prepare: func(s *movement.State) { s.EnterPath(1, 0) }},
		{name: "flying", world: "flat", at: geom.V(0, 3, 0), moves: 8, every: 3, input: hold(movement.Command{Forward: 1, Pitch: .5, Up: 1}), prepare: func(s *movement.State) { s.Mode = movement.Flying }},
	}
}

// source applies a root motion source with the first move.
func source(of rootmotion.Source) func(*movement.State) {
	return func(s *movement.State) { s.Motion.Apply(of, 16_680) }
}

// added is a push that fades by the model's curve, on top of walking, and ends by clamping
// the speed.
func added(s *movement.State) {
	push := rootmotion.Constant(geom.V(4, 0, 0), 200_000)
	push.Flags, push.Curve = rootmotion.Additive, 1
	push.Finish, push.FinishVelocity = rootmotion.Clamp, geom.V(3, 0, 0)
	s.Motion.Apply(push, 16_680)
}

// model is the default model, with a path, a curve and a clip for the moves that use them.
func model() movement.Model {
	m := movement.DefaultModel()
	m.Paths = []collide.Path{{Keys: []collide.Key{{Position: geom.V(0, 1, 0)}, {At: 500_000, Position: geom.V(3, 2, 0)}, {At: 1_000_000, Position: geom.V(3, 2, -4)}}}}
	m.Motion = &rootmotion.Library{
		Curves: []rootmotion.Curve{{{Value: 1}, {At: .5, Value: .75}, {At: 1}}},
		Clips: []rootmotion.Clip{{Name: "lunge", Length: 500_000, Root: rootmotion.Track{
			{}, {At: .5, Move: geom.V(0, 0, -1), Turn: .5}, {At: 1, Move: geom.V(.5, 0, -1.5), Turn: .5},
		}}},
	}
	return m
}

// play runs a walk, and adds what is in the suite.
func (w *walk) play(t *testing.T, list []step) []step {
	var world *collide.World
	for i := range places {
		if places[i].Name == w.world {
			world = places[i].bake(t)
		}
	}
	m, s := model(), movement.Spawn(w.at, 0)
	if w.at == (geom.Vec3{}) {
		s.Position = geom.V(0, .02, 0)
	}
	if w.prepare != nil {
		w.prepare(&s)
	}
	lasts := w.lasts
	if lasts == 0 {
		lasts = 16_680
	}
	var f movement.StepContext
	for i := range w.moves {
		at := collide.WorldAt{World: world, At: clock.Micros(i+1) * lasts, Obstacles: w.obstacles}
		c := w.input(i, &s)
		c.Quantise()
		before := s
		movement.Step(&m, &s, &c, lasts, &at, &f)
		if (i+1)%w.every != 0 && i > 0 {
			continue
		}
		v := step{Name: w.name, World: w.world, At: at.At, Duration: lasts, Command: show(reflect.ValueOf(c)).(map[string]any), Before: packedState(before), After: packedState(s)}
		for _, o := range w.obstacles {
			v.Obstacles = append(v.Obstacles, show(reflect.ValueOf(o)))
		}
		list = append(list, v)
	}
	return list
}

// The moves of the suite are what the step computes: the model, the worlds, and then each
// move with the state before and after it (PRF-14).
func TestMovementVectors(t *testing.T) {
	var lines []any
	lines = append(lines, map[string]any{"model": show(reflect.ValueOf(model()))})
	for i := range places {
		lines = append(lines, map[string]any{"world": places[i]})
	}
	var list []step
	for _, w := range walks() {
		list = w.play(t, list)
	}
	t.Logf("%d moves", len(list))
	for _, v := range list {
		lines = append(lines, map[string]any{"move": v})
	}
	compare(t, "movement.jsonl", lines)
}

// The file alone is enough to reproduce its moves: model, worlds, states and commands are
// read from it, and each step ends in the same bits.
func TestMovementVectorsAreReplayed(t *testing.T) {
	m, worlds, moves := movement.Model{}, map[string]*collide.World{}, 0
	var f movement.StepContext
	for _, line := range readLines[struct {
		Model map[string]any
		World *place
		Move  *step
	}](t, "movement.jsonl") {
		switch {
		case line.Model != nil:
			fill(reflect.ValueOf(&m).Elem(), line.Model)
		case line.World != nil:
			worlds[line.World.Name] = line.World.bake(t)
		case line.Move != nil:
			v := line.Move
			moves++
			s, c := movement.State{}, movement.Command{}
			fill(reflect.ValueOf(&s).Elem(), v.Before.State)
			fill(reflect.ValueOf(&c).Elem(), v.Command)
			w := collide.WorldAt{World: worlds[v.World], At: v.At, Obstacles: make([]collide.Obstacle, len(v.Obstacles))}
			for i, o := range v.Obstacles {
				fill(reflect.ValueOf(&w.Obstacles[i]).Elem(), o)
			}
			if got := packedState(s); !bytes.Equal(got.Bytes, v.Before.Bytes) {
				t.Errorf("%s at %d: the fields before are not the bytes", v.Name, v.At)
			}
			movement.Step(&m, &s, &c, v.Duration, &w, &f)
			if got := packedState(s); !bytes.Equal(got.Bytes, v.After.Bytes) {
				state, _ := json.Marshal(got.State)
				t.Errorf("%s at %d: got %s", v.Name, v.At, state)
			}
		}
	}
	if moves < 100 {
		t.Errorf("got %d moves", moves)
	}
}
