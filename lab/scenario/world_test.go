package scenario

import (
	"math"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const moving = `
duration: 20s
geometry:
  - box:  {min: [-50, -1, -50], max: [50, 0, 50]}
  - mover: {name: lift, box: {min: [-1, -0.1, -1], max: [1, 0, 1]}, path: {loop: true, points: [[0s, [8, 0, 0]], [2s, [8, 3, 0]], [4s, [8, 0, 0]]]}}
  - mover: {name: wheel, shapes: [{box: {min: [-4, 1, -1], max: [4, 1.2, 1]}}, {stairs: {at: [4, 1.2, 0], width: 1, rise: 0.2, run: 0.2, steps: 2}}], path: {loop: true, points: [[0s, [0, 0, 0], 0], [3s, [0, 0, 0], 360]]}}
  - mover: {name: door, hull: [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 0.2]], path: {smooth: true, axis: [0, 0, 2], points: [[0s, [20, 0, 0]], [1s, [20, 0, 0], 90]]}}
  - water:   {min: [10, -2, 10], max: [20, 0, 20], friction: 0.7, terminal_speed: 3}
  - pad:     {min: [-3, 0, -3], max: [-2, 0.5, -2], launch: [0, 9, 0], priority: 2}
  - gravity: {min: [30, 0, 0], max: [31, 3, 3], up: [5, 0, 0]}
  - planet:  {centre: [0, 100, 0], radius: 20}
  - kill:    {min: [-50, -30, -50], max: [50, -20, 50]}
`

// A mover's path counts from time zero, whenever that is: until then it rests at its
// first point, and a loop is the same in every round.
func TestPathsCountFromTimeZero(t *testing.T) {
	s := right(t, moving)
	const zero = 1_234_567 * clock.Microsecond
	w, err := s.World(nil, zero)
	if err != nil {
		t.Fatal(err)
	}
	for i, kept := range []string{"lift", "wheel", "door"} {
		id, ok := w.MoverNamed(kept)
		if !ok || int(id) != i+1 {
			t.Fatalf("%s is mover %d, %v, want %d", kept, id, ok, i+1)
		}
		shape := s.Geometry[i+1]
		want := shape.Path.Collide()
		for at := clock.Micros(-zero); at < 21*clock.Second; at += 77_777 {
			a, b := w.Mover(id).Path.Pose(zero+at), want.Pose(at)
			tip := geom.V(3, 1, -2)
			if d := a.Apply(tip).Dist(b.Apply(tip)); d > 1e-12 || at < 4*clock.Second && kept != "wheel" && a != b {
				t.Fatalf("%s at %d: got %v, want %v", kept, at, a, b)
			}
		}
	}
	rest, err := s.World(nil, -1)
	if err != nil {
		t.Fatal(err)
	}
	if got := rest.Mover(1).Path.Pose(3 * clock.Second).Translation; got != geom.V(8, 0, 0) {
		t.Errorf("a world before time zero is known: the lift is at %v, want its first point", got)
	}
}

// A loop that the whole run cannot have written out is refused with its line.
func TestALoopOfTooManyRounds(t *testing.T) {
	s := right(t, `
duration: 1440min
geometry:
  - mover: {name: fan, box: {min: [-1, 0, -1], max: [1, 1, 1]}, path: {loop: true, points: [[0s, [0, 0, 0]], [1s, [0, 0, 0], 360]]}}
`)
	_, err := s.World(nil, clock.Second)
	if err == nil || !strings.Contains(err.Error(), ":4: the path of fan: a loop of 2 points makes more than 4096 in a run of 86400s") {
		t.Errorf("got %v", err)
	}
}

// Volumes are what the file says.
func TestVolumes(t *testing.T) {
	w, err := right(t, moving).World(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	v := collide.WorldAt{World: w}
	for _, c := range []struct {
		what string
		at   geom.Vec3
		ok   func(*collide.Volume) bool
	}{
		{"water", geom.V(15, -1, 15), func(v *collide.Volume) bool { return v.Water && v.Friction == 0.7 && v.TerminalSpeed == 3 }},
		{"pad", geom.V(-2.5, 0.2, -2.5), func(v *collide.Volume) bool { return v.Launch == geom.V(0, 9, 0) && v.Priority == 2 }},
		{"gravity", geom.V(30.5, 1, 1), func(v *collide.Volume) bool { return v.Up == geom.V(1, 0, 0) && !v.Planet }},
		{"planet", geom.V(0, 111, 0), func(v *collide.Volume) bool { return v.Planet && v.Centre == geom.V(0, 100, 0) }},
		{"kill", geom.V(0, -25, 0), func(v *collide.Volume) bool { return v.Kill }},
	} {
		if got := v.VolumeAt(c.at); got == nil || !c.ok(got) {
			t.Errorf("%s at %v: got %+v", c.what, c.at, got)
		}
	}
	if got := v.VolumeAt(geom.V(0, 5, 0)); got != nil {
		t.Errorf("in the open: got %+v, want none", got)
	}
}

// Paths for characters, and motions of every kind, with what they leave out.
func TestPathsAndMotions(t *testing.T) {
	s := right(t, `
paths:
  - {name: rail, smooth: true, points: [[0s, [0, 0, 0]], [2s, [0, 3, 0], -90]]}
  - {name: ring, loop: true, points: [[0s, [0, 0, 0]], [2s, [0, 0, 0], 360]]}
players:
  - name: ann
    script:
      - {at: 0s, mode: path}
      - {at: 1s, mode: path, path: ring}
      - {at: 2s, root_motion: {kind: radial_force, centre: [1, 2, 3], radius: 4, strength: -5, for: 1s}}
      - {at: 3s, root_motion: {kind: move_to, target: [1, 2, 3], for: 1s, ignore_vertical: true, finish: [0, 0, 0], priority: 3, by: owner}}
      - {at: 4s, root_motion: {kind: jump_to, displacement: [1, 0, 3], height: 2, for: 1s, clamp: 3}}
`)
	if got := s.Paths[0].Points[1].Angle; got != -math.Pi/2 || !s.Paths[0].Smooth || s.Paths[1].Name != "ring" {
		t.Errorf("got %+v", s.Paths)
	}
	p := s.Players[0].Script
	if p[0].Path != 0 || p[1].Path != 1 {
		t.Errorf("got paths %d and %d, want the first where the entry does not say, and ring", p[0].Path, p[1].Path)
	}
	if m := p[2].RootMotion; !m.Additive || m.Strength != -5 || m.Radius != 4 || m.Centre != geom.V(1, 2, 3) {
		t.Errorf("a radial force adds: got %+v", m)
	}
	if m := p[3].RootMotion; m.Additive || m.Priority != 3 || !m.IgnoreVertical || *m.Finish != (geom.Vec3{}) || !m.ByOwner {
		t.Errorf("got %+v", m)
	}
	if m := p[4].RootMotion; m.Displacement != geom.V(1, 0, 3) || m.Height != 2 || *m.Clamp != 3 || m.Finish != nil {
		t.Errorf("got %+v", m)
	}
	orders := s.ServerActions()
	if len(orders) != 4 || orders[1].Path != 1 {
		t.Errorf("orders of the server: got %+v, want four, the owner's own left out", orders)
	}
}

// A triggered mover rests at its first point, whenever time zero is, until a character is in its box.
func TestADoorWaitsForACharacter(t *testing.T) {
	s := right(t, `
duration: 20s
geometry:
  - mover: {name: door, box: {min: [0, 0, 0], max: [1, 2, 0.1]}, path: {points: [[0s, [5, 0, 0]], [1s, [6, 0, 0]]]}, trigger: {kind: timed, delay: 100ms, hold: 2s, min: [4, 0, -2], max: [7, 2, 2]}}
`)
	const zero = 3 * clock.Second
	w, err := s.World(nil, zero)
	if err != nil {
		t.Fatal(err)
	}
	var log collide.Triggers
	w = w.WithTriggers(&log)
	if got, want := w.Mover(1).Trigger, (collide.Trigger{Kind: collide.Timed, Delay: 100 * clock.Millisecond, Hold: 2 * clock.Second}); got != want {
		t.Errorf("got %+v want %+v", got, want)
	}
	for i, c := range []struct{ near, want float64 }{{9, 5}, {5, 6}} {
		at := zero + clock.Micros(i)*clock.Second
		view := collide.WorldAt{World: w, At: at}
		log.Open(collide.TriggerCause{Now: at}, 0)
		view.TriggerVolumes(geom.Upright(geom.V(c.near, 1, 0), geom.Up, .3, .9), false)
		if got := w.Pose(1, at+1500*clock.Millisecond).Translation.X; got != c.want {
			t.Errorf("a character at x %v: the door is at x %v, want %v", c.near, got, c.want)
		}
	}
}
