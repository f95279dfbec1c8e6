package rig

import (
	"errors"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// packVersion is the byte after "RIG" at the start of a packed rig.
const packVersion = 1

// MaxPacked is the largest size of a packed rig in bytes.
const MaxPacked = 1 << 20

// Append appends the packed rig to b: what Unpack reads, without loss. It panics for a rig
// without bones, which is DefaultRig.
//
// The size is not known before packing, so it is doubled until the rig fits: a few times,
// once in the life of a rig.
func (r *Rig) Append(b []byte) []byte {
	if len(r.bones) == 0 {
		panic("rig: DefaultRig cannot be packed and need not be: both ends have it")
	}
	var p bits.Packer
	for size := 1 << 14; size <= MaxPacked; size *= 2 {
		p.Write(make([]byte, size))
		if r.pack(&p); p.Err() == nil {
			return append(b, p.Bytes()...)
		}
	}
	panic("rig: cannot pack a baked rig: " + p.Err().Error())
}

// Unpack reads what Append wrote. Any other bytes are an error that says what is wrong.
//
// A rig may come from a server, so it is checked as one from a file is: the same functions,
// on the same rounded numbers.
func Unpack(b []byte) (*Rig, error) {
	if len(b) > MaxPacked {
		return nil, errors.New("rig: " + strconv.Itoa(len(b)) + " bytes, more than MaxPacked")
	}
	var p bits.Packer
	p.Read(b)
	r := new(Rig)
	r.pack(&p)
	p.End()
	if err := p.Err(); err != nil {
		return nil, errors.New("rig: byte " + strconv.Itoa(p.Bits()/8) + ": " + err.Error())
	}
	if err := r.checkBody(); err != nil {
		return nil, err
	}
	if err := r.checkClips(); err != nil {
		return nil, err
	}
	r.derive()
	return r, nil
}

// pack describes a rig for both directions.
func (r *Rig) pack(p *bits.Packer) {
	// The bounding sphere is packed and not computed by the reader: posing 2,000 figures
	// takes milliseconds.
	const magic = uint32('R') | 'I'<<8 | 'G'<<16 | packVersion<<24
	m := magic
	if p.Uint32(&m); m != magic {
		p.Fail(errors.New("not a rig of version " + strconv.Itoa(packVersion)))
	}
	p.Grid(&r.centre, -maxCentre, maxCentre, boundStep)
	p.Grid(&r.radius, 0, maxRadius, boundStep)
	r.bones = packCount(p, r.bones, 1, MaxBones)
	moves := int(r.translatedBone)
	p.Ranged(&moves, 0, max(len(r.bones)-1, 0))
	r.translatedBone = uint8(moves)
	for i := range r.bones {
		b := &r.bones[i]
		packName(p, &b.Name)
		parent := int(b.Parent)
		// The range makes a parent that comes after its child impossible to write down.
		p.Ranged(&parent, -1, max(i-1, -1))
		b.Parent = int8(parent)
		packTransform(p, &b.Rest)
	}
	r.hitboxes = packCount(p, r.hitboxes, 1, MaxHitboxes)
	for i := range r.hitboxes {
		r.hitboxes[i].pack(p, len(r.bones))
	}
	r.clips = packCount(p, r.clips, 0, MaxClips)
	for i := range r.clips {
		r.clips[i].pack(p, r)
	}
}

// packCount packs the length of a list, and allocates the list when reading.
func packCount[T any](p *bits.Packer, list []T, lo, hi int) []T {
	n := len(list)
	p.Ranged(&n, lo, hi)
	if !p.Writing() {
		return make([]T, n)
	}
	return list
}

func packName(p *bits.Packer, name *string) {
	b := []byte(*name)
	p.Blob(&b, MaxName)
	*name = string(b)
}

func packTransform(p *bits.Packer, t *geom.Transform) {
	turned := t.Rotation != geom.IdentityQuat
	if p.Bool(&turned); turned {
		p.Float64(&t.Rotation.X)
		p.Float64(&t.Rotation.Y)
		p.Float64(&t.Rotation.Z)
		p.Float64(&t.Rotation.W)
		// An identity that is written out would be a second form of the same rig.
		if t.Rotation == geom.IdentityQuat {
			p.Fail(bits.ErrRange)
		}
	} else {
		t.Rotation = geom.IdentityQuat
	}
	p.Vec(&t.Translation, perMetre)
}

func (v *Hitbox) pack(p *bits.Packer, bones int) {
	packName(p, &v.Name)
	group, shape, bone, prop := int(v.HitGroup), int(v.Shape), int(v.Bone), int(v.Prop)
	p.Ranged(&group, 1, HitGroups-1)
	p.Ranged(&shape, 0, int(Box))
	p.Ranged(&bone, 0, max(bones-1, 0))
	p.Ranged(&prop, 0, 8)
	v.HitGroup, v.Shape, v.Bone, v.Prop = HitGroup(group), Shape(shape), uint8(bone), uint8(prop)
	packTransform(p, &v.At)
	p.Vec(&v.Half, perMetre)
	p.Grid(&v.Radius, 0, MaxOffset, 1.0/perMetre)
}

func (c *clip) pack(p *bits.Packer, r *Rig) {
	packName(p, &c.name)
	motion := int(c.motion)
	p.Ranged(&c.cycles, 0, MaxCycles)
	p.Ranged(&motion, 0, math.MaxUint8)
	if c.motion = uint8(motion); c.motion != 0 {
		packDuration(p, &c.duration)
		packDuration(p, &c.fade)
		p.Bool(&c.hold)
	}
	p.Ranged(&c.keys, 1, MaxKeys)
	s := slotOf(c.name)
	// A clip of the whole body always has every bone and a translation, so neither is written.
	shifts := s < aimUp || c.translations != nil
	if s >= aimUp {
		bones := uint64(c.bones)
		p.Uint(&bones, max(len(r.bones), 1))
		c.bones = uint32(bones)
		p.Bool(&shifts)
	} else {
		c.bones = 1<<len(r.bones) - 1
	}
	if !p.Writing() {
		// The counts are not valid then, and must not size anything.
		if p.Err() != nil {
			return
		}
		c.listBones()
		c.rotations = make([][4]int16, c.keys*len(c.list))
		if shifts {
			c.translations = make([][3]int16, c.keys)
		}
	}
	c.packKeys(p)
}

func packDuration(p *bits.Packer, t *clock.Micros) {
	n := int(*t)
	p.Ranged(&n, 0, int(MaxDuration))
	*t = clock.Micros(n)
}

// packKeys packs every component of the rotation of every bone as a row of numbers over the
// keys.
func (c *clip) packKeys(p *bits.Packer) {
	n := len(c.list)
	for b := range n {
		for x := range 4 {
			packRow(p, c.keys, func(k int) *int16 { return &c.rotations[k*n+b][x] })
		}
	}
	if c.translations != nil {
		for x := range 3 {
			packRow(p, c.keys, func(k int) *int16 { return &c.translations[k][x] })
		}
	}
}

// packRow packs a row of numbers: the first, whether all are equal to it, and otherwise the
// difference of each from the linear extrapolation of the two before it.
//
// Animations are smooth, so the second difference is small. A row that does not vary costs
// one bit; written out it would be a second form, so it is refused.
func packRow(p *bits.Packer, keys int, at func(int) *int16) {
	first := uint16(*at(0))
	p.Uint16(&first)
	*at(0) = int16(first)
	if keys == 1 {
		return
	}
	varies := false
	for k := 1; p.Writing() && k < keys; k++ {
		varies = varies || *at(k) != *at(0)
	}
	p.Bool(&varies)
	same := true
	for k := 1; k < keys; k++ {
		if !varies {
			*at(k) = *at(0)
			continue
		}
		guess := int64(*at(k - 1))
		if k > 1 {
			guess += guess - int64(*at(k - 2))
		}
		d := int64(*at(k)) - guess
		p.Residual(&d, residualOrder)
		v := guess + d
		if v != int64(int16(v)) {
			p.Fail(bits.ErrRange)
		}
		*at(k) = int16(v)
		same = same && *at(k) == *at(0)
	}
	if varies && same {
		p.Fail(bits.ErrRange)
	}
}

// residualOrder is the usual number of bits of such a difference.
const residualOrder = 7
