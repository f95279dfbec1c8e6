package level

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// animation is a list of channels, each of which moves one property of one node by a sampler
// (glTF 2.0, section 3.11).
type animation struct {
	Name     string
	Extras   json.RawMessage
	Channels []struct {
		Sampler int
		Target  struct {
			Node *int   // nil: an extension says what is moved
			Path string // rotation, translation, scale or weights
		}
	}
	Samplers []struct {
		Input, Output int    // accessors: times in s, values
		Interpolation string // "": LINEAR
	}
}

// clipExtras is extras.backstep.clip of an animation.
type clipExtras struct {
	Stride float64  // m per cycle of a gait
	Motion int      // number of the motion that the clip shows, 1 … 255; 0: none
	Fade   *float64 // s, to blend in and out; nil: 0.08 or a quarter of the clip
	Hold   bool     // the last pose stays when the motion is over
	Keys   int      // 0: 30 per second
}

// gaits are the clips whose phase follows the distance walked, and defaultStride the stride
// of one that has none, in metres.
var gaits = []string{"walk", "run", "strafe", "crouch_walk", "crouch_strafe", "swim"}

const defaultStride = 2

// bakeRate is the keys per second of a baked clip.
//
// Keys of a rig are evenly spaced, whatever the file has: then a pose needs no search. At
// 30 a second the fastest limb moves some centimetres from key to key.
const bakeRate = 30

// restTolerance is how far a translated bone may be from its rest position before the clip
// counts as moving it, in metres.
//
// Exporters write a channel for every bone, moved or not. Only one bone may be shifted, so
// channels that only repeat the rest position do not count.
const restTolerance = 1e-3

// channels are the curves of an animation.
type channels struct {
	rotations, translations map[int]*curve // by bone
	from, to                float64        // s, of the earliest and the latest key
}

// curve is the keys of one channel.
type curve struct {
	times  []float64 // s, rising
	values []float64 // width per key, three times as many in a cubic curve
	width  int       // 3: translation, 4: rotation
	kind   string    // "", LINEAR, STEP or CUBICSPLINE
}

// clips reads the animations.
//
// Two passes: which bone is shifted must be known before the first clip is baked.
func (r *rigReader) clips() error {
	if len(r.Animations) > rig.MaxClips {
		return fmt.Errorf("%d animations, more than the %d clips a rig may have", len(r.Animations), rig.MaxClips)
	}
	reels := make([]channels, len(r.Animations))
	shifted := -1
	for i := range r.Animations {
		a := &r.Animations[i]
		if err := r.channelsOf(a, &reels[i]); err != nil {
			return fmt.Errorf("animation %d %s: %w", i, quote(a.Name), err)
		}
		for b := range r.bones {
			if reels[i].translations[b] == nil {
				continue
			}
			if shifted >= 0 && shifted != b {
				return fmt.Errorf("animation %d %s: shifts bone %s where another shifts %s; only one bone may be shifted",
					i, quote(a.Name), quote(r.plan.Bones[b].Name), quote(r.plan.Bones[shifted].Name))
			}
			shifted = b
		}
	}
	r.plan.TranslatedBone = uint8(max(shifted, 0))
	for i := range r.Animations {
		a := &r.Animations[i]
		c, err := r.clip(a, &reels[i])
		if err != nil {
			return fmt.Errorf("animation %d %s: %w", i, quote(a.Name), err)
		}
		r.plan.Clips = append(r.plan.Clips, c)
	}
	return nil
}

// channelsOf reads the channels of an animation that rotate or translate a bone.
func (r *rigReader) channelsOf(a *animation, out *channels) error {
	*out = channels{rotations: map[int]*curve{}, translations: map[int]*curve{}, from: math.Inf(1), to: math.Inf(-1)}
	for i := range a.Channels {
		if err := r.channel(a, i, out); err != nil {
			return err
		}
	}
	if len(out.rotations) == 0 && len(out.translations) == 0 {
		return errors.New("moves no bone")
	}
	return nil
}

