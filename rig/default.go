package rig

import "github.com/backstep-net/backstep/geom"

// The parts of the default rig.
const (
	DefaultBody Part = 1
	DefaultHead Part = 2
)

// DefaultRig returns the rig of games without skeletons: a capsule from the feet to the
// neck and a ball for the head, both smaller from half a crouch on.
func DefaultRig() *Rig {
	return &Rig{
		volumes: defaultVolumes(1.45, 0.34, 1.60), crouched: defaultVolumes(0.56, 0.28, 0.66),
		centre: 0.87, radius: 0.95,
	}
}

// defaultVolumes returns the two volumes: a body of that radius up to the height top, and a
// head at the height head.
func defaultVolumes(top, radius, head float64) []Volume {
	at := func(y float64) geom.Transform {
		return geom.Transform{Rotation: geom.IdentityQuat, Translation: geom.V(0, y, 0)}
	}
	return []Volume{
		{Name: "body", Tag: Body, Shape: Capsule, At: at(top / 2), Half: geom.V(0, float64(top*0.5)-radius, 0), Radius: radius},
		{Name: "head", Tag: Head, Shape: Ball, At: at(head), Radius: 0.14},
	}
}
