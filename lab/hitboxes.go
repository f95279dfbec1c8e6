package lab

import (
	"slices"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// poser poses the hitboxes of targets as scenes do.
type poser struct {
	hitboxes rewind.HitboxProvider
	posture  rig.Posture
	figure   rig.PosedRig
}

func newPoser(hitboxes rewind.HitboxProvider) *poser {
	if hitboxes == nil {
		hitboxes = &rewind.Upright{Rig: rig.DefaultRig()}
	}
	return &poser{hitboxes: hitboxes}
}

// hitbox is one in the world.
type hitbox struct {
	name  string
	id    rig.HitboxID
	group rig.HitGroup
	solid rig.Solid
}

// middle returns the middle of a hitbox.
func (v *hitbox) middle() geom.Vec3 { return v.solid.A.Lerp(v.solid.B, 0.5) }

// pose appends the hitboxes of a pose in the world's frame, none where shots pass through.
func (m *poser) pose(s *track.Sample, into []hitbox) []hitbox {
	rewind.PostureOf(s, &m.posture)
	body := m.hitboxes.Hitboxes(s, &m.posture)
	if body == nil {
		return into
	}
	m.figure.Pose(body, &m.posture)
	at := rewind.Placement(s)
	for i := range m.figure.Count {
		v := &body.Hitboxes()[m.figure.Hitboxes[i]-1]
		solid := m.figure.Solids[i]
		solid.A, solid.B, solid.Rotation = at.Apply(solid.A), at.Apply(solid.B), at.Rotation.Mul(solid.Rotation)
		into = append(into, hitbox{v.Name, m.figure.Hitboxes[i], v.HitGroup, solid})
	}
	return into
}

// partOf returns the hitbox of a name in a scenario: of a hitbox, with its side before or after
// (left_hand, hand_l), or of a hit group. "body" is the chest, where there is one. A name that the rig
// does not have is its body; nil: it has no hitboxes.
func partOf(list []hitbox, name string) *hitbox {
	names := []string{name, sided(name), "body"}
	if name == "body" {
		names = []string{"chest", "body"}
	}
	for _, n := range names {
		if i := slices.IndexFunc(list, func(v hitbox) bool { return v.name == n }); i >= 0 {
			return &list[i]
		}
		if i := slices.IndexFunc(list, func(v hitbox) bool { return v.group.String() == n }); i >= 0 {
			return &list[i]
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// limbs are words of scenarios that have other names in rigs.
var limbs = map[string]string{"lower_arm": "forearm"}

// sided returns a name with its side in front: left_hand for hand_l.
func sided(name string) string {
	n := len(name) - 2
	if n < 1 {
		return name
	}
	side := map[string]string{"_l": "left_", "_r": "right_"}[name[n:]]
	limb := name[:n]
	if other, ok := limbs[limb]; ok {
		limb = other
	}
	if side == "" {
		return name
	}
	return side + limb
}

// eyeOf returns roughly the eye of a pose: the middle of the head.
func eyeOf(s *track.Sample, list []hitbox) geom.Vec3 {
	if head := partOf(list, "head"); head != nil {
		return head.middle()
	}
	return s.Position
}

// middleDistances appends the distances between the middles of the hitboxes that two poses of one
// body have in common.
func middleDistances(a, b []hitbox, into []float64) []float64 {
	for i := range a {
		k := slices.IndexFunc(b, func(v hitbox) bool { return v.id == a[i].id })
		if k >= 0 {
			into = append(into, a[i].middle().Dist(b[k].middle()))
		}
	}
	return into
}
