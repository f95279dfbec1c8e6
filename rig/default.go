package rig

import "github.com/backstep-net/backstep/geom"

// The hitboxes of the default rig.
const (
	DefaultBody HitboxID = 1
	DefaultHead HitboxID = 2
)

// DefaultRig returns the rig of games without skeletons: a capsule from the feet to the
// neck and a ball for the head, both smaller once Posture.Crouch is 0.5.
func DefaultRig() *Rig {
	// About as large as the capsule with which movement.DefaultModel collides: 1.76 m tall with a radius
	// of 0.34 m, and 0.80 m crouched. A crouched body of 0.56 m is a ball, so its radius is 0.28 m.
	r := boneless(1.45, 0.34, 1.60)
	r.crouched = boneless(0.56, 0.28, 0.66)
	return r
}

// boneless returns a rig of two hitboxes: a body of that radius up to the height top, and a
// head at the height head. Both stances have the same bounding sphere, because Bounds does
// not know the posture.
func boneless(top, radius, head float64) *Rig {
	at := func(y float64) geom.Transform {
		return geom.Transform{Rotation: geom.IdentityQuat, Translation: geom.V(0, y, 0)}
	}
	r := &Rig{centre: 0.87, radius: 0.95, hitboxes: []Hitbox{
		{Name: "body", HitGroup: Body, Shape: Capsule, At: at(top / 2), Half: geom.V(0, float64(top*0.5)-radius, 0), Radius: radius},
		{Name: "head", HitGroup: Head, Shape: Ball, At: at(head), Radius: 0.14},
	}}
	r.listEnds()
	return r
}
