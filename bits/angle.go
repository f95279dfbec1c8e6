package bits

import "math"

// maxAngle is the largest angle for which a float64 still resolves a 16-bit step, in
// radians. A larger angle counts as 0.
const maxAngle = 1e9

// Angle16 packs an angle in radians in 16 bits: round(v·65536/2π), modulo 2π [WIR-01]. The
// step is 9.59e-5 rad (0.0055°), the largest error half of it [GAP-01]. It reads −π ≤ v <
// π, exactly what SnapAngle16 gives: the code is signed, while the reference reads 0 …
// 360°. Writing an angle that is not finite is ErrNotFinite.
func (p *Packer) Angle16(v *float64) {
	if !p.writing {
		*v = angle16(uint16(p.take(16)))
	} else if a, ok := p.real(*v); ok {
		p.put(uint64(angleCode(a, 1<<16)), 16)
	}
}

// Angle8 packs an angle in radians in 8 bits: the step is 0.0245 rad (1.406°), the largest
// error half of it [WIR-02]. It reads −π ≤ v < π.
func (p *Packer) Angle8(v *float64) {
	if !p.writing {
		*v = angle8(uint8(p.take(8)))
	} else if a, ok := p.real(*v); ok {
		p.put(uint64(angleCode(a, 1<<8)), 8)
	}
}

// SnapAngle16 returns the angle that a reader of Angle16 gets for v: quantise before
// simulating. It is idempotent. An angle that is not finite counts as 0.
func SnapAngle16(v float64) float64 { return angle16(uint16(angleCode(v, 1<<16))) }

// angleCode returns v as a count of turns/codes, 0 … codes − 1.
func angleCode(v, codes float64) uint32 {
	if !(math.Abs(v) <= maxAngle) {
		return 0
	}
	x := math.Floor(float64(v*(codes/(2*math.Pi))) + 0.5)
	return uint32(x - float64(codes*math.Floor(x/codes)))
}

// angle16 returns the angle of a code of 16 bits. The code is read as signed, so that angles near 0
// of either sign have small magnitudes.
func angle16(q uint16) float64 { return StepsAngle(int64(int16(q)), 1<<16) }

// angle8 returns the angle of a code of 8 bits, as angle16.
func angle8(q uint8) float64 { return StepsAngle(int64(int8(q)), 1<<8) }

// AngleSteps returns an angle in radians in whole steps, turn of which are a turn: a power of two
// up to 2¹⁶. It is −turn/2 … turn/2−1, rounded as Angle16 rounds; an angle that is not finite is 0.
func AngleSteps(v float64, turn int64) int64 {
	return WrapSteps(int64(angleCode(v, float64(turn))), turn)
}

// WrapSteps returns the steps within half a turn of 0 that point where n steps do.
func WrapSteps(n, turn int64) int64 { return (n+turn/2)&(turn-1) - turn/2 }

// StepsAngle returns the angle of so many steps of a turn in radians.
func StepsAngle(n, turn int64) float64 { return float64(float64(n) * (2 * math.Pi / float64(turn))) }
