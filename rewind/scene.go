package rewind

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Scene is one picture, and what shots into it meet: characters as they were posed in it,
// shields, bystanders, moving bodies and the level together. A client shows it what it has
// drawn (Show), a server what a view asks for (History.Show); from then on both ask the
// same code. It holds scratch, so one Scene serves one goroutine; any number of them may
// look at one History at once.
type Scene struct {
	// World is the level, its moving bodies at the view's platform time (GAP-46).
	World collide.View

	looks   Looks
	targets []track.Entity
	posture rig.Posture
	figure  rig.Figure
}

// NewScene returns an empty scene. Nil looks are Upright with the rig.Plain.
func NewScene(looks Looks) *Scene {
	if looks == nil {
		looks = &Upright{rig.Plain()}
	}
	return &Scene{looks: looks}
}

// Show makes the scene that of a picture: the world with its bodies at a view's platform
// time, and everybody in it but the shooter (GAP-44, GAP-49), in the world's frame. The list
// is kept, not copied, until the next Show.
func (s *Scene) Show(w collide.View, targets []track.Entity) {
	s.World, s.targets = w, targets
}

// Targets are everybody in the scene: good until the next Show.
func (s *Scene) Targets() []track.Entity { return s.targets }

// Ray shoots a ray from a point along the unit vector dir for reach metres, and returns the
// nearest thing it meets. The dead are not met; the world wins a tie. An origin inside a
// target meets it at distance 0.
func (s *Scene) Ray(from, dir geom.Vec3, reach float64, policy Policy) Outcome {
	o := Outcome{Distance: reach}
	if hit, ok := s.World.Ray(from, dir.Mul(reach)); ok {
		o.Kind = World
		o.Distance = float64(hit.Fraction * reach)
	}
	limit, nearest := o.Distance, o.Distance
	for i := range s.targets {
		t := &s.targets[i]
		if t.Dead {
			continue
		}
		entry, distance, part, tag := s.meet(&t.Sample, from, dir, limit, policy)
		if part == 0 || entry >= nearest {
			continue
		}
		nearest = entry
		o.Mark = Mark{Player, t.ID, part, tag}
		o.Life, o.Distance = t.Life, distance
	}
	o.Point = from.MulAdd(dir, o.Distance)
	return o
}

// meet returns where a ray enters a target, and the part it counts for with that part's
// distance. Part 0 is a ray that does not meet it before limit.
func (s *Scene) meet(t *track.Sample, from, dir geom.Vec3, limit float64, policy Policy) (entry, distance float64, part rig.Part, tag rig.Tag) {
	PostureOf(t, &s.posture)
	body := s.looks.Look(t, &s.posture)
	if body == nil || !couldMeet(body, t, from, dir) {
		return 0, 0, 0, 0
	}
	s.figure.Pose(body, &s.posture)
	at := Stand(t)
	back := at.Turn.Inverse()
	o, d := back.Rotate(from.Sub(at.Move)), back.Rotate(dir)
	entry, distance = limit, limit
	for i := range s.figure.Count {
		x, ok := raySolid(o, d, &s.figure.Solids[i])
		if !ok || x >= limit {
			continue
		}
		p := s.figure.Parts[i]
		g := body.Tag(p)
		first := policy == HeadFirst && g == rig.Head && tag != rig.Head
		if part == 0 || first || x < distance && (policy != HeadFirst || tag != rig.Head || g == rig.Head) {
			distance, part, tag = x, p, g
		}
		entry = min(entry, x)
	}
	return entry, distance, part, tag
}

// couldMeet is a quick no: whether the ray's line comes near the ball around everything
// that can be hit of a character. It never says no to a hit.
func couldMeet(body *rig.Rig, s *track.Sample, from, dir geom.Vec3) bool {
	height, radius := body.Bounds()
	rel := s.Position.Sub(from).MulAdd(s.Upwards(), height)
	along := rel.Dot(dir)
	return rel.LenSq()-float64(along*along) <= float64(radius*radius)
}
