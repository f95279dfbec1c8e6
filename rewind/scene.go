package rewind

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Scene is one picture, and what shots into it meet: characters as they were posed in it,
// shields, bystanders, moving bodies and the level together. A client shows it what it has
// drawn (Show), a server what a view asks for (History.Rebuild); from then on both ask the
// same code. It holds scratch, so one Scene serves one goroutine; any number of them may
// look at one History at once. Nothing is moved, so there is nothing to put back (REW-02 …
// REW-04), and who was posed once stays posed until the next Show (HIT-13, REW-06).
type Scene struct {
	// World is the level, its moving bodies at the view's platform time, without those
	// that the picture has as broken and those that are not Rewound (GAP-46).
	World collide.WorldAt
	// Blockers are the rules for those bodies: set them once, before the first Show.
	Blockers Blockers

	looks     HitboxProvider
	side, top float64 // looks.Most
	meets     kindSet // those of which there are figures
	past      past    // where a server's scene comes from

	targets []track.Entity // everybody shown, or who was rebuilt so far
	rebuilt []track.Entity // room for the latter
	states  []state        // of each
	figures []*posed       // posed since Show, so many of them: used
	used    int
	posture rig.Posture
	// postured is whose posture that is, an index from 1, as Look has changed it; 0: nobody's.
	postured int32
	tested   []track.Entity
	near     []int32 // scratch: who may be near a shot
	blocks   blocks
	surface  collide.Hit
}

// state is what is known of a target since Show.
type state struct {
	looked bool     // whether its rig was asked for
	rig    *rig.Rig // nil: no shot meets it
	figure int32    // its number in figures, from 1; 0: not posed
}

// posed is a figure and where it stands.
type posed struct {
	rig    *rig.Rig
	at     geom.Transform
	back   geom.Quat // at.Turn undone
	figure rig.Figure
	around [rig.MaxParts]geom.Sphere // each of its solids
	// shields says that a shield is among them.
	shields bool
}

// NewScene returns an empty scene. Nil looks are Upright with the rig.DefaultRig.
func NewScene(looks HitboxProvider) *Scene {
	if looks == nil {
		looks = &Upright{rig.DefaultRig()}
	}
	s := &Scene{looks: looks}
	s.side, s.top = looks.MaxBounds()
	by, ok := looks.(KindFilter)
	for k := range math.MaxUint8 + 1 {
		if !ok || by.CanHit(track.Kind(k)) {
			s.meets.add(track.Kind(k))
		}
	}
	return s
}

// kindSet is a set of kinds of entities.
type kindSet [(math.MaxUint8 + 1) / 64]uint64

func (s *kindSet) add(k track.Kind) { s[k/64] |= 1 << (k % 64) }

func (s *kindSet) has(k track.Kind) bool { return s[k/64]>>(k%64)&1 != 0 }

// meets reports whether two sets have a kind in common.
func (s *kindSet) meets(t *kindSet) bool {
	return s[0]&t[0]|s[1]&t[1]|s[2]&t[2]|s[3]&t[3] != 0
}

// Set makes the scene that of a picture: the world with its bodies at a view's platform
// time, and everybody in it but the shooter (GAP-44, GAP-49), in the world's frame and by
// ascending id. The list is kept, not copied, until the next Show.
func (s *Scene) Set(w collide.WorldAt, targets []track.Entity) {
	s.past.history = nil
	s.show(w, w.At, targets)
}

// show is Show where it is known what the present is.
func (s *Scene) show(w collide.WorldAt, now clock.Micros, targets []track.Entity) {
	s.list(targets)
	s.setWorld(w, now)
	for i := range targets {
		if t := &targets[i]; s.breaks(t.Kind) && t.Dead {
			s.blocks.without.Add(collide.BodyID(t.UserData))
		}
	}
	s.finishWorld()
}

// list makes these the targets.
func (s *Scene) list(targets []track.Entity) {
	s.targets, s.states, s.used, s.postured = targets, s.states[:0], 0, 0
	for range targets {
		s.states = append(s.states, state{})
	}
}

