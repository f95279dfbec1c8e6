package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
)

const (
	// meshCell in metres: it bakes twice as fast as nav's default, and the level has no
	// gap that it misses.
	meshCell = 0.2
	// highestDrop is the deepest drop for bots, in metres.
	highestDrop = 4.5
	// meshReach in metres bounds the mesh around the spawn points: a mesh of a large world
	// would take long to bake, and bots do not need it.
	meshReach = 60
)

// Mesh bakes the bots' navigation mesh: where a hero can walk, upright or crouched, from
// these spawn points on and within 60 m of them; everywhere if there are none. Jump pads
// are links. It takes some tenths of a second. Share one among the bots of a level. The
// error is nav.Bake's: a world that is too large.
func Mesh(world *collide.World, feet ...geom.Vec3) (*nav.Mesh, error) {
	m := movement.DefaultModel()
	p := nav.Params{
		Radius: m.Radius, Height: 2 * m.HalfHeight, CrouchedHeight: 2 * m.CrouchedHalfHeight,
		StepHeight: m.StepHeight, WalkableSlope: m.WalkableSlope,
		Cell: meshCell, MaxDrop: highestDrop, SwimDepth: m.HalfHeight, Seeds: feet, Links: jumpPadLinks(world, &m),
	}
	if len(feet) > 0 {
		p.Bounds = geom.EmptyAABB()
		for _, at := range feet {
			p.Bounds = p.Bounds.Include(at)
		}
		p.Bounds = p.Bounds.Grow(meshReach)
	}
	mesh, err := nav.Bake(world, p)
	if err != nil && len(p.Links) > 0 { // a jump pad leads off the mesh
		p.Links = nil
		mesh, err = nav.Bake(world, p)
	}
	return mesh, err
}

// jumpPadLinks returns where the world's jump pads lead: the landing point of a body
// without input.
func jumpPadLinks(world *collide.World, m *movement.Model) (links []nav.Link) {
	view := collide.WorldAt{World: world}
	var frame movement.StepContext
	var idle movement.Command
	for i, v := range world.Volumes() {
		if v.Launch.IsZero() {
			continue
		}
		box := world.VolumeBounds(i)
		start := box.Centre()
		if hit, ok := world.Ray(start, geom.V(0, box.Min.Y-start.Y-1, 0)); ok {
			start = hit.Point
		}
		body, flew := movement.Spawn(start.MulAdd(geom.Up, 0.02), 0), false
		for range 10 * 60 {
			movement.Step(m, &body, &idle, clock.Second/60, &view, &frame)
			if flew = flew || body.Mode == movement.Falling; flew && body.Mode != movement.Falling {
				links = append(links, nav.Link{From: start, To: body.Position, Kind: nav.JumpPad})
				break
			}
		}
	}
	return links
}

// meshOrEmpty returns Mesh, or an empty mesh on an error: bots then walk blindly.
func meshOrEmpty(world *collide.World, feet ...geom.Vec3) *nav.Mesh {
	m, err := Mesh(world, feet...)
	if err != nil {
		return &nav.Mesh{}
	}
	return m
}