// channel reads a channel if its target is a bone.
func (r *rigReader) channel(a *animation, i int, out *channels) error {
	c := &a.Channels[i]
	if c.Target.Node == nil {
		return nil
	}
	bone, ok := r.boneOf[*c.Target.Node]
	// Channels of cameras, props and morph targets are for drawing.
	if !ok || c.Target.Path == "weights" {
		return nil
	}
	into, width := out.translations, 3
	switch c.Target.Path {
	case "rotation":
		into, width = out.rotations, 4
	case "translation", "scale":
	default:
		return fmt.Errorf("channel %d: path is %s", i, quote(c.Target.Path))
	}
	if c.Sampler < 0 || c.Sampler >= len(a.Samplers) {
		return fmt.Errorf("channel %d: sampler %d does not exist", i, c.Sampler)
	}
	s := &a.Samplers[c.Sampler]
	v, err := r.curve(s.Input, s.Output, s.Interpolation, width)
	if err != nil {
		return fmt.Errorf("sampler %d: %w", c.Sampler, err)
	}
	out.from, out.to = min(out.from, v.times[0]), max(out.to, v.times[len(v.times)-1])
	// In the file's own units, as the channel is.
	rest := r.Nodes[r.bones[bone]].Translation
	switch {
	case c.Target.Path == "scale":
		if !v.near([]float64{1, 1, 1}, restTolerance) {
			return fmt.Errorf("channel %d: scales bone %s; bones are not scaled", i, quote(r.plan.Bones[bone].Name))
		}
		return nil
	case width == 3 && v.near(orZero(rest), restTolerance/r.scale):
		return nil
	case into[bone] != nil:
		return fmt.Errorf("channel %d: bone %s has another such channel", i, quote(r.plan.Bones[bone].Name))
	}
	into[bone] = v
	return nil
}

// orZero returns a translation, or that of a node that names none.
func orZero(v []float64) []float64 {
	if len(v) == 3 {
		return v
	}
	return []float64{0, 0, 0}
}

// near reports whether the whole curve is within slack of v.
//
// Of a cubic curve only the values count: every third is one, between two tangents.
func (c *curve) near(v []float64, slack float64) bool {
	for i, x := range c.values {
		if c.kind == "CUBICSPLINE" && i/c.width%3 != 1 {
			continue
		}
		if !(math.Abs(x-v[i%c.width]) <= slack) {
			return false
		}
	}
	return true
}

// curve reads a sampler: its times, and width values for each of them.
func (r *rigReader) curve(input, output int, kind string, width int) (*curve, error) {
	times, err := r.floats(input, "SCALAR")
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	shape := map[int]string{3: "VEC3", 4: "VEC4"}[width]
	values, err := r.floats(output, shape)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	// A cubic curve has three for each key: the tangent in, the value, the tangent out.
	each := 1
	switch kind {
	case "", "LINEAR", "STEP":
	case "CUBICSPLINE":
		each = 3
	default:
		return nil, fmt.Errorf("interpolation is %s", quote(kind))
	}
	if len(values) != len(times)*width*each {
		return nil, fmt.Errorf("%d times and %d values", len(times), len(values)/width)
	}
	// The search in at relies on the order; sorted numbers have no NaN, since floats has
	// refused it.
	if !sort.Float64sAreSorted(times) || times[0] < 0 || times[len(times)-1] > rig.MaxDuration.Seconds() {
		return nil, fmt.Errorf("input: its times do not rise from 0 to %g s at most", rig.MaxDuration.Seconds())
	}
	return &curve{times, values, width, kind}, nil
}

