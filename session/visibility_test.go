package session_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/visibility"
)

// strayer is the toy whose players slide along walls.
type strayer struct{ toy }

func (g *strayer) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	from := s.Pos
	g.toy.Step(w, s, c, d)
	way := s.Pos.Sub(from)
	s.Pos = from
	for range 3 {
		body := geom.Capsule{A: s.Pos.Add(geom.V(0, .4, 0)), B: s.Pos.Add(geom.V(0, 1.5, 0)), Radius: .35}
		hit, ok := w.SweepCapsule(body, way)
		if !ok {
			s.Pos = s.Pos.Add(way)
			return
		}
		share := max(hit.Fraction-1e-3, 0)
		s.Pos = s.Pos.MulAdd(way, share)
		way = way.Mul(1 - share)
		way = way.Sub(hit.Normal.Mul(way.Dot(hit.Normal))).Flat(geom.Up)
	}
}

// strays walks about a maze, and turns where it gets no further.
func strays(seed uint64) func(*testClient) toyCommand {
	r := rand.New(rand.NewPCG(seed, 5))
	way, until, frame := hold(0, 0), 0, 0
	var last geom.Vec3
	return func(g *testClient) toyCommand {
		stuck := g.Self().Pos.Dist(last) < .03 && r.IntN(5) == 0
		if last = g.Self().Pos; frame > until || stuck {
			way, until = hold(r.IntN(3)-1, r.IntN(3)-1), frame+20+r.IntN(90)
		}
		frame++
		return way
	}
}

// visible is the oracle: whether any part of a body at a sample can be seen from an eye.
func visible(w *collide.WorldAt, eye geom.Vec3, s *track.Sample) bool {
	body, head := rewind.BodyOutline(s)
	side := body.A.Sub(eye).Cross(geom.Up).Unit().Mul(body.Radius)
	for _, p := range []geom.Vec3{head.Centre, head.Centre.Add(geom.V(0, head.Radius, 0)), body.A, body.B, body.A.Lerp(body.B, .5),
		body.A.Add(side), body.A.Sub(side), body.B.Add(side), body.B.Sub(side)} {
		if _, ok := w.Ray(eye, p.Sub(eye)); !ok {
			return true
		}
	}
	return false
}

// possible is the other oracle: whether an eye that is anywhere within a step of that many
// metres may see any place within as much of a body.
func possible(w *collide.WorldAt, eye geom.Vec3, s *track.Sample, step float64, r *rand.Rand) bool {
	body, head := rewind.BodyOutline(s)
	reach := func(at geom.Vec3) geom.Vec3 {
		sin, cos := geom.SinCos(7 * r.Float64())
		way := geom.V(sin, .6*float64(r.IntN(2)), cos).Mul(step * min(2*r.Float64(), 1))
		if hit, ok := w.Ray(at, way); ok {
			way = way.Mul(hit.Fraction * .99)
		}
		return at.Add(way)
	}
	for range 1000 {
		eye, p := reach(eye), reach(body.A.Lerp(head.Centre, r.Float64()))
		if _, ok := w.Ray(eye, p.Sub(eye)); !ok {
			return true
		}
	}
	return false
}

// between is what one player may see of another.
type between struct {
	present, seen   bool
	came, left      clock.Micros // when it came into the view, and was last in sight
	mayBe           clock.Micros // when it was last foreseeable
	late            int
	reveals, leaked int
	early           clock.Micros
}

// THR-26, at a round trip of 100 ms: four runners stray through a maze. No player comes
// into view before snapshots have them; snapshots hold nothing of those that
// cannot come into view soon.
func TestRunnersInAMaze(t *testing.T) {
	singleThreaded(t)
	const seconds = 40
	maze := benchscene.Maze()
	r := newSimulationIn(t, session.ServerConfig{World: maze, Visibility: &visibility.Rules{}}, func() toyGame { return &strayer{*newToy()} })
	r.lag = 3
	r.m.place = func(id session.PlayerID) geom.Vec3 { return geom.V(float64(id%2)*8-6, 0, float64(id/2)*8-10) }
	four := r.playing(4)
	for i, g := range four {
		g.input = strays(uint64(i) + 7)
	}
	w := &collide.WorldAt{World: maze}
	rnd := rand.New(rand.NewPCG(4, 4))
	pairs := map[[2]session.PlayerID]*between{}
	newest := map[session.PlayerID]uint32{}
	frames, seen, told := 0, 0, 0
	r.run(60)
	for range seconds * 60 {
		r.run(1)
		for _, g := range four {
			for id := session.PlayerID(1); id <= 4; id++ {
				if id == g.ID() {
					continue
				}
				p := pairs[[2]session.PlayerID{g.ID(), id}]
				if p == nil {
					p = &between{}
					pairs[[2]session.PlayerID{g.ID(), id}] = p
				}
				frames++
				seen += p.look(g, w, r.m, id)
				p.foresee(w, r.m, g.ID(), id, rnd)
				n := newest[g.ID()]
				for tick := n + 1; tick <= g.Stats().Tick; tick++ {
					if f := g.Snapshots().Snapshot(tick); f != nil && f.Find(id, new(track.Sample)) {
						told++
						if f.At-p.mayBe > 600*clock.Millisecond {
							p.leaked++
						}
					}
				}
			}
			newest[g.ID()] = g.Stats().Tick
		}
	}
	late, leaked, reveals, early := 0, 0, 0, clock.Micros(0)
	for _, p := range pairs {
		late, leaked, reveals, early = late+p.late, leaked+p.leaked, reveals+p.reveals, early+p.early
	}
	t.Logf("in sight in %d of %d frames, %d samples", seen, frames, told)
	figures.Check(t, "seen", 0.15, "late in %d of %d frames, %d samples of hidden players; %d came into view, sent %d ms before on average",
		late, frames, leaked, reveals, int(early)/max(reveals, 1)/1000)
	if late > 0 || leaked > 0 || reveals < 12 {
		t.Errorf("late in %d frames, %d samples leaked, %d revealed", late, leaked, reveals)
	}
}

