package record

import (
	"encoding/binary"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// PageEntitySize is the size of an entity in AppendPageFrame, in bytes.
const PageEntitySize = 100

// FirstPageMover is the id of the level's first mover in AppendPageFrame.
const FirstPageMover = track.MaxID + 1

// AppendPageFrame appends a frame as replay pages read it (docs/recording.md, "HTTP interface of the
// replay"): its tick, the number of its entities, and each of them in PageEntitySize bytes, riders in the
// world at their own stamp. World, the tick's, has the movers that carry them; those that were
// triggered follow as entities, because their poses are no function of time.
func AppendPageFrame(dst []byte, f *track.Snapshot, world *collide.World) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, f.Tick)
	count := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(f.Len()))
	var e track.Sample
	for i := range f.Len() {
		f.Load(i, &e)
		dst = appendPageEntity(dst, f.ID(i), &e, f.At, world)
	}
	if world == nil {
		return dst
	}
	shown, view := uint32(f.Len()), collide.WorldAt{World: world, At: f.At}
	for i := range world.Movers() {
		id := collide.MoverID(i + 1)
		if world.Triggers().Log(id).Used() {
			pose := view.Pose(id)
			e = track.Sample{At: f.At, Pose: track.Pose{
				Position: pose.Translation, Rotation: pose.Rotation,
				Velocity: view.VelocityAt(id, pose.Translation), AngularVelocity: view.AngularVelocity(id),
			}}
			dst = appendPageEntity(dst, FirstPageMover+track.ID(i), &e, f.At, world)
			shown++
		}
	}
	binary.LittleEndian.PutUint32(dst[count:], shown)
	return dst
}

// appendPageEntity appends an entity of a frame at a match time.
func appendPageEntity(dst []byte, id track.ID, e *track.Sample, at clock.Micros, world *collide.World) []byte {
	base := e.Base
	s := e.ToWorld(world, e.At)
	flags := flag(s.Crouched, 1) | flag(s.Dead, 2) | flag(s.Asleep, 4)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(id))
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
	dst = appendFloat(dst, (e.At - at).Seconds())
	dst = appendFloat(dst, s.StrideDistance)
	dst = append(dst, shownStance(s.Stance.Crouch), shownStance(s.Stance.Air), shownStance(s.Stance.Swim), 0)
	played := 0.0
	if s.Clip != 0 {
		played = (e.At - s.ClipAt).Seconds()
	}
	return appendFloat(dst, played)
}

// shownStance returns a stance, 0 … 1, in 1/255.
func shownStance(x float64) byte { return byte(float64(min(max(x, 0), 1)*255) + 0.5) }
