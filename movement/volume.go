package movement

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// swimMargin in metres is how much higher than it came in the middle of a
	// swimmer must be to be out of the water: what bobs at the surface stays in.
	swimMargin = 0.1
	// halvings is how often the path of a fall into water is halved to find where
	// it met the surface: to a millionth of it.
	halvings = 20
)

// water is the volume that a move is in.
type water struct {
	volume  *collide.Volume // the one that acts on the body; nil is none
	volumes bool            // the world has volumes
}

// enterVolume finds the volume that the body is in, and applies what follows from it
// [VOL-01]: its fluid and terminal speed for the move, swimming and leaving the
// water, a jump pad's launch.
func (f moveStart) enterVolume() {
	if !f.volumes {
		if f.Mode == Swimming {
			f.SetMode(Falling)
		}
		return
	}
	wet := f.inWater()
	switch f.Mode {
	case Walking, NavWalking, Falling:
		if wet {
			f.enterWater()
		}
	case Swimming:
		if !wet {
			f.SetMode(Falling)
		}
	}
	f.boost()
}

// inWater reports whether the body swims or should: its middle is in water. It
// remembers the volume there. A walker's middle is where it is when it stands, so
// that it may crouch while it wades; a swimmer has a margin; and what rises out of the
// water in the air, by a launch or onto a bank, does not swim.
func (f *StepContext) inWater() bool {
	at := f.middle()
	switch f.Mode {
	case Walking, NavWalking:
		at = f.Position.MulAdd(f.Up, f.Model.HalfHeight)
	case Falling:
		if f.Velocity.Dot(f.Up) > 0 {
			f.volume = f.World.VolumeAt(at)
			return false
		}
	}
	f.volume = f.World.VolumeAt(at)
	if f.Mode == Swimming && !wet(f.volume) {
		if v := f.World.VolumeAt(at.MulAdd(f.Up, -swimMargin)); wet(v) {
			f.volume = v
		}
	}
	return wet(f.volume)
}

func wet(v *collide.Volume) bool { return v != nil && v.Water }

// enterWater lets the body swim from here on.
func (f *StepContext) enterWater() {
	f.JumpCount = 0
	f.SetMode(Swimming)
}

// plunge lets a body swim that fell into water within the slice of dt seconds from
// start, at the velocity before: from the surface on, with the time left there
// [GRD-15]. Where it met something on the way, it swims from where it is.
func (f faller) plunge(start, before geom.Vec3, dt float64) {
	if !f.inWater() {
		return
	}
	way := before.Add(f.Velocity).Mul(float64(0.5 * dt))
	if f.Position.Sub(start).Dist(way) < nearlyZero {
		end, dry, in := f.Position, 0.0, 1.0
		for range halvings {
			t := (dry + in) / 2
			f.Position = start.MulAdd(way, t)
			if wet(f.World.VolumeAt(f.middle())) {
				in = t
			} else {
				dry = t
			}
		}
		f.Position = end
		if in < 1 {
			f.Position = start.MulAdd(way, in)
			f.Velocity = before.Lerp(f.Velocity, in)
			f.Remaining += float64(dt * (1 - in))
		}
	}
	f.enterWater()
}

// boost launches a walker, or a falling body, in a jump pad [VOL-01]: once, because the body rises
// afterwards.
func (f moveStart) boost() {
	switch f.Mode {
	case Walking, NavWalking:
	case Falling:
		if f.Velocity.Dot(f.Up) >= 0 {
			return
		}
	default:
		return
	}
	v := f.World.VolumeAt(f.Position)
	if v == nil || v.Launch.IsZero() || !f.Launch.IsZero() {
		return
	}
	if f.Mode == Falling && f.Velocity.Dot(v.Launch) > float64(0.5*v.Launch.LenSq()) {
		return // launched sideways, and still going
	}
	f.Launch = v.Launch
	f.report(Boosted, v.Launch.Len())
}

// terminalSpeed is the fastest fall in m/s here: the volume's, or else the
// character's own.
func (f *StepContext) terminalSpeed() float64 {
	if f.volume != nil && f.volume.TerminalSpeed > 0 {
		return f.volume.TerminalSpeed
	}
	return f.Model.TerminalSpeed
}

// fluidFriction is the friction in 1/s of the medium here: the volume's, or else
// the character's own in water and none in the air.
func (f *StepContext) fluidFriction() float64 {
	switch {
	case f.volume != nil && f.volume.Friction > 0:
		return f.volume.Friction
	case f.Mode == Swimming || wet(f.volume):
		return f.Model.FluidFriction
	}
	return 0
}

// Killed reports whether any of the body of s is in a volume that kills [BAS-06].
// What follows is for the game on the authority to decide; a client waits for that.
func (m *Model) Killed(w *collide.WorldAt, s *State) bool { return w.InKillVolume(m.Capsule(s)) }
