package arena

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
)

const (
	// meshCell in metres: twice as quick to bake as nav's own, and the level has no
	// gaps that it misses.
	meshCell = 0.2
	// highestDrop is how deep bots jump down, in metres.
	highestDrop = 4.5
)

// Mesh bakes the mesh that bots find their way by: where a hero's feet can go, upright
// or crouched, from these spawn points on; everywhere if there are none. It takes
// some tenths of a second. Share one among the bots of a level. The error is
// nav.Bake's: a world too large.
func Mesh(world *collide.World, feet ...geom.Vec3) (*nav.Mesh, error) {
	m := movement.DefaultModel()
	return nav.Bake(world, nav.Params{
		Radius: m.Radius, Height: 2 * m.HalfHeight, LowHeight: 2 * m.CrouchedHalfHeight,
		StepHeight: m.StepHeight, WalkableSlope: m.WalkableSlope, Cell: meshCell, Drop: highestDrop, Seeds: feet,
	})
}

// meshOf is Mesh for those who can do without: bots on an empty mesh walk off
// blindly.
func meshOf(world *collide.World, feet ...geom.Vec3) *nav.Mesh {
	m, err := Mesh(world, feet...)
	if err != nil {
		return &nav.Mesh{}
	}
	return m
}
