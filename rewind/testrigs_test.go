package rewind

import (
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// bake makes a rig of one bone with these hitboxes.
func bake(t testing.TB, hitboxes ...rig.Hitbox) *rig.Rig {
	t.Helper()
	for i := range hitboxes {
		v := &hitboxes[i]
		if v.At.Rotation == (geom.Quat{}) {
			v.At.Rotation = geom.IdentityQuat
		}
	}
	plan := rig.Plan{Bones: []rig.Bone{{Name: "root", Parent: -1, Rest: geom.Transform{Rotation: geom.IdentityQuat}}}, Hitboxes: hitboxes}
	r, err := plan.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func at(x, y, z float64) geom.Transform {
	return geom.Transform{Rotation: geom.IdentityQuat, Translation: geom.V(x, y, z)}
}

// Dummy is a body of a head, a box for a chest, a belly, two legs and two arms, and a shield
// that is held before it (Prop 1).
func Dummy(t testing.TB) *rig.Rig {
	return bake(t,
		rig.Hitbox{Name: "head", HitGroup: rig.Head, Shape: rig.Ball, At: at(0, 1.66, 0), Radius: .13},
		rig.Hitbox{Name: "chest", HitGroup: rig.Body, Shape: rig.Box, At: at(0, 1.25, 0), Half: geom.V(.2, .2, .12)},
		rig.Hitbox{Name: "belly", HitGroup: rig.Body, Shape: rig.Capsule, At: at(0, .98, 0), Half: geom.V(0, .06, 0), Radius: .15},
		rig.Hitbox{Name: "left_leg", HitGroup: rig.Leg, Shape: rig.Capsule, At: at(-.12, .45, 0), Half: geom.V(0, .35, 0), Radius: .09},
		rig.Hitbox{Name: "right_leg", HitGroup: rig.Leg, Shape: rig.Capsule, At: at(.12, .45, 0), Half: geom.V(0, .35, 0), Radius: .09},
		rig.Hitbox{Name: "left_arm", HitGroup: rig.Arm, Shape: rig.Capsule, At: at(-.28, 1.2, 0), Half: geom.V(0, .25, 0), Radius: .06},
		rig.Hitbox{Name: "right_arm", HitGroup: rig.Arm, Shape: rig.Capsule, At: at(.28, 1.2, 0), Half: geom.V(0, .25, 0), Radius: .06},
		rig.Hitbox{Name: "shield", HitGroup: rig.Shield, Prop: 1, Shape: rig.Box, At: at(0, 1.2, -.45), Half: geom.V(.3, .45, .02)},
	)
}

// Holders is a HitboxProvider that gives every entity one rig; bit 0 of UserData holds a shield
// up. Its figures face −Z at yaw 0, as all do.
type Holders struct{ *rig.Rig }

func (h Holders) Hitboxes(s *track.Sample, p *rig.Posture) *rig.Rig {
	if s.Kind != 0 {
		return nil
	}
	p.Props = uint8(s.UserData & 1)
	return h.Rig
}

func (h Holders) MaxBounds() (side, top float64) {
	height, radius := h.Bounds()
	return radius, height + radius
}
