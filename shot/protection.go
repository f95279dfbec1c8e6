package shot

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// spareProtected removes the damage to targets that are protected by their present state: targets that
// evade, and targets that have been behind cover from a point for too long.
func (j *Judge) spareProtected(world collide.WorldAt, w *Weapon, from geom.Vec3, r *Receipt) {
	cover := j.limits.cover(w)
	// The usual case, and what follows costs rays.
	if j.limits.Evades == nil && cover <= 0 {
		return
	}
	for i := range r.Events[:r.EventCount] {
		h := &r.Events[i]
		direct := w.Kind != Projectile || h.Target == r.Outcome.Target
		switch {
		case j.evades(h):
			r.spareTarget(i, Evaded)
		case direct && cover > 0 && j.covered(world, h, from, cover):
			r.spareTarget(i, Covered)
		}
	}
}

// evades reports whether a target evades in the newest snapshot.
func (j *Judge) evades(h *DamageEvent) bool {
	newest := j.history.Snapshots.Snapshot(j.history.Snapshots.Newest())
	if j.limits.Evades == nil || newest == nil {
		return false
	}
	s := &j.sample
	// Only in the same life: a respawned target does not evade for its former life.
	return newest.Find(h.Target, s) && s.Life == h.Life && j.limits.Evades(s)
}

// covered reports whether a target was hidden from a point at all recorded instants of the last
// cover microseconds.
func (j *Judge) covered(world collide.WorldAt, h *DamageEvent, from geom.Vec3, cover clock.Micros) bool {
	return HiddenFor(j.history.Snapshots, world, h.Target, h.Life, from, cover) == cover
}

// HiddenFor returns how long a target has been out of sight of the point from, in microseconds, at most limit: since
// the earliest of the recorded ticks, from the newest back, in which nothing of it could be seen. It is 0 for a target
// that is in sight now, or in another life. The instant of world does not matter. LagCompensation.Cover limits this
// time.
func HiddenFor(history *track.SnapshotHistory, world collide.WorldAt, target track.ID, life uint8, from geom.Vec3, limit clock.Micros) (hidden clock.Micros) {
	f := history.Snapshot(history.Newest())
	if f == nil {
		return 0
	}
	view := track.Interpolator{History: history, World: world.World}
	newest, last := f.Tick, f.At
	for tick := newest; hidden < limit && tick > 0 && newest-tick < uint32(history.Ticks()); tick-- {
		if f = history.Snapshot(tick); f == nil {
			continue // the server skipped it
		}
		at := max(f.At, last-limit)
		// Poses are stamped with their command's time, up to two ticks away from the tick that
		// recorded them.
		seen := min(tick+2, newest)
		for history.Snapshot(seen) == nil {
			seen--
		}
		v := track.View{At: at, Platform: at, Seen: track.Received{Newest: seen, Mask: 1<<64 - 1}}
		s, source := view.At(target, v)
		if world.At = at; source == track.Missing || s.Life != life || exposed(&world, from, &s) {
			return hidden
		}
		hidden = last - at
	}
	return hidden
}

// exposed reports whether there is a line of sight from a point to the head or trunk of a
// character: to the middle of each or to either side.
func exposed(world *collide.WorldAt, from geom.Vec3, s *track.Sample) bool {
	body, head := rewind.BodyOutline(s)
	trunk := body.A.Lerp(body.B, 0.5)
	side := trunk.Sub(from).Cross(s.UpVector()).Unit()
	for _, p := range [...]geom.Vec3{
		head.Centre, head.Centre.MulAdd(side, head.Radius), head.Centre.MulAdd(side, -head.Radius),
		trunk, trunk.MulAdd(side, body.Radius), trunk.MulAdd(side, -body.Radius), body.B,
	} {
		if _, hit := world.Ray(from, p.Sub(from)); !hit {
			return true
		}
	}
	return false
}