// clip bakes an animation to evenly spaced keys. The curves of the file are not kept: whatever
// they are, client and server sample the same keys in the same way.
func (r *rigReader) clip(a *animation, e *channels) (rig.Clip, error) {
	var m rigExtras
	if err := readExtras(a.Extras, &m); err != nil {
		return rig.Clip{}, err
	}
	if m.Hitbox != nil {
		return rig.Clip{}, errors.New("extras.backstep.hitbox belongs to a node")
	}
	if m.Clip == nil {
		m.Clip = new(clipExtras)
	}
	c := rig.Clip{Name: a.Name, HasTranslation: len(e.translations) > 0}
	if err := m.Clip.fill(&c, e.to-e.from); err != nil {
		return c, fmt.Errorf("extras.backstep.clip.%w", err)
	}
	// A gait is a circle: its end is its first key, which is not stored twice.
	n, last := m.Clip.Keys, 1 // the last key is at the end
	if c.Cycles > 0 {
		last = 0 // the end equals the first key
	}
	if n == 0 {
		n = max(1, int(math.Round(geom.Clamp((e.to-e.from)*bakeRate, 0, rig.MaxKeys)))+last)
	}
	spans := n - last
	if n > rig.MaxKeys {
		return c, fmt.Errorf("%d keys, more than %d: say fewer in extras.backstep.clip.keys", n, rig.MaxKeys)
	}
	for b := range e.rotations {
		c.Bones |= 1 << b
	}
	for k := range n {
		t := e.from
		if spans > 0 {
			t += float64((e.to-e.from)*float64(k)) / float64(spans)
		}
		c.Keys = append(c.Keys, r.key(e, t))
	}
	return c, nil
}

// fill applies the extras to c, a clip of length seconds, and checks that they fit its name: a gait
// has a stride, a motion a number and a fade, and other clips are known by name.
func (m *clipExtras) fill(c *rig.Clip, length float64) error {
	stride, gait := float64(defaultStride), slices.Contains(gaits, c.Name)
	switch {
	case m.Stride != 0 && !gait:
		return errors.New("stride on a clip that is no gait")
	case gait && m.Stride != 0:
		stride = m.Stride
	}
	if gait {
		if !(stride >= 0.25 && stride <= rig.StrideWrap) {
			return fmt.Errorf("stride is %g m; must be 0.25 … %d", stride, rig.StrideWrap)
		}
		// A whole number in 64 m, so the phase does not jump where StrideDistance wraps.
		// The stride changes by some centimetres for that.
		c.Cycles = int(math.Round(rig.StrideWrap / stride))
	}
	if m.Motion < 0 || m.Motion > 255 {
		return fmt.Errorf("motion is %d; must be 1 … 255", m.Motion)
	}
	if m.Keys < 0 || m.Keys > rig.MaxKeys {
		return fmt.Errorf("keys is %d; must be 1 … %d", m.Keys, rig.MaxKeys)
	}
	if m.Motion == 0 {
		if m.Fade != nil || m.Hold {
			return errors.New("fade or hold on a clip that is no motion")
		}
		if !slices.Contains(rig.ClipNames(), c.Name) {
			return fmt.Errorf("motion is missing: it is none of %v", rig.ClipNames())
		}
		return nil
	}
	// Long enough not to show as a jump; a short motion must still have a middle.
	fade := min(0.08, 0.25*length)
	if m.Fade != nil {
		fade = *m.Fade
	}
	if !(fade >= 0 && fade <= 0.5*length) {
		return fmt.Errorf("fade is %g s; must be 0 … half the clip's %g s", fade, length)
	}
	c.Motion, c.Hold = uint8(m.Motion), m.Hold
	c.Duration, c.Fade = clock.Micros(math.Round(length*1e6)), clock.Micros(math.Round(fade*1e6))
	return nil
}

// key returns the pose of every bone at a time of the animation, in seconds. Bones without a
// channel keep their rest pose.
func (r *rigReader) key(e *channels, t float64) rig.Key {
	k := rig.Key{Translation: r.plan.Bones[r.plan.TranslatedBone].Rest.Translation}
	for b := range r.plan.Bones {
		k.Rotations[b] = r.plan.Bones[b].Rest.Rotation
		if c := e.rotations[b]; c != nil {
			v := c.at(t)
			k.Rotations[b] = r.offsetAbove(b).Rotation.Mul(geom.Quat{X: v[0], Y: v[1], Z: v[2], W: v[3]}.Unit())
		}
		if c := e.translations[b]; c != nil {
			v := c.at(t)
			up := r.offsetAbove(b)
			k.Translation = up.Apply(geom.V(v[0], v[1], v[2]).Mul(r.scale))
		}
	}
	return k
}
