package track

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// PackWhole packs the sample without loss in either direction, for a checkpoint of a match:
// PackDelta is for the wire, where samples are quantised. Its stamps are not packed: the session
// sets them anew in each record.
func (s *Sample) PackWhole(p *bits.Packer) {
	s.At, s.BaseChangedAt, s.PreviousBase, s.Lag, s.BaseVelocity = 0, 0, collide.Static, 0, geom.Vec3{}
	s.Pose.packWhole(p)
	base := uint16(s.Base)
	p.Uint16(&base)
	s.Base = collide.MoverID(base)
	p.Bool(&s.Airborne)
	s.GameData.packWhole(p)
}

func (s *Pose) packWhole(p *bits.Packer) {
	p.Vec64(&s.Position)
	p.Vec64(&s.Velocity)
	p.Vec64(&s.Up)
	p.Float64(&s.Yaw)
	p.Float64(&s.Pitch)
	p.Byte(&s.Mode)
	p.Bool(&s.Crouched)
	p.Bool(&s.Asleep)
	p.Float64(&s.Rotation.X)
	p.Float64(&s.Rotation.Y)
	p.Float64(&s.Rotation.Z)
	p.Float64(&s.Rotation.W)
	p.Vec64(&s.AngularVelocity)
	p.Float64(&s.StrideDistance)
	for _, v := range [...]*float64{&s.Stance.Crouch, &s.Stance.Air, &s.Stance.Swim} {
		p.Float64(v)
	}
}

func (g *GameData) packWhole(p *bits.Packer) {
	kind := uint8(g.Kind)
	p.Byte(&kind)
	g.Kind = Kind(kind)
	p.Bool(&g.Dead)
	p.Byte(&g.Life)
	p.Byte(&g.Teleport)
	p.Byte(&g.Clip)
	at := int64(g.ClipAt)
	p.Varint(&at)
	g.ClipAt = clock.Micros(at)
	p.Uint16(&g.UserData)
}
