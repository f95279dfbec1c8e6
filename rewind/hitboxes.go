package rewind

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// HitboxProvider says which rig an entity has: a game implements it. Client and server must have the
// same.
type HitboxProvider interface {
	// Hitboxes returns the rig of an entity as a view shows it, nil for one that nothing can
	// hit. It may change the posture, which follows from the sample (PostureOf): a game sets
	// Props by Sample.UserData. It must not change the sample.
	Hitboxes(s *track.Sample, p *rig.Posture) *rig.Rig
	// MaxBounds returns how large the largest rig is: Bounds of any rig that Hitboxes returns
	// reach at most side metres from the line through the feet along Up, at most top metres
	// above the feet, and at most side metres below them; both are 0 or more. The result never
	// changes. A Scene skips every entity that is further than that from a shot, and panics if a
	// rig turns out to be larger.
	MaxBounds() (side, top float64)
}

// KindFilter is a HitboxProvider that knows from the kind alone that nothing can hit an entity,
// so that a shot need not test every ball and crate. Without it every kind is tested.
type KindFilter interface {
	// CanHit reports whether a shot may hit entities of a kind: Hitboxes is not called for
	// others. The result never changes.
	CanHit(kind track.Kind) bool
}

// Upright is the HitboxProvider of games without skeletons: every character has the same rig,
// and nothing else can be hit.
type Upright struct {
	// Rig is the rig of every character, entities of track.Kind 0. It must be set.
	Rig *rig.Rig
	// Kinds reports which other kinds are characters too; nil means none.
	Kinds func(kind track.Kind) bool
	// Props returns which optional hitboxes of the rig a character has (rig.Posture.Props), such as a
	// raised shield by Sample.UserData; nil means none.
	Props func(s *track.Sample) uint8
}

// Hitboxes implements HitboxProvider: a crouching character does so at once.
func (u *Upright) Hitboxes(s *track.Sample, p *rig.Posture) *rig.Rig {
	if !u.CanHit(s.Kind) {
		return nil
	}
	if p.Crouch = 0; s.Crouched {
		p.Crouch = 1
	}
	if u.Props != nil {
		p.Props = u.Props(s)
	}
	return u.Rig
}

// CanHit implements KindFilter: characters alone.
func (u *Upright) CanHit(kind track.Kind) bool {
	return kind == 0 || u.Kinds != nil && u.Kinds(kind)
}

// MaxBounds implements HitboxProvider: the rig's own bounds. The middle of a ship is its position, so
// it also reaches below.
func (u *Upright) MaxBounds() (side, top float64) {
	height, radius := u.Rig.Bounds()
	return radius - min(height, 0), max(height+radius, 0)
}

// PostureOf fills in the posture of a character as a view shows it.
func PostureOf(s *track.Sample, p *rig.Posture) {
	// Relative to the base: a character that stands on a moving train does not run.
	v := Placement(s).Rotation.Inverse().Rotate(s.Velocity.Sub(s.BaseVelocity))
	*p = rig.Posture{
		Forward: -v.Z, Right: v.X, Up: v.Y, StrideDistance: s.StrideDistance, Pitch: s.Pitch,
		Crouch: s.Stance.Crouch, Air: s.Stance.Air, Swim: s.Stance.Swim, Clip: s.Clip,
	}
	if s.Clip != 0 {
		p.ClipTime = s.At - s.ClipAt
	}
}

// Placement returns where the space of an entity's rig is in the world.
func Placement(s *track.Sample) geom.Transform {
	turn := geom.YawQuat(s.Yaw)
	// Nearly always it is +Y, and the rotation between equal vectors would cost a rounding that
	// differs from none.
	if up := s.UpVector(); up != geom.Up {
		turn = geom.Arc(geom.Up, up).Mul(turn)
	}
	return geom.Transform{Rotation: turn, Translation: s.Position}
}
