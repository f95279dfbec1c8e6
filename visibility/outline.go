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
	figure   rig.PosedRig
	sample   track.Sample // the entity's; a field, because an argument of an interface's method escapes
	posture  rig.Posture
}

type measured struct {
	rig      *rig.Rig
	crouched bool
	outline
}

// of returns the outline of the entity of o.sample. A dead character has that of a living one: no
// shot hits it, and it is seen all the same.
func (o *outlines) of() outline {
	s := &o.sample
	s.Dead = false
	rewind.PostureOf(s, &o.posture)
	// Which rig it is may follow from the sample, as for a shot.
	r := o.hitboxes.Hitboxes(s, &o.posture)
	if r == nil {
		return outline{}
	}
	// Two sizes for each rig, not one for each crouch: a body that is half down is as visible as
	// one that is up.
	crouched := o.posture.Crouch >= 0.5
	// A game has a handful of rigs: a search is quicker than a map.
	for i := range o.known {
		if k := &o.known[i]; k.rig == r && k.crouched == crouched {
			return k.outline
		}
	}
	k := measured{rig: r, crouched: crouched, outline: o.measure(r, crouched)}
	o.known = append(o.known, k)
	return k.outline
}

// measure poses a rig that stands still, without props: one size for all poses, so that the
// measurement can be kept. What an arm or a weapon reaches beyond it is covered by Rules.Lookahead.
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
		// The figure may be turned any way about +Y, so the wider of its two sides counts for both.
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
	// The extent of a turned box along an axis is the sum of those of its edges.
	x, y, z := v.Rotation.Rotate(geom.V(v.Half.X, 0, 0)), v.Rotation.Rotate(geom.V(0, v.Half.Y, 0)), v.Rotation.Rotate(geom.V(0, 0, v.Half.Z))
	return abs(x).Add(abs(y)).Add(abs(z))
}

func abs(v geom.Vec3) geom.Vec3 { return geom.V(math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z)) }
