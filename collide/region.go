package collide

import (
	"errors"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/geom"
)

// region is the shape of a Volume: a ball, or the one convex solid of a world of its own.
//
// A volume is convex, so one list of planes answers whether a point is inside and clips a
// segment. Concave water is several volumes.
type region struct {
	box   box
	ball  geom.Sphere
	shape *World  // nil for a ball
	mover MoverID // that the volume triggers
}

// holds reports whether p is inside or on the border.
//
// The border counts as inside, so that two volumes that share a side leave no gap between
// them.
func (r *region) holds(p geom.Vec3) bool {
	if r.shape == nil {
		return p.Sub(r.ball.Centre).LenSq() <= float64(r.ball.Radius*r.ball.Radius)
	}
	v := &r.shape.solids[0]
	for i := range v.planes {
		if v.planes[i].n.Dot(p) > v.planes[i].w {
			return false
		}
	}
	return true
}

// clip returns the fractions, 0 … 1, between which the segment from a to b is inside. from
// is not below to if no part of it is.
//
// It is the algorithm of Cyrus and Beck 1978: each plane cuts off the part before it is
// entered, or after it is left.
func (r *region) clip(a, b geom.Vec3) (from, to float64) {
	d := b.Sub(a)
	if r.shape == nil {
		return r.chord(a, d)
	}
	from, to = 0, 1
	v := &r.shape.solids[0]
	for i := range v.planes {
		p := &v.planes[i]
		outside, along := p.n.Dot(a)-p.w, p.n.Dot(d)
		switch {
		case along > 0:
			to = min(to, -outside/along)
		case along < 0:
			from = max(from, -outside/along)
		case outside > 0:
			return 1, 0
		}
	}
	return from, to
}

// chord is clip for a ball.
//
// The discriminant is computed from the cross product, as in sweep.corner, because b·b −
// a·c cancels for a far ball.
func (r *region) chord(a, d geom.Vec3) (from, to float64) {
	m := a.Sub(r.ball.Centre)
	dd, b := d.Dot(d), m.Dot(d)
	x := m.Cross(d)
	disc := float64(dd*float64(r.ball.Radius*r.ball.Radius)) - x.Dot(x)
	if dd == 0 && r.holds(a) {
		return 0, 1 // a point
	}
	if disc <= 0 {
		return 1, 0
	}
	s := math.Sqrt(disc)
	return max((-b-s)/dd, 0), min((-b+s)/dd, 1)
}

// overlaps reports whether the capsule shares more than a touching point with the region.
func (r *region) overlaps(c geom.Capsule) bool {
	if r.shape != nil {
		return r.shape.Overlaps(c)
	}
	o := Obstacle{Capsule: geom.Capsule{A: r.ball.Centre, B: r.ball.Centre, Radius: r.ball.Radius}}
	return o.overlaps(c)
}

// VolumeAt returns the volume that applies at p: of those that contain p, borders included,
// the one of the highest priority, and of equal ones the later. Nil means none.
func (v *WorldAt) VolumeAt(p geom.Vec3) *Volume {
	if len(v.World.volumes) == 0 || !p.Finite() {
		return nil
	}
	return v.World.volumeAt(p)
}

// A list and no tree: a level has a dozen volumes, and the box of each is six comparisons.
func (w *World) volumeAt(p geom.Vec3) *Volume {
	at := coreBox(p, p)
	var best *Volume
	for i := range w.regions {
		if w.regions[i].box.overlap(&at) < 0 || w.regions[i].mover != Static {
			continue
		}
		x := &w.volumes[i]
		if (best == nil || x.Priority >= best.Priority) && w.regions[i].holds(p) {
			best = x
		}
	}
	return best
}

// maxCuts is how many volumes may intersect the axis of one capsule; Submerged ignores
// further ones, the first added first.
//
// It bounds the scratch on the stack.
const maxCuts = 16

// Submerged returns the share of the height of the capsule that is under water, 0 … 1
// [VOL-01]: the share of the line from its lowest point to its highest, along up, at which
// the volume that applies is Water. It is exact for any set of volumes. Up is a unit
// vector.
func (v *WorldAt) Submerged(c geom.Capsule, up geom.Vec3) float64 {
	if len(v.World.volumes) == 0 || !finite(c) {
		return 0
	}
	low, high := c.A, c.B
	if low.Dot(up) > high.Dot(up) {
		low, high = high, low
	}
	low, high = low.MulAdd(up, -c.Radius), high.MulAdd(up, c.Radius)
	return v.World.waterShare(low, high)
}

// waterShare returns the share of the segment from a to b that is in water.
//
// Between two neighbouring cuts the set of volumes is constant, so the one that applies at
// the middle applies to the whole piece. A sampled share would jump as a swimmer bobs, and
// the buoyancy with it.
func (w *World) waterShare(a, b geom.Vec3) float64 {
	var cuts [2*maxCuts + 2]float64
	var in [maxCuts]int
	n, water := 0, false
	along := coreBox(a, b)
	for i := len(w.regions) - 1; i >= 0 && n < maxCuts; i-- {
		if w.regions[i].box.overlap(&along) < 0 || w.regions[i].mover != Static {
			continue
		}
		if from, to := w.regions[i].clip(a, b); from < to {
			in[n], cuts[2*n], cuts[2*n+1] = i, from, to
			water = water || w.volumes[i].Water
			n++
		}
	}
	if !water {
		return 0
	}
	ends := cuts
	sorted := ends[:2*n]
	sortFew(sorted)
	sum := 0.0
	for k := 1; k < len(sorted); k++ {
		middle := float64((sorted[k-1] + sorted[k]) * 0.5)
		var best *Volume
		for i := n - 1; i >= 0; i-- { // in the order of adding
			x := &w.volumes[in[i]]
			if cuts[2*i] <= middle && middle <= cuts[2*i+1] && (best == nil || x.Priority >= best.Priority) {
				best = x
			}
		}
		if best != nil && best.Water {
			sum += sorted[k] - sorted[k-1]
		}
	}
	return sum
}

