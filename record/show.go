package record

import (
	"encoding/binary"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// ShownSize is the size of an entity in AppendShown, in bytes.
const ShownSize = 100

// AppendShown appends a frame as replay pages read it (docs/recording.md, "HTTP interface of the
// replay"): its tick, the number of its entities, and each of them in ShownSize bytes, riders in the
// world at their own stamp. World has the bodies that carry them.
func AppendShown(dst []byte, f *track.Snapshot, world *collide.World) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, f.Tick)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(f.Len()))
	var e track.Sample
	for i := range f.Len() {
		f.Load(i, &e)
		base := e.Base
		s := e.ToWorld(world, e.At)
		flags := flag(s.Crouched, 1) | flag(s.Dead, 2) | flag(s.Asleep, 4)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(f.ID(i)))
		dst = append(dst, byte(s.Kind), byte(flags), s.Mode, s.Life, s.Teleport, s.Clip)
		dst = appendVec(appendVec(dst, s.Position), s.Velocity)
		dst = appendFloat(appendFloat(dst, s.Yaw), s.Pitch)
		dst = appendVec(dst, s.Up)
		for _, x := range [...]float64{s.Rotation.X, s.Rotation.Y, s.Rotation.Z, s.Rotation.W} {
			dst = appendFloat(dst, x)
		}
		dst = appendVec(dst, s.AngularVelocity)
		dst = binary.LittleEndian.AppendUint16(dst, s.UserData)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(base))
		dst = appendFloat(dst, (e.At - f.At).Seconds())
		dst = appendFloat(dst, s.StrideDistance)
		dst = append(dst, shownStance(s.Stance.Crouch), shownStance(s.Stance.Air), shownStance(s.Stance.Swim), 0)
		played := 0.0
		if s.Clip != 0 {
			played = (e.At - s.ClipAt).Seconds()
		}
		dst = appendFloat(dst, played)
	}
	return dst
}

// shownStance returns a stance, 0 … 1, in 1/255.
func shownStance(x float64) byte { return byte(float64(min(max(x, 0), 1)*255) + 0.5) }
