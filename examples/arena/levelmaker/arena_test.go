package levelmaker_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/backstep-net/backstep/examples/arena/levelmaker"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"
)

var update = flag.Bool("update", false, "write the committed arena.glb anew")

const committed = "../assets/arena.glb"

// The capsule that stands in the arena: radius and half of its height in metres,
// standing and crouched (BAS-03).
const (
	radius   = 0.34
	standing = 0.88
	crouched = 0.40
	walkable = 0.71 // the least upward part of a floor's normal (GRD-02: 44.765°)
)

func built(t testing.TB) []byte {
	t.Helper()
	b, err := levelmaker.Build()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func open(t testing.TB) *level.Level {
	t.Helper()
	l, err := level.Read(built(t))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTheCommittedFileIsWhatBuildBuilds(t *testing.T) {
	b := built(t)
	if *update {
		if err := os.MkdirAll(filepath.Dir(committed), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(committed, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, b) {
		t.Errorf("%s has %d bytes that differ from the %d that Build returns; go generate ./examples/arena/levelmaker writes it", committed, len(have), len(b))
	}
	if !bytes.Equal(b, built(t)) {
		t.Error("Build returned other bytes the second time")
	}
}

func TestTheArenaIsSmallEnough(t *testing.T) {
	b := built(t)
	begin := time.Now()
	l, err := level.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	seen := 0
	var doc gltf.Document
	if err := gltf.NewDecoder(bytes.NewReader(b)).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	for _, n := range doc.Nodes {
		if n.Mesh == nil {
			continue
		}
		for _, p := range doc.Meshes[*n.Mesh].Primitives {
			seen += doc.Accessors[*p.Indices].Count / 3
		}
	}
	t.Logf("%d bytes, %d nodes, %d triangles to see, %d to touch and hulls, %d spawn points; read and baked in %v",
		len(b), len(doc.Nodes), seen, l.Triangles, len(l.Spawns), took.Round(time.Millisecond))
	if len(b) >= 3_000_000 || seen >= 65_000 {
		t.Errorf("%d bytes and %d triangles; want under 3,000,000 and 65,000", len(b), seen)
	}
	if l.Name != "Arena" || l.KillHeight != levelmaker.KillHeight {
		t.Errorf("got %q down to %v, want Arena down to %v", l.Name, l.KillHeight, levelmaker.KillHeight)
	}
}

// The library that wrote the file reads the ground back with its own reader, and
// the world must be where it says: an oracle that shares no code with level.
func TestTheGroundIsWhereTheFileSaysItIs(t *testing.T) {
	l := open(t)
	var doc gltf.Document
	if err := gltf.NewDecoder(bytes.NewReader(built(t))).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	for _, n := range doc.Nodes {
		if n.Name != "ground" {
			continue
		}
		p := doc.Meshes[*n.Mesh].Primitives[0]
		points, err := modeler.ReadPosition(&doc, doc.Accessors[p.Attributes["POSITION"]], nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(points); i += 7 {
			at := geom.V(float64(points[i][0]), float64(points[i][1]), float64(points[i][2]))
			h, ok := l.World.Ray(at.Add(geom.V(0.001, 0.02, 0.001)), geom.V(0, -0.04, 0))
			if !ok && math.Abs(at.X) < 35 && math.Abs(at.Z) < 35 && !l.World.Overlaps(geom.Capsule{A: at, B: at, Radius: 0.01}) {
				t.Errorf("no ground at %v (%v)", at, h)
			}
		}
	}
}

// stand is the capsule with its feet at p.
func stand(p geom.Vec3, half float64) geom.Capsule {
	return geom.Upright(p.Add(geom.V(0, half, 0)), geom.Up, radius, half)
}

func TestSpawnsStandFreeOnAFloor(t *testing.T) {
	l := open(t)
	teams := map[int]int{}
	for i, s := range l.Spawns {
		teams[s.Team]++
		if l.World.Overlaps(stand(s.Position, standing)) {
			t.Errorf("%s at %v is inside something", s.Name, s.Position)
		}
		h, ok := l.World.Ray(s.Position.Add(geom.V(0, 0.1, 0)), geom.V(0, -0.3, 0))
		if !ok || h.Normal.Y < walkable || s.Position.Y-h.Point.Y > 0.1 {
			t.Errorf("%s at %v stands on %+v, %v; want a walkable floor within 0.1 m", s.Name, s.Position, h, ok)
		}
		ahead := geom.Forward(s.Yaw).Mul(2)
		if h, ok := l.World.SweepCapsule(stand(s.Position.Add(geom.V(0, 0.5, 0)), standing-0.25), ahead); ok && h.FaceNormal.Y < walkable {
			t.Errorf("%s looks at a wall %.2f m ahead", s.Name, 2*h.Fraction)
		}
		for _, o := range l.Spawns[:i] {
			if o.Position.Dist(s.Position) < 2 {
				t.Errorf("%s and %s are %.2f m apart", s.Name, o.Name, o.Position.Dist(s.Position))
			}
		}
	}
	if len(l.Spawns) < 12 || teams[levelmaker.Red] != teams[levelmaker.Blue] || teams[levelmaker.Red] < 4 {
		t.Errorf("%d spawn points, by team %v; want 12 or more, and 4 or more for each team", len(l.Spawns), teams)
	}
}

// floorAt is the height of the floor under (x, 20 m, z), as text.
func floorAt(l *level.Level, x, z, from float64) string {
	h, ok := l.World.Ray(geom.V(x, from, z), geom.V(0, -from-20, 0))
	if !ok {
		return "nothing"
	}
	return fmt.Sprintf("%.3f", math.Round(h.Point.Y*1e3)/1e3+0)
}

func TestTheCourseIsWhereItsConstantsSay(t *testing.T) {
	l := open(t)
	for _, c := range []struct {
		what string
		z    float64
		want string
	}{
		{"start", levelmaker.CourseStartZ, "0.000"},
		{"before the gentle stairs", levelmaker.CourseGentleZ + 0.02, "0.000"},
		{"first gentle step", levelmaker.CourseGentleZ - 0.02, "0.150"},
		{"second gentle step", levelmaker.CourseGentleZ - 0.32, "0.300"},
		{"landing", levelmaker.CourseLandingZ - 0.5, "1.500"},
		{"before the steep stairs", levelmaker.CourseSteepZ + 0.02, "1.500"},
		{"first steep step", levelmaker.CourseSteepZ - 0.02, "1.800"},
		{"top", levelmaker.CourseTopZ - 0.5, "3.000"},
		{"ramp of 20°, 1 m down it", levelmaker.CourseRamp20Z - 1, "2.636"},
		{"ramp of 40°, 1 m up it", levelmaker.CourseRamp40Z - 1, "0.839"},
		{"mound", levelmaker.CourseDropZ + 0.5, "2.000"},
		{"after the drop", levelmaker.CourseDropZ - 0.5, "0.000"},
		{"ramp of 50°, 1 m along it", levelmaker.CourseRamp50Z - 1, "1.192"},
		{"back step", levelmaker.CourseBackZ + 0.5, "2.000"},
	} {
		for _, x := range []float64{levelmaker.CourseX, levelmaker.CourseX - 1.9, levelmaker.CourseX + 1.9} {
			if got := floorAt(l, x, c.z, 6); got != c.want {
				t.Errorf("%s (x %v, z %.2f): got height %s, want %s", c.what, x, c.z, got, c.want)
			}
		}
	}
}

// Players in the arena stay in it: a ball flung from the middle in any direction
// of the compass, at any height up to 20 m, meets something.
func TestNobodyLeavesTheArena(t *testing.T) {
	l := open(t)
	for i := range 720 {
		for _, y := range []float64{0.5, 2, 5, 9, 14, 20} {
			out := geom.Forward(float64(i) * math.Pi / 360).Mul(90)
			if _, ok := l.World.SweepCapsule(geom.Capsule{A: geom.V(0, y, 20), B: geom.V(0, y, 20), Radius: 0.2}, out); !ok {
				t.Errorf("the way out: bearing %v°, height %v", float64(i)/2, y)
			}
		}
	}
	for i := range 79 {
		for j := range 79 {
			x, z := float64(i)-39, float64(j)-39
			if floorAt(l, x, z, 30) == "nothing" {
				t.Errorf("no floor at %v, %v", x, z)
			}
		}
	}
}

func TestOnlyACrouchedPlayerFitsUnderTheOverhang(t *testing.T) {
	l := open(t)
	for _, z := range []float64{15, -15} {
		before, through := geom.V(31, 0.01, z+4), geom.V(0, 0, -8)
		if h, ok := l.World.SweepCapsule(stand(before, crouched), through); ok {
			t.Errorf("crouched at z %v: stopped after %.2f m", z, 8*h.Fraction)
		}
		if _, ok := l.World.SweepCapsule(stand(before, standing), through); !ok {
			t.Errorf("standing at z %v: walked under 1.2 m", z)
		}
	}
	if h, ok := l.World.SweepCapsule(stand(geom.V(31, 0.01, 11), standing), geom.V(0, 0, -22)); ok {
		t.Errorf("standing through the corridor: stopped after %.2f m", 22*h.Fraction)
	}
}

// Along each way up the floor never changes by more than a step, and it ends where
// it should.
func TestWaysUpHaveNoStepTooHigh(t *testing.T) {
	l := open(t)
	for _, w := range []struct {
		name     string
		from, to geom.Vec3
		rise     float64 // of the end above the start
	}{
		{"tower, long stairs", geom.V(-13, 0, 14), geom.V(-13, 0, 1), 4.2},
		{"tower, steep stairs", geom.V(-17, 0, -11), geom.V(-17, 0, 1), 4.2},
		{"bridge", geom.V(-12, 4.2, 0), geom.V(12, 4.2, 0), 0},
		{"base, front", geom.V(0, 0, 22), geom.V(0, 0, 28), 1.2},
		{"base, ramp", geom.V(12.4, 0, 27.3), geom.V(6, 0, 27.3), 1.2},
		{"bastion, 20°", geom.V(2, 0, 17), geom.V(13, 0, 17), 3},
		{"bastion, 40°", geom.V(14, 0, 9.5), geom.V(14, 0, 16), 3},
		{"pool, steps", geom.V(-4.4, -2.6, 0), geom.V(-8.1, 0, 0), 2.66},
		{"pool, ramp", geom.V(-3, -2.6, -2.6), geom.V(-3, 0, 5.6), 2.66},
		{"landing", geom.V(0, 0, 10.2), geom.V(0, 1.2, 5.6), 1.2},
		{"station", geom.V(-15, 4.2, 0), geom.V(-21.9, 4.2, 0), 0},
	} {
		for _, turn := range []float64{1, -1} {
			at := func(i int) (string, float64) {
				p := w.from.Lerp(w.to, float64(i)/200)
				var y float64
				s := floorAt(l, turn*p.X, turn*p.Z, max(w.from.Y, w.to.Y)+w.rise+1)
				fmt.Sscan(s, &y)
				return s, y
			}
			_, last := at(0)
			first := last
			for i := 1; i <= 200; i++ {
				s, y := at(i)
				if s == "nothing" || math.Abs(y-last) > 0.41 {
					t.Errorf("%s (%v): at %d/200 from %.2f to %s", w.name, turn, i, last, s)
					break
				}
				last = y
			}
			if math.Abs(last-first-w.rise) > 0.01 {
				t.Errorf("%s (%v): rises by %.3f, want %.3f", w.name, turn, last-first, w.rise)
			}
		}
	}
}

func BenchmarkRead(b *testing.B) {
	file := built(b)
	for b.Loop() {
		if _, err := level.Read(file); err != nil {
			b.Fatal(err)
		}
	}
}
