package rewind

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// HitboxProvider says what figure a thing is: a game's part. Client and server must have the same.
type HitboxProvider interface {
	// Hitboxes returns the rig of a thing as a view shows it, nil for what no shot meets, and
	// may change the posture, which follows from the sample (PostureOf): a game sets Props
	// by Sample.UserData. The sample is not to be changed.
	Hitboxes(s *track.Sample, p *rig.Posture) *rig.Rig
	// MaxBounds returns how large the largest figure is: no rig that Look returns has Bounds
	// that reach further than side metres from the line through the feet along Up, nor
	// higher than top metres above the feet. It is always the same. A Scene looks at nobody
	// who is further than that from a shot, and panics where a rig turns out to be larger.
	MaxBounds() (side, top float64)
}

// KindFilter is Looks that tell from the kind alone that no shot meets a thing: so that nobody
// asks where every ball and crate was when somebody shoots. Other Looks are asked about all.
type KindFilter interface {
	// CanHit reports whether a shot may meet things of a kind: Look is not asked about what
	// is of another. It is always the same.
	CanHit(kind track.Kind) bool
}

// Upright is Looks for games without skeletons: every character is the same rig, and what
// is no character is met by nothing.
type Upright struct{ Rig *rig.Rig }

// Hitboxes is for Looks: who crouches does so at once.
func (u *Upright) Hitboxes(s *track.Sample, p *rig.Posture) *rig.Rig {
	if s.Kind != 0 {
		return nil
	}
	if p.Crouch = 0; s.Crouched {
		p.Crouch = 1
	}
	return u.Rig
}

// CanHit is for ByKind: characters alone.
func (u *Upright) CanHit(kind track.Kind) bool { return kind == 0 }

// MaxBounds is for Looks: the rig's own bounds.
func (u *Upright) MaxBounds() (side, top float64) {
	height, radius := u.Rig.Bounds()
	return radius, height + radius
}

// PostureOf fills in the posture of a character as a view shows it.
func PostureOf(s *track.Sample, p *rig.Posture) {
	v := Placement(s).Rotation.Inverse().Rotate(s.Velocity.Sub(s.BaseVelocity))
	*p = rig.Posture{
		Forward: -v.Z, Right: v.X, Rise: v.Y, StrideDistance: s.StrideDistance, Pitch: s.Pitch,
		Crouch: s.Stance.Crouch, Air: s.Stance.Air, Swim: s.Stance.Swim, Clip: s.Clip,
	}
	if s.Clip != 0 {
		p.Played = s.At - s.ClipAt
	}
}

// Placement is where the space of a figure is in the world.
func Placement(s *track.Sample) geom.Transform {
	turn := geom.YawQuat(s.Yaw)
	if up := s.UpVector(); up != geom.Up {
		turn = geom.Arc(geom.Up, up).Mul(turn)
	}
	return geom.Transform{Rotation: turn, Translation: s.Position}
}
