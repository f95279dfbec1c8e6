package rewind

import (
	"math"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Scene is one view, and what shots into it hit: characters as they were posed in it, shields,
// bystanders, movers and the level together. A client sets what it has drawn (Set), a
// server what a view shows (History.Rebuild); from then on both run the same code. It holds
// scratch, so one Scene serves one goroutine; any number of them may read one History at once.
// Nothing is moved, so there is nothing to put back [REW-02 … REW-04], and a target that was
// posed stays posed until the next Set [HIT-13, REW-06].
type Scene struct {
	// World is the level and its movers at the view's platform time, without those that
	// the view shows broken and those that are not Rewound [GAP-46].
	World collide.WorldAt
	// Blockers are the rules for those movers: set them once, before the first Set.
	Blockers Blockers

	hitboxes  HitboxProvider
	side, top float64    // hitboxes.MaxBounds
	hittable  kindSet    // the kinds that have hitboxes
	source    viewSource // what a server's scene is rebuilt from

	targets []track.Entity // all targets, or those rebuilt so far
	rebuilt []track.Entity // storage for the latter
	states  []targetState  // of each
	figures []*posedFigure // storage; the first used are posed since Set
	used    int
	posture rig.Posture
	// postureOf is the target of that posture, an index from 1, as Hitboxes has changed it; 0: none.
	postureOf    int32
	posedTargets []track.Entity
	near         []int32 // scratch: the targets that may be near a shot
	movers       moverState
	surface      collide.Hit
}

// targetState is what is known of a target since Set.
type targetState struct {
	rigKnown bool     // rig is set
	rig      *rig.Rig // nil: nothing can hit it
	figure   int32    // its number in figures, from 1; 0: not posed
	hidden   bool     // its client was not sent it
}

// posedFigure is a figure and where it stands.
type posedFigure struct {
	rig    *rig.Rig
	at     geom.Transform
	back   geom.Quat // the inverse of at.Rotation
	figure rig.PosedRig
	around [rig.MaxHitboxes]geom.Sphere // a ball around each of its solids
	// shields says that one of the solids is a shield.
	shields bool
}

// NewScene returns an empty scene. A nil provider is Upright with the rig.DefaultRig.
func NewScene(provider HitboxProvider) *Scene {
	if provider == nil {
		provider = &Upright{Rig: rig.DefaultRig()}
	}
	s := &Scene{hitboxes: provider}
	s.side, s.top = provider.MaxBounds()
	by, ok := provider.(KindFilter)
	// Called once for each kind, since an interface call for every entity of a shot would cost more than
	// the test itself.
	for k := range math.MaxUint8 + 1 {
		if !ok || by.CanHit(track.Kind(k)) {
			s.hittable.add(track.Kind(k))
		}
	}
	return s
}

// kindSet is a set of kinds of entities.
type kindSet [(math.MaxUint8 + 1) / 64]uint64

func (s *kindSet) add(k track.Kind) { s[k/64] |= 1 << (k % 64) }

func (s *kindSet) has(k track.Kind) bool { return s[k/64]>>(k%64)&1 != 0 }

// intersects reports whether two sets have a kind in common.
func (s *kindSet) intersects(t *kindSet) bool {
	return s[0]&t[0]|s[1]&t[1]|s[2]&t[2]|s[3]&t[3] != 0
}

// Set makes the scene that of a view: the world with its movers at the view's platform time, and
// every entity in it but the shooter [GAP-44, GAP-49], in the world's frame and in ascending
// order of ID. The list is kept, not copied, until the next Set.
func (s *Scene) Set(w collide.WorldAt, targets []track.Entity) {
	s.source.history = nil
	s.set(w, w.At, targets)
}

// SetTargets replaces the targets of the scene and keeps its world: movers that the view shows broken stay so.
// The list is as that of Set.
func (s *Scene) SetTargets(targets []track.Entity) {
	s.source.history = nil
	s.setTargets(targets)
}

// set is Set with the instant of the present.
func (s *Scene) set(w collide.WorldAt, now clock.Micros, targets []track.Entity) {
	s.setTargets(targets)
	s.setWorld(w, now)
	for i := range targets {
		if t := &targets[i]; s.breaks(t.Kind) && t.Dead {
			s.movers.without.Add(collide.MoverID(t.UserData))
		}
	}
	s.finishWorld()
}

// setTargets makes these the targets.
func (s *Scene) setTargets(targets []track.Entity) {
	s.targets, s.states, s.used, s.postureOf = targets, s.states[:0], 0, 0
	for range targets {
		s.states = append(s.states, targetState{})
	}
}

// Targets returns the targets that the shots since Set came so near that they were posed, in
// ascending order of ID: the same on both ends, so without those that the client was not sent
// (History.RebuildWithHidden). They are valid until the next Set or Targets.
func (s *Scene) Targets() []track.Entity {
	s.posedTargets = s.posedTargets[:0]
	for i := range s.targets {
		if s.states[i].figure == 0 || s.states[i].hidden {
			continue
		}
		s.posedTargets = append(s.posedTargets, s.targets[i])
		// A server rebuilds targets in the order in which queries come near them: sorting makes the
		// list the same on both ends.
		for k := len(s.posedTargets) - 1; k > 0 && s.posedTargets[k].ID < s.posedTargets[k-1].ID; k-- {
			s.posedTargets[k], s.posedTargets[k-1] = s.posedTargets[k-1], s.posedTargets[k]
		}
	}
	return s.posedTargets
}

// PosedRig returns how a target is posed in the scene and where, for drawing; false for one that
// is not there or that nothing can hit. It is valid until the next Set.
func (s *Scene) PosedRig(id track.ID) (*rig.PosedRig, geom.Transform, bool) {
	i := s.find(id)
	if i < 0 || s.rig(i) == nil {
		return nil, geom.Transform{}, false
	}
	p := s.pose(i)
	return &p.figure, p.at, true
}

// find returns a target's index, −1 for one that is not there.
func (s *Scene) find(id track.ID) int {
	for i := range s.targets {
		if s.targets[i].ID == id {
			return i
		}
	}
	return s.rebuildByID(id)
}

// rig returns the rig of a target, nil for one that nothing can hit.
func (s *Scene) rig(i int) *rig.Rig {
	st := &s.states[i]
	if st.rigKnown {
		return st.rig
	}
	// The kind is known from the snapshot, so Hitboxes is not called for every ball and crate.
	if st.rigKnown = true; !s.hittable.has(s.targets[i].Kind) {
		return nil
	}
	PostureOf(&s.targets[i].Sample, &s.posture)
	st.rig = s.hitboxes.Hitboxes(&s.targets[i].Sample, &s.posture)
	s.postureOf = int32(i + 1)
	if st.rig != nil {
		// The broad phase would skip such an entity where a shot meets it, and only on the server:
		// the two ends would disagree.
		if height, radius := st.rig.Bounds(); radius-min(height, 0) > s.side || height+radius > s.top {
			panic("rewind: a rig is larger than HitboxProvider.MaxBounds says: return the bounds of the largest there")
		}
	}
	return st.rig
}

// pose returns a target's figure. The target has a rig.
func (s *Scene) pose(i int) *posedFigure {
	st, t := &s.states[i], &s.targets[i].Sample
	if st.figure != 0 {
		return s.figures[st.figure-1]
	}
	// Figures are reused by later scenes: a shot allocates nothing once there are as many as were
	// ever near one.
	if s.used == len(s.figures) {
		s.figures = append(s.figures, new(posedFigure))
	}
	p := s.figures[s.used]
	s.used++
	st.figure = int32(s.used)
	// The posture, as Hitboxes changed it (Props), is usually still that of this target.
	if s.postureOf != int32(i+1) {
		PostureOf(t, &s.posture)
		s.hitboxes.Hitboxes(t, &s.posture)
	}
	s.postureOf = 0
	p.rig, p.at = st.rig, Placement(t)
	p.back = p.at.Rotation.Inverse()
	p.figure.Pose(p.rig, &s.posture)
	p.shields = false
	for k := range p.figure.Count {
		p.around[k] = ballAround(&p.figure.Solids[k])
		p.shields = p.shields || p.rig.HitGroup(p.figure.Hitboxes[k]) == rig.Shield
	}
	return p
}

// reaches reports whether the bounding sphere of all poses of a target comes within the query's radius of
// its path, up to limit metres: whether the target has to be posed. It depends only on the
// target and the query, so both ends pose the same targets.
func (s *Scene) reaches(i int, q *query, limit float64) bool {
	t := &s.targets[i].Sample
	if t.Dead || !s.hittable.has(t.Kind) {
		return false
	}
	rel := t.Position.Sub(q.from)
	// A sphere around the largest figure: most targets are skipped before Hitboxes is called.
	if most := s.side + s.top + q.radius; gapSq(rel, q.dir, limit) > float64(most*most) {
		return false
	}
	body := s.rig(i)
	if body == nil {
		return false
	}
	height, radius := body.Bounds()
	radius += q.radius
	return gapSq(rel.MulAdd(t.UpVector(), height), q.dir, limit) <= float64(radius*radius)
}

// query is a ball that is swept from a point along a unit vector, for reach metres.
type query struct {
	from, dir     geom.Vec3
	reach, radius float64
	inverse       geom.Vec3 // of dir
}

// newQuery returns a query; with a zero dir it tests only what the ball touches where it begins.
func newQuery(from, dir geom.Vec3, reach, radius float64) query {
	// 1/0 is ±∞, and ∞·0 in the slab test is NaN.
	inverse := func(d float64) float64 { return geom.Clamp(1/d, -1e30, 1e30) }
	return query{from, dir, reach, radius, geom.V(inverse(dir.X), inverse(dir.Y), inverse(dir.Z))}
}

// gapSq returns the square of the distance between rel and the segment along dir of that length.
func gapSq(rel, dir geom.Vec3, length float64) float64 {
	return rel.MulAdd(dir, -geom.Clamp(rel.Dot(dir), 0, length)).LenSq()
}

// candidates returns the targets that a query may hit, in ascending order of ID, and perhaps
// more: indices, valid until the next call.
func (s *Scene) candidates(q *query) []int32 {
	if s.source.history != nil {
		return s.rebuiltCandidates(q)
	}
	s.near = s.near[:0]
	for i := range s.targets {
		s.near = append(s.near, int32(i))
	}
	return s.near
}

// poseCandidates poses every target that a query may hit before any of them is tested, because the
// shield of one may cover another [HIT-06], and returns them: indices, valid until the next call. A
// target that Set was given twice is among them once.
func (s *Scene) poseCandidates(q *query) []int32 {
	posed := s.candidates(q)[:0]
	for _, i := range s.near {
		id := s.targets[i].ID
		if s.reaches(int(i), q, 0) && !slices.ContainsFunc(posed, func(k int32) bool { return s.targets[k].ID == id }) {
			s.pose(int(i))
			posed = append(posed, i)
		}
	}
	s.near = posed
	return posed
}
