package glb_test

import (
	"fmt"

	"github.com/backstep-net/backstep/examples/arena/glb"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/qmuntal/gltf"
)

// ExampleWriter writes a level of one triangle and reads it.
func ExampleWriter() {
	w := glb.Writer{Doc: gltf.NewDocument()}
	grey := geom.V(0.5, 0.5, 0.5)
	var corners []glb.Vertex
	for _, at := range []geom.Vec3{{X: -2}, {Z: 2}, {X: 2}} {
		corners = append(corners, glb.Vertex{Position: at, Normal: geom.Up, Colour: grey})
	}
	mesh := &gltf.Mesh{Name: "floor", Primitives: []*gltf.Primitive{w.Triangles(corners, []uint32{0, 1, 2}, 0)}}
	w.Doc.Materials = []*gltf.Material{{Name: "stone"}}
	w.Doc.Meshes = []*gltf.Mesh{mesh}
	w.Doc.Nodes = []*gltf.Node{{Name: "floor", Mesh: gltf.Index(0)}}
	w.Doc.Scenes[0].Nodes = []int{0}
	b, err := w.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := level.Read(b)
	fmt.Println(l.Triangles, l.Bounds.Max, err)
	// Output: 1 {2 0 2} <nil>
}
