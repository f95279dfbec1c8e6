package nav_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/nav"
)

// arenaLevel is the level of the arena and the parameters of its mesh.
func arenaLevel(t testing.TB) (*level.Level, nav.Params) {
	t.Helper()
	l, err := level.Read(assets.Arena)
	if err != nil {
		t.Fatal(err)
	}
	p := params()
	p.Seeds = nil
	for _, s := range l.Spawns {
		p.Seeds = append(p.Seeds, s.Position)
	}
	return l, p
}

// arenaMesh is its mesh, baked once for all tests.
func arenaMesh(t testing.TB) (*level.Level, *nav.Mesh) {
	t.Helper()
	l, p := arenaLevel(t)
	baked.Do(func() { baked.mesh = bake(t, l.World, p) })
	return l, baked.mesh
}

var baked struct {
	sync.Once
	mesh *nav.Mesh
}

// The mesh of the real arena leads to all important places, on foot.
func TestTheArenaIsOnItsMesh(t *testing.T) {
	l, m := arenaMesh(t)
	t.Logf("%d polygons, %d portals, %d links, %.0f m², %d kB", m.Polygons(), m.Portals(), m.Links(), m.Area(), m.Bytes()/1024)
	q := nav.Query{Mesh: m, Avoid: 1 << nav.Drop}
	for _, c := range []struct {
		name string
		at   geom.Vec3
	}{
		{"red tower", geom.V(-15, 4.2, 1)},
		{"blue tower", geom.V(15, 4.2, -1)},
		{"bridge", geom.V(0, 4.2, 0)},
		{"pool", geom.V(4, -1.6, 2)},
		{"corridor", geom.V(31, 0, 0)},
		{"under the overhang", geom.V(31, 0, 15)},
		{"course top", geom.V(-31, 3, 9)},
		{"course mound", geom.V(-31, 2, -9)},
		{"bastion", geom.V(14, 3, 17)},
		{"red base", geom.V(0, 1.2, 31)},
		{"blue base", geom.V(0, 1.2, -31)},
	} {
		if _, ok := q.Path(l.Spawns[0].Position, c.at, nil); !ok {
			t.Errorf("no way to the %s", c.name)
		}
		if _, ok := q.Path(c.at, l.Spawns[0].Position, nil); !ok {
			t.Errorf("no way back from the %s", c.name)
		}
	}
}

// A walker walks from place to place in the arena. [VOL-06]
func TestWalkerCrossesTheArena(t *testing.T) {
	l, m := arenaMesh(t)
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 1))
	q := nav.Query{Mesh: m, Avoid: 1 << nav.Drop}
	k := newWalker(l.World, l.Spawns[0].Position)
	corners, worst := 0, 0.0
	for corners < 150 {
		from, to := k.state.Position, m.Centre(nav.Ref(1+r.IntN(m.Polygons())))
		way, ok := q.Path(from, to, nil)
		if !ok {
			continue // only by a drop
		}
		arrived := k.arrive(m, way)
		for i, d := range k.nearby[:min(k.follow.Passed()+1, len(way))] {
			if worst = max(worst, d); d > 0.3 {
				t.Errorf("%.3f to %.3f: %.2f m from corner %d at %.3f", from, to, d, i, way[i].At)
			}
		}
		if !arrived {
			t.Fatalf("seed %d: from %.3f to %.3f: at %.3f after %d of %d corners, the next at %.3f", seed,
				from, to, k.state.Position, k.follow.Passed(), len(way), k.follow.Next().At)
		}
		corners += len(way)
	}
	t.Logf("%d corners, at worst %.2f m away", corners, worst)
}

// Bots jump down where a drop is: the walker steps over the edge and lands near
// the link's end.
func TestDropsLeadDown(t *testing.T) {
	l, m := arenaMesh(t)
	drops, far := 0, 0
	for i := range m.Links() {
		d, number := m.Link(i)
		if d.Kind != nav.Drop || number != -1 {
			t.Fatalf("link %d is %+v of level link %d", i, d, number)
		}
		if i%7 != 0 {
			continue
		}
		drops++
		k := newWalker(l.World, d.From)
		k.follow.Speed = 3
		k.follow.Follow([]nav.Corner{{At: d.From, Kind: nav.Drop}, {At: d.To}})
		for range 240 {
			if k.step(m, 16_667); k.follow.Done() {
				break
			}
		}
		if !k.follow.Done() {
			far++
			t.Logf("from %.2f to %.2f: stands at %.2f", d.From, d.To, k.state.Position)
		}
	}
	t.Logf("%d of %d drops tried, %d not made", drops, m.Links(), far)
	if far*20 > drops {
		t.Errorf("%d of %d drops lead nowhere", far, drops)
	}
}
