package visibility

import (
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// The points of a body that rays are cast to, as shares of its height above the feet.
const (
	topAt    = 0.96
	middleAt = 0.64
	lowAt    = 0.2
)

// outline is how large a rig is: metres above the feet, and from the middle to its sides. The
// zero outline is a point.
type outline struct{ height, side float64 }

// outlines measures rigs, each once upright and once crouched.
type outlines struct {
	hitboxes rewind.HitboxProvider
	known    []measured
	figure   rig.Figure
	sample   track.Sample // the one that is asked about; the provider may change the posture alone
	posture  rig.Posture
}

type measured struct {
	rig      *rig.Rig
	crouched bool
	outline
}

// of returns the outline of the entity of o.sample. The dead have that of the living,
// though no shot meets them.
func (o *outlines) of() outline {
	s := &o.sample
	s.Dead = false
	rewind.PostureOf(s, &o.posture)
	r := o.hitboxes.Hitboxes(s, &o.posture)
	if r == nil {
		return outline{}
	}
	crouched := o.posture.Crouch >= 0.5
	for i := range o.known {
		if k := &o.known[i]; k.rig == r && k.crouched == crouched {
			return k.outline
		}
	}
	k := measured{rig: r, crouched: crouched, outline: o.measure(r, crouched)}
	o.known = append(o.known, k)
	return k.outline
}

// measure poses a rig that stands still, without props.
func (o *outlines) measure(r *rig.Rig, crouched bool) (of outline) {
	o.posture = rig.Posture{}
	if crouched {
		o.posture.Crouch = 1
	}
	o.figure.Pose(r, &o.posture)
	for i := range o.figure.Count {
		v := &o.figure.Solids[i]
		most := v.A.Max(v.B).Add(reachOf(v))
		least := v.A.Min(v.B).Sub(reachOf(v))
		of.height = max(of.height, most.Y)
		of.side = max(of.side, most.X, most.Z, -least.X, -least.Z)
	}
	return of
}

// reachOf returns how far a solid goes beyond its axis along each of the figure's axes.
func reachOf(v *rig.Solid) geom.Vec3 {
	if v.Shape != rig.Box {
		return geom.V(v.Radius, v.Radius, v.Radius)
	}
	x, y, z := v.Rotation.Rotate(geom.V(v.Half.X, 0, 0)), v.Rotation.Rotate(geom.V(0, v.Half.Y, 0)), v.Rotation.Rotate(geom.V(0, 0, v.Half.Z))
	return abs(x).Add(abs(y)).Add(abs(z))
}

func abs(v geom.Vec3) geom.Vec3 { return geom.V(math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z)) }