// look compares what is drawn of another with what is in sight.
func (p *between) look(g *testClient, w *collide.WorldAt, m *match, id session.PlayerID) (sees int) {
	now := g.View().At
	was := p.present
	p.present = slices.ContainsFunc(g.Remotes(), func(e track.Entity) bool { return e.ID == id })
	if p.present && !was {
		p.came = now
	}
	s, ok := m.Truth(id, now)
	inSight := ok && visible(w, g.Eye(), &s)
	if inSight && !p.present {
		p.late++
	}
	if inSight && !p.seen && now-p.left > 2*clock.Second && p.present && p.came > p.left {
		p.reveals++
		p.early += now - p.came
	}
	if p.seen = inSight; inSight {
		p.left = now
		return 1
	}
	return 0
}

// foresee notes when the one that is sent may come into the other's view within 250 ms.
func (p *between) foresee(w *collide.WorldAt, m *match, viewer, id session.PlayerID, r *rand.Rand) {
	a, _ := m.State(viewer)
	b, ok := m.Pose(id)
	if ok && m.Shows(viewer, id) && possible(w, newToy().Eye(&a), &b, .25*6*1.1, r) {
		p.mayBe = m.Now()
	}
}

// giants is the toy whose characters are nearly 4 m tall.
type giants struct {
	toy
	looks rewind.Upright
}

func newGiants() toyGame {
	at := func(y float64) geom.Transform {
		return geom.Transform{Rotation: geom.IdentityQuat, Translation: geom.V(0, y, 0)}
	}
	plan := rig.Plan{
		Bones: []rig.Bone{{Name: "root", Parent: -1, Rest: at(0)}, {Name: "neck", Parent: 0, Rest: at(3)}},
		Hitboxes: []rig.Hitbox{
			{Name: "body", HitGroup: rig.Body, Shape: rig.Capsule, At: at(1.9), Half: geom.V(0, 1.4, 0), Radius: .5},
			{Name: "head", HitGroup: rig.Head, Shape: rig.Ball, Bone: 1, At: at(.75), Radius: .2},
		},
	}
	r, err := plan.Bake()
	if err != nil {
		panic(err)
	}
	return &giants{*newToy(), rewind.Upright{Rig: r}}
}

func (g *giants) Hitboxes() rewind.HitboxProvider { return &g.looks }

// A character that is taller than a wall is seen by its head above it; one of a person's
// size is not, and neither is seen from right behind the wall. [THR-26]
func TestATallCharacterIsSeenByItsHead(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1.5, 0), geom.V(.1, 1.5, 30), geom.IdentityQuat, collide.Surface{})
	wall, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		game  func() toyGame
		far   float64 // of the viewer from the wall
		shown bool
	}{
		{"a person", func() toyGame { return newToy() }, 5, false},
		{"a giant", newGiants, 5, true},
		{"a giant, from below", newGiants, .5, false},
	} {
		r := newSimulationIn(t, session.ServerConfig{World: wall, Visibility: &visibility.Rules{}}, c.game)
		r.m.place = func(id session.PlayerID) geom.Vec3 { return geom.V([]float64{-c.far, 1}[id-1], 0, 0) }
		two := r.playing(2)
		r.run(90)
		if got := len(two[0].Remotes()) == 1; got != c.shown {
			t.Errorf("%s behind a wall of 3 m: shown %v, want %v", c.name, got, c.shown)
		}
	}
}

// paned is the toy in whose level a body can be broken.
type paned struct{ toy }

func (g *paned) Blockers() rewind.Blockers { return rewind.Blockers{Breaks: 9} }

// A pane hides two players from each other until its entity is dead. [THR-26, GAP-46]
func TestABrokenPaneHidesNobody(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	b.Mover("pane", collide.Path{Keys: []collide.Key{{}}}, func(b *collide.Builder) {
		b.Box(geom.V(0, 3, 0), geom.V(.1, 3, 30), geom.IdentityQuat, collide.Surface{})
	})
	r := newSimulationIn(t, session.ServerConfig{World: b.MustBake(), Visibility: &visibility.Rules{}}, func() toyGame { return &paned{*newToy()} })
	r.m.place = func(id session.PlayerID) geom.Vec3 { return geom.V([]float64{-5, 5}[id-1], 0, 0) }
	two := r.playing(2)
	pane := r.m.Spawn(9)
	for _, broken := range []bool{false, true} {
		r.m.UpdateEntity(pane, track.Sample{GameData: track.GameData{UserData: 1, Dead: broken}})
		r.run(90)
		if got := len(two[0].Remotes()) == 1; got != broken {
			t.Errorf("broken %v: got the other shown %v", broken, got)
		}
	}
}
