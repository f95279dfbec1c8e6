package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// remotePose is what others see of a player besides Game.Pose: the time of each pose, the frame in which
// it is sent, and what accumulates over moves.
type remotePose struct {
	mapping   clock.Mapping // from the stamps of commands to match time
	stamp     clock.Micros  // of the pose, in match time; it never goes back, also not for the next player of the seat
	frame     baseFrame
	clip      clipStart
	motion    locomotion
	teleports uint8        // counts where the path of the poses breaks, beside what the game counts itself
	lives     uint8        // counts Respawn, beside what the game counts itself
	entered   clock.Micros // when this player was first placed
}

// teleport breaks the path of the poses: others do not interpolate across it.
func (r *remotePose) teleport() {
	r.teleports++
	r.stamp++
	r.frame = baseFrame{}
}

// standOn begins the poses of a new authority in the frame of the base of its state. Until its first move nobody knows
// the platform time of that state, so its pose could not be converted to another frame.
func (r *remotePose) standOn(base collide.MoverID) { r.frame = baseFrame{on: base, base: base} }

// vacated returns what the next connection or player of the seat continues: the counts of teleports and
// lives and the stamp, so that others never interpolate between the two.
func (r *remotePose) vacated() remotePose {
	return remotePose{teleports: r.teleports, lives: r.lives, stamp: r.stamp}
}

// sample returns what others see of a pose that the game returned, at a platform time.
func (r *remotePose) sample(pose track.Sample, w *collide.World, platform clock.Micros) track.Sample {
	pose = r.frame.apply(pose, w, platform)
	pose.At, pose.Kind = r.stamp, 0
	pose.Teleport, pose.Life = pose.Teleport+r.teleports, pose.Life+r.lives
	r.motion.apply(&pose)
	if r.clip.playedBy(&pose) {
		pose.ClipAt = r.clip.shown
	}
	return pose
}

// locomotion is a player's gait as others see it: the stride distance, and the progress into the stance
// that Game.Pose returns. Every simulated move counts, including gap fills and server-driven ones.
// A teleport or an impulse of the game does not.
type locomotion struct {
	stride float64 // metres, as Sample.StrideDistance
	stance track.Stance
	begun  bool
}

// update records a move that lasted d, from one pose to the next, each in the frame of its
// base.
func (l *locomotion) update(from, to *track.Sample, d clock.Micros) {
	if !l.begun || from.Life != to.Life || from.Teleport != to.Teleport {
		*l = locomotion{stride: l.stride, stance: to.Stance, begun: true} // nothing fades from the stance before
		return
	}
	l.stance = l.stance.Towards(to.Stance, d)
	delta := to.Position.Sub(from.Position)
	if from.Base != to.Base { // the positions are in two frames
		delta = to.Velocity.Mul(d.Seconds())
	}
	if delta = delta.Flat(to.UpVector()); delta.LenSq() > 0 {
		// 0 means an entity that does not walk, so a stride that wraps skips it.
		l.stride = max(track.WrapStride(l.stride+delta.Len()), 1./track.StrideScale)
	}
}

// apply fills in what others see of it.
func (l *locomotion) apply(pose *track.Sample) {
	if pose.StrideDistance = l.stride; l.begun {
		pose.Stance = l.stance
	}
}

// clipStart is a player's clip, and when it began as others see it. Poses are seen later than their
// commands' stamps, so the start of a clip is shifted by as much as its first pose: otherwise the clip
// would skip its beginning.
type clipStart struct {
	clip         uint8
	began, shown clock.Micros // by the command's stamp; for others
}

// update records the pose after a move that others see so much later than its command's
// stamp.
func (m *clipStart) update(pose *track.Sample, later clock.Micros) {
	switch {
	case pose.ClipAt == 0:
		*m = clipStart{}
	case !m.playedBy(pose):
		*m = clipStart{pose.Clip, pose.ClipAt, pose.ClipAt + later}
	}
}

// playedBy reports whether a pose plays the clip.
func (m *clipStart) playedBy(pose *track.Sample) bool {
	return pose.Clip == m.clip && pose.ClipAt == m.began
}
