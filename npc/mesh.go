package npc

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
)

// BakeMesh bakes the mesh of a level that a program describes, for characters that walk by a model: nav.Bake
// with the body of the model and its defaults. It panics with the error of nav.Bake.
func BakeMesh(w *collide.World, model *movement.Model) *nav.Mesh {
	mesh, err := nav.Bake(w, nav.Params{
		Radius: model.Radius, Height: 2 * model.HalfHeight, StepHeight: model.StepHeight, WalkableSlope: model.WalkableSlope,
	})
	if err != nil {
		panic("npc: BakeMesh: " + err.Error())
	}
	return mesh
}
