package levelmaker

import (
	"fmt"

	"github.com/backstep-net/backstep/examples/arena/glb"
	"github.com/backstep-net/backstep/geom"
	"github.com/qmuntal/gltf"
)

// sceneBuilder collects the parts of a level of that name.
type sceneBuilder struct {
	name  string
	parts []*part
}

func (s *sceneBuilder) add(p ...*part) { s.parts = append(s.parts, p...) }

// fileWriter writes the parts.
type fileWriter struct {
	glb.Writer
	drawn map[*shape]int // meshes written so far
}

// file writes the parts as a .glb.
func (s *sceneBuilder) file() ([]byte, error) {
	w := &fileWriter{Writer: glb.Writer{Doc: &gltf.Document{
		Asset: gltf.Asset{Version: "2.0", Generator: "backstep level build"},
		Scene: gltf.Index(0),
		Scenes: []*gltf.Scene{{Name: s.name, Extras: map[string]any{
			"backstep": map[string]any{"killHeight": KillHeight},
		}}},
	}}, drawn: map[*shape]int{}}
	for _, f := range finish {
		base := f.base
		w.Doc.Materials = append(w.Doc.Materials, &gltf.Material{
			Name: f.name, EmissiveFactor: f.emissive,
			PBRMetallicRoughness: &gltf.PBRMetallicRoughness{
				BaseColorFactor: &base, MetallicFactor: gltf.Float(f.metallic), RoughnessFactor: gltf.Float(f.roughness),
			},
		})
	}
	for _, p := range s.parts {
		w.Doc.Scenes[0].Nodes = append(w.Doc.Scenes[0].Nodes, w.node(p))
	}
	b, err := w.Encode()
	if err != nil {
		return nil, fmt.Errorf("levelmaker: %w", err)
	}
	return b, nil
}

// node writes p with its children and returns its number.
func (w *fileWriter) node(p *part) int {
	n := &gltf.Node{Name: p.name, Translation: glb.RoundVec(p.at)}
	if p.yaw != 0 {
		n.Rotation = glb.RoundQuat(geom.YawQuat(p.yaw))
	}
	if !p.scale.IsZero() {
		n.Scale = glb.RoundVec(p.scale)
	}
	if p.marks != (extras{}) {
		n.Extras = map[string]any{"backstep": p.marks}
	}
	i := len(w.Doc.Nodes)
	w.Doc.Nodes = append(w.Doc.Nodes, n)
	if p.shape != nil {
		n.Mesh = gltf.Index(w.mesh(p.name, p.shape))
	}
	for _, k := range p.kids {
		n.Children = append(n.Children, w.node(k))
	}
	return i
}

// mesh writes s, once even if it is placed several times.
func (w *fileWriter) mesh(name string, s *shape) int {
	if i, ok := w.drawn[s]; ok {
		return i
	}
	m := &gltf.Mesh{Name: name}
	for k := range s.patches {
		if p := &s.patches[k]; len(p.indices) > 0 {
			m.Primitives = append(m.Primitives, w.Triangles(p.vertices, p.indices, k))
		}
	}
	w.Doc.Meshes = append(w.Doc.Meshes, m)
	w.drawn[s] = len(w.Doc.Meshes) - 1
	return w.drawn[s]
}
