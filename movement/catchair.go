package movement

import "math"

// catchesAir reports whether a walker leaves the ground although fl lies within its
// reach, because that falls away from its path too fast (AIR-08): by its slope, or by
// how far below the path the body met it. It is asked after the body has moved along
// the floor that it stood on.
func (f *StepContext) catchesAir(fl *Floor) bool {
	least := f.Model.CatchAir
	if least == 0 || !f.Model.WalkOffLedges || !f.Floor.Walkable {
		return false
	}
	along := f.ramp(f.Velocity, &f.Floor).Dot(f.Up)
	away := along - f.ramp(f.Velocity, fl).Dot(f.Up)
	if made := f.Position.Sub(f.from).Flat(f.Up).Len(); made > nearlyZero {
		drop := (fl.Distance - MaxFloor) / made
		away = math.Max(away, float64(drop*f.Velocity.Len()))
	}
	return away >= least
}

// takeOff gives a walker that leaves the ground, where it may catch air, the velocity
// along the floor that it leaves: off a ramp it goes on upwards.
func (f *StepContext) takeOff() {
	if f.Model.CatchAir > 0 {
		f.Velocity = f.ramp(f.Velocity, &f.Floor)
	}
}