// InKillVolume reports whether any part of the capsule is in a kill volume, whatever other
// volumes are there [BAS-06].
//
// Any part, and not the middle: a tall character does not wade through lava.
func (v *WorldAt) InKillVolume(c geom.Capsule) bool {
	if len(v.World.volumes) == 0 || !finite(c) {
		return false
	}
	around := coreBox(c.A, c.B)
	around = around.grown(max(c.Radius, 0))
	for i := range v.World.regions {
		r := &v.World.regions[i]
		if v.World.volumes[i].Kill && r.box.overlap(&around) >= 0 && r.overlaps(c) {
			return true
		}
	}
	return false
}

// Volumes returns the volumes of the world in the order of adding. The slice must not be
// changed.
func (w *World) Volumes() []Volume { return w.volumes }

// VolumeBounds returns the box around volume i.
func (w *World) VolumeBounds(i int) geom.AABB {
	r := &w.regions[i]
	if r.shape != nil {
		return r.shape.Bounds()
	}
	return geom.AABB{Min: r.ball.Centre, Max: r.ball.Centre}.Grow(r.ball.Radius)
}

// affects reports whether the volume has an effect on movers inside.
func (v *Volume) affects() bool {
	return v.Water || v.Kill || v.Planet || v.Friction != 0 || v.TerminalSpeed != 0 || !v.Launch.IsZero() || !v.Up.IsZero()
}

// check returns an error for an invalid volume.
func (v *Volume) check() error {
	what := ""
	switch {
	case len(v.Name) > maxName:
		what = "a name of more than " + strconv.Itoa(maxName) + " bytes"
	case !(v.Friction >= 0 && v.Friction <= math.MaxFloat64):
		what = "Friction is negative or not finite"
	case !(v.TerminalSpeed >= 0 && v.TerminalSpeed <= math.MaxFloat64):
		what = "TerminalSpeed is negative or not finite"
	case !inReach(v.Launch):
		what = "Launch is not finite or faster than " + strconv.Itoa(MaxCoordinate) + " m/s"
	case !v.Up.IsZero() && !(math.Abs(v.Up.LenSq()-1) <= 1e-9):
		what = "Up is not a unit vector"
	case !inReach(v.Centre):
		what = "Centre is not finite or beyond " + strconv.Itoa(MaxCoordinate) + " m"
	case v.Triggers == "" && (v.Button || v.Waypoint != Press):
		what = "Button or Waypoint without Triggers: name the mover"
	case v.Triggers != "" && v.affects():
		what = "it triggers a mover and has another effect: make a second volume for that"
	case len(v.Triggers) > maxName:
		what = "Triggers is longer than " + strconv.Itoa(maxName) + " bytes"
	default:
		return nil
	}
	return errors.New(what)
}

// VolumeBox adds a volume that is a box: half is its half size along its own axes, at least
// 1e-6 m, turn its rotation about its centre.
func (b *Builder) VolumeBox(v Volume, centre, half geom.Vec3, turn geom.Quat) error {
	inner := Builder{transformed: b.transformed, transform: b.transform}
	inner.Box(centre, half, turn, Surface{})
	return b.volume(v, geom.Sphere{}, &inner)
}

// VolumeHull adds a volume that is the convex hull of the points, as Hull does.
func (b *Builder) VolumeHull(v Volume, points []geom.Vec3) error {
	inner := Builder{transformed: b.transformed, transform: b.transform}
	inner.Hull(points, Surface{})
	return b.volume(v, geom.Sphere{}, &inner)
}

// VolumeSphere adds a volume that is a ball with a radius of at least 1e-6 m.
func (b *Builder) VolumeSphere(v Volume, s geom.Sphere) error {
	return b.volume(v, s, nil)
}

// volume adds a region, or keeps the error.
func (b *Builder) volume(v Volume, ball geom.Sphere, inner *Builder) error {
	b.transformVolume(&v, &ball)
	v.Launch, v.Up, v.Centre = positiveZero(v.Launch), positiveZero(v.Up), positiveZero(v.Centre)
	v.Friction, v.TerminalSpeed = v.Friction+0, v.TerminalSpeed+0
	r := region{ball: ball}
	err := v.check()
	switch {
	case err != nil:
	case b.inner:
		err = errors.New("a mover has no volumes")
	case len(b.volumes) >= MaxVolumes:
		err = errors.New("more than " + strconv.Itoa(MaxVolumes) + " volumes")
	case inner != nil:
		if r.shape, err = inner.Bake(); err == nil {
			r.box = outward(r.shape.solids[0].bounds)
		}
	default:
		r.ball.Centre = positiveZero(ball.Centre)
		if !(ball.Radius >= 1e-6 && ball.Radius <= MaxCoordinate) || !inReach(ball.Centre) {
			err = errors.New("a ball must be at least 1e-6 m and within " + strconv.Itoa(MaxCoordinate) + " m")
		}
		r.box = outward(geom.AABB{Min: ball.Centre, Max: ball.Centre}.Grow(ball.Radius))
	}
	if err != nil {
		return b.keepError(errorPrefix("volume", len(b.volumes), v.Name) + withoutPackage(err))
	}
	b.volumes = append(b.volumes, v)
	b.regions = append(b.regions, r)
	return nil
}