// Targets are those whom the shots since Show came so near that they were posed, by
// ascending id: the same on both ends. They are good until the next Show or Targets.
func (s *Scene) Targets() []track.Entity {
	s.tested = s.tested[:0]
	for i := range s.targets {
		if s.states[i].figure == 0 {
			continue
		}
		s.tested = append(s.tested, s.targets[i])
		for k := len(s.tested) - 1; k > 0 && s.tested[k].ID < s.tested[k-1].ID; k-- {
			s.tested[k], s.tested[k-1] = s.tested[k-1], s.tested[k]
		}
	}
	return s.tested
}

// Figure returns how somebody is posed in the scene and where, for drawing; false for one
// who is not there or whom no shot meets. It is good until the next Show.
func (s *Scene) Figure(id track.ID) (*rig.Figure, geom.Transform, bool) {
	i := s.find(id)
	if i < 0 || s.look(i) == nil {
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
	return s.rebuild(id)
}

// look returns the rig of a target, nil for what no shot meets.
func (s *Scene) look(i int) *rig.Rig {
	st := &s.states[i]
	if st.looked {
		return st.rig
	}
	if st.looked = true; !s.meets.has(s.targets[i].Kind) {
		return nil
	}
	PostureOf(&s.targets[i].Sample, &s.posture)
	st.rig = s.looks.Hitboxes(&s.targets[i].Sample, &s.posture)
	s.postured = int32(i + 1)
	if st.rig != nil {
		if height, radius := st.rig.Bounds(); radius-min(height, 0) > s.side || height+radius > s.top {
			panic("rewind: a rig is larger than Looks.Most says")
		}
	}
	return st.rig
}

// pose returns a target's figure, which look has found to have a rig.
func (s *Scene) pose(i int) *posed {
	st, t := &s.states[i], &s.targets[i].Sample
	if st.figure != 0 {
		return s.figures[st.figure-1]
	}
	if s.used == len(s.figures) {
		s.figures = append(s.figures, new(posed))
	}
	p := s.figures[s.used]
	s.used++
	st.figure = int32(s.used)
	if s.postured != int32(i+1) { // looked at long ago
		PostureOf(t, &s.posture)
		s.looks.Hitboxes(t, &s.posture)
	}
	s.postured = 0
	p.rig, p.at = st.rig, Placement(t)
	p.back = p.at.Rotation.Inverse()
	p.figure.Pose(p.rig, &s.posture)
	p.shields = false
	for k := range p.figure.Count {
		p.around[k] = ballAround(&p.figure.Solids[k])
		p.shields = p.shields || p.rig.Tag(p.figure.Parts[k]) == rig.Shield
	}
	return p
}

// reaches reports whether the ball that no pose of a target leaves comes within radius of
// the way from a point along dir, for so long: whether it has to be posed. It depends on
// nothing but the target and the question, so both ends pose the same.
func (s *Scene) reaches(i int, q *query, limit float64) bool {
	t := &s.targets[i].Sample
	if t.Dead || !s.meets.has(t.Kind) {
		return false
	}
	rel := t.Position.Sub(q.from)
	if most := s.side + s.top + q.radius; gapSq(rel, q.dir, limit) > float64(most*most) {
		return false // a quick no
	}
	body := s.look(i)
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

// newQuery returns a query; a zero dir asks only what the ball touches where it begins.
func newQuery(from, dir geom.Vec3, reach, radius float64) query {
	inverse := func(d float64) float64 { return geom.Clamp(1/d, -1e30, 1e30) }
	return query{from, dir, reach, radius, geom.V(inverse(dir.X), inverse(dir.Y), inverse(dir.Z))}
}

// gapSq returns the square of how far rel is from the way along dir that is so long.
func gapSq(rel, dir geom.Vec3, length float64) float64 {
	return rel.MulAdd(dir, -geom.Clamp(rel.Dot(dir), 0, length)).LenSq()
}

// asked returns the targets that a question may meet, by ascending id, and perhaps more:
// indices, good until the next call.
func (s *Scene) asked(q *query) []int32 {
	if s.past.history != nil {
		return s.candidates(q)
	}
	s.near = s.near[:0]
	for i := range s.targets {
		s.near = append(s.near, int32(i))
	}
	return s.near
}
