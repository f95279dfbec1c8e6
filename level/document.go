package level

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// document is the part of a glTF file that a level needs, by the format's names. Fields are
// pointers where nil and zero differ. It is not qmuntal/gltf's type, because that one reads
// an unknown component type as float, panics on a null buffer and needs ten times the
// memory.
type document struct {
	Asset              asset
	ExtensionsRequired []string
	Scene              *int
	Scenes             []scene
	Nodes              []node
	Meshes             []mesh
	Accessors          []accessor
	BufferViews        []bufferView
	Buffers            []buffer
	Images             []struct{ URI string }
}

// asset says by which version of the format the file is to be read (glTF 2.0, section 3.2).
type asset struct{ Version, MinVersion string }

// scene is a set of trees of nodes.
type scene struct {
	Name   string
	Nodes  []int // the roots
	Extras json.RawMessage
}

// node is a place in the scene: its transform is a Matrix, or the three parts of one, relative
// to its parent.
type node struct {
	Name                         string
	Mesh, Skin                   *int // numbers; nil: none
	Children                     []int
	Matrix                       []float64 // 16 by columns; none: the parts below
	Translation, Rotation, Scale []float64 // metres, quaternion x y z w, factors
	Extras                       json.RawMessage
	Extensions                   map[string]json.RawMessage
}

// mesh is a list of primitives, one for each material.
type mesh struct {
	Name       string
	Primitives []primitive
	Extras     json.RawMessage // no marks: those are the node's
}

// primitive is triangles, lines or points that share a material.
type primitive struct {
	Attributes map[string]int // accessors by name; a level needs POSITION
	Indices    *int           // accessor; nil: the vertices in their order
	Mode       *int           // nil: 4, triangles
}

// accessor is a typed list of numbers in a view.
type accessor struct {
	BufferView    *int // nil: zeros, or Sparse alone
	ByteOffset    int  // within the view
	ComponentType int
	Normalized    bool // integers stand for 0 … 1 or −1 … 1
	Count         int  // of elements
	Type          string
	Sparse        *sparse // elements that replace those of the view
}

// sparse is a list of elements and their numbers.
type sparse struct {
	Count   int
	Indices struct{ BufferView, ByteOffset, ComponentType int }
	Values  struct{ BufferView, ByteOffset int }
}

// bufferView is a range of a buffer, in bytes. A ByteStride of 0 means that elements follow each
// other without a gap.
type bufferView struct{ Buffer, ByteOffset, ByteLength, ByteStride int }

// buffer is the bytes of a file. Only the binary chunk, which has no URI, is read.
type buffer struct {
	URI        *string
	ByteLength int
}

// file is an opened .glb: its description and its binary chunk.
//
// A mesh that many nodes place is read once: a forest of a thousand trees is one mesh.
type file struct {
	document
	bin    []byte                // the binary chunk, not copied
	parsed map[int]*triangleMesh // meshes read so far, by number
	budget budget                // what may still be read
}

// open reads everything but the geometry and checks the file as a whole.
//
// The checks that need no node come first, so that a compressed file is reported as such
// and not as an accessor without a view.
func open(b []byte) (*file, error) {
	text, bin, err := split(b)
	if err != nil {
		return nil, err
	}
	d, err := decode(text)
	if err != nil {
		return nil, err
	}
	f := &file{document: *d, bin: bin, parsed: map[int]*triangleMesh{}}
	for _, check := range []func() error{f.checkVersion, f.checkExtensions, f.checkBuffers} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	if len(f.Nodes) > MaxNodes {
		return nil, fmt.Errorf("%d nodes, more than the %d a level may have", len(f.Nodes), MaxNodes)
	}
	return f, nil
}

// checkVersion refuses glTF 1, which has another container, and files that demand a later 2.x
// than 2.0.
func (f *file) checkVersion() error {
	if v := f.Asset.Version; !strings.HasPrefix(v, "2.") {
		return fmt.Errorf("asset.version is %s; only 2.x is read", quote(v))
	}
	if v := f.Asset.MinVersion; v != "" && v != "2.0" {
		return fmt.Errorf("asset.minVersion is %s; only 2.0 is read", quote(v))
	}
	return nil
}

// ignorable are the extensions that change only the appearance of a level, and the one that
// only allows more types for POSITION.
//
// The list is what is known to be harmless and not what is known to be harmful: an
// extension that nobody has heard of may move geometry.
var ignorable = []string{
	"KHR_lights_punctual", "KHR_mesh_quantization", "KHR_texture_basisu",
	"KHR_texture_transform", "EXT_texture_avif", "EXT_texture_webp",
}

// checkExtensions refuses files that cannot be read without an extension that this package does
// not know. Extensions that are used and not required may be ignored: the file says that it is
// right without them.
func (f *file) checkExtensions() error {
	for _, name := range f.ExtensionsRequired {
		switch {
		case slices.Contains(ignorable, name) || strings.HasPrefix(name, "KHR_materials_"):
		case name == "KHR_draco_mesh_compression" || name == "EXT_meshopt_compression" ||
			name == "KHR_meshopt_compression":
			return fmt.Errorf("it requires %s: compressed geometry is not read, export without compression", name)
		default:
			return fmt.Errorf("it requires the extension %s, which is not read", quote(name))
		}
	}
	return nil
}

// checkBuffers makes sure that the file is self-contained.
//
// A URI would be a file of the server, or a request that it makes to any host: neither is
// ever opened.
func (f *file) checkBuffers() error {
	for i, b := range f.Buffers {
		switch {
		case b.URI != nil:
			return fmt.Errorf("buffer %d has the URI %s: a level carries its bytes in its own binary chunk", i, quote(*b.URI))
		case i > 0:
			return fmt.Errorf("buffer %d has no bytes: only buffer 0 is in the binary chunk", i)
		case b.ByteLength < 0 || b.ByteLength > len(f.bin):
			return fmt.Errorf("buffer 0 says %d bytes and the binary chunk has %d", b.ByteLength, len(f.bin))
		default:
			// The chunk may be padded by up to three bytes.
			f.bin = f.bin[:b.ByteLength]
		}
	}
	for i, m := range f.Images {
		if m.URI != "" && !strings.HasPrefix(m.URI, "data:") {
			return fmt.Errorf("image %d is outside the file, at %s: export as one .glb", i, quote(m.URI))
		}
	}
	return nil
}

// quote returns text from a file for an error: quoted, and cut if it is long.
//
// Names come from a file that may be hostile, and errors go to logs and terminals: control
// characters are escaped and the length is bounded.
func quote(s string) string {
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	return fmt.Sprintf("%q", s)
}
