package shot

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// FireState is the server's state about one player's shots. The zero FireState has fired none. It is
// for one numbering of commands: use a new one when a player joins again and counts from the
// beginning.
type FireState struct {
	last  uint32                   // number of the last shot judged
	due   [MaxWeapons]clock.Micros // when a shot at the weapon's exact rate is due
	fired bool
	swung SwingState
	// denied says that the current swing began too early; the rest of it is refused too.
	denied bool
}

// refuse returns why a shot is not judged, whatever its view, or NoReason. A shot that passes uses
// up its number and its place in the rate of fire.
func (j *Judge) refuse(s *FireState, shot *Shot) Reason {
	c := &shot.Claim
	switch {
	case int(c.Weapon) >= len(j.weapons):
		return UnknownWeapon
	case !shot.Alive:
		return ShooterDead
	case !shot.Result.Fired:
		return NotReady
	case shot.Result.Weapon != c.Weapon:
		return WrongWeapon
	// Each command is simulated once, so this guards against a game that hands one in twice
	// [HIT-14].
	case s.fired && int32(shot.Number-s.last) <= 0: // numbers wrap
		return Replayed
	}
	s.last, s.fired = shot.Number, true
	if !s.mayFire(&j.weapons[c.Weapon], shot, j.limits.burst()) {
		return TooFast
	}
	return NoReason
}

// mayFire reports whether the rate of fire allows a shot. A swing counts once, with the first of
// its commands.
func (s *FireState) mayFire(w *Weapon, shot *Shot, burst int) bool {
	weapon := shot.Claim.Weapon
	if w.Kind != Melee {
		return s.take(weapon, shot.Now, w.Cooldown, burst)
	}
	if s.swung.begin(w, &shot.Result) {
		s.denied = !s.take(weapon, shot.Now, w.Cooldown, burst)
	}
	return !s.denied
}

// take takes a shot from a token bucket in server time, which fills at the weapon's rate and holds
// burst shots besides the one that is due.
func (s *FireState) take(weapon uint8, now, cooldown clock.Micros, burst int) bool {
	// Counted in the server's time: a client whose clock runs fast fires no faster [THR-19].
	due := max(s.due[weapon], now)
	if due-now > cooldown*clock.Micros(burst) {
		return false
	}
	s.due[weapon] = due + cooldown
	return true
}

// grant returns the view by which the shot is judged: the claimed one, or the reason why that is
// refused. The view time must be plausible. So must the newest snapshot, from which the view may
// be extrapolated by up to track.MaxExtrapolation; otherwise a client could get old poses by
// denying that it received new ones. A view that is plausible and older than MaxRewind is judged
// at MaxRewind, from all snapshots, or at the present, as Beyond says (HIT-12). So is one over a
// link longer than is believed, where even an honest client is late.
func (j *Judge) grant(w *Weapon, shot *Shot) (track.View, Reason) {
	v := shot.Claim.View
	v.Platform = max(v.Platform, v.At) // movers are never drawn earlier than characters
	if j.limits.InterpolatedOnly {
		v.Mode = track.DrawInterpolated
	}
	// After the mode is final, since what a view means depends on it.
	v.Normalize()
	if v.At > shot.Now {
		return v, FutureView
	}
	r := j.limits.rewindLimit(w)
	if shot.Present {
		r = rewindLimit{}
	}
	// MaxRewind counts from the tick that judges, not from the arrival: the time that a shot waits
	// is added to what its victim sees.
	present := j.present(shot)
	allowed := present - r.total
	if j.limits.beyond(w) == Present && (shot.Age.RoundTrip > r.link || v.At < allowed) {
		return j.seesAll(present, present), NoReason
	}
	oldest, stalest := shot.Now-shot.Age.plausible(r.link), shot.Now-shot.Age.plausibleNewest(r.link)
	newest := j.sentSnapshot(shot, v.Seen.Newest)
	known := newest != nil && j.history.Covers(v)
	plausible := known && v.At >= oldest && newest.At >= stalest
	switch over := shot.Age.linkOver(r.link); {
	case plausible && min(v.At, newest.At) >= allowed:
		j.checkBlend(&v, shot, stalest, allowed)
		j.checkArrivals(&v, shot, stalest, allowed)
		return v, NoReason
	case plausible || over:
		at := max(v.At, oldest, allowed)
		return j.seesAll(at, max(v.Platform, at)), NoReason
	case !known:
		return v, Forgotten
	}
	return v, OldView
}

// sentSnapshot returns the snapshot of a tick, nil if it was not recorded or not sent to the shooter. A view that
// names one that was not sent is drawn from older ones, whatever its age.
func (j *Judge) sentSnapshot(shot *Shot, tick uint32) *track.Snapshot {
	if shot.Sent != nil && !shot.Sent.Snapshot(tick).Exists() {
		return nil
	}
	return j.history.Snapshots.Snapshot(tick)
}

// present returns the match time of the tick that judges a shot: that of the newest snapshot.
func (j *Judge) present(shot *Shot) clock.Micros {
	if f := j.history.Snapshots.Snapshot(j.history.Snapshots.Newest()); f != nil {
		return max(f.At, shot.Now)
	}
	return shot.Now
}

// seesAll returns a view of two instants that is drawn from all snapshots around the first.
func (j *Judge) seesAll(at, platform clock.Micros) track.View {
	return track.View{At: at, Platform: platform, Seen: track.Received{Newest: j.newestAround(at), Mask: 1<<64 - 1}}
}

// newestAround returns the newest snapshot of a view of an instant, which may be further back than a view reaches from
// the newest of all: by the longest MaxRewind at 60 ticks a second, by less at more.
func (j *Judge) newestAround(at clock.Micros) uint32 {
	all := j.history.Snapshots
	newest := all.Newest()
	tick := newest
	for n := 0; n < all.Ticks() && tick > 1; n++ {
		if f := all.Snapshot(tick); f != nil && f.At <= at {
			break
		}
		tick--
	}
	// The server may have skipped that tick.
	for tick = min(tick+track.AheadTicks, newest); all.Snapshot(tick) == nil && tick < newest; {
		tick++
	}
	return tick
}

// checkBlend removes the correction blending from a view where it is implausible. Blending starts
// up to track.BlendTime ago from the newest snapshot of then, so that may be older than stalest by
// BlendTime and no more. (A client that blends after a silence so long that its views were refused
// meanwhile is judged as if it did not blend.) Nothing is blended from before allowed.
func (j *Judge) checkBlend(v *track.View, shot *Shot, stalest, allowed clock.Micros) {
	before := j.sentSnapshot(shot, v.BlendFrom.Newest)
	if !v.Blending() || before == nil || before.At < max(stalest-track.BlendTime, allowed) || !j.history.Covers(track.View{Seen: v.BlendFrom}) {
		v.BlendFrom, v.BlendAt = track.Received{}, 0
	}
}

// checkArrivals cuts the arrival times of a view where the snapshot before an arrival is none that the view has
// received, or older than is plausible: older than a view of that instant may be, with track.BlendTime in addition
// as for blending, since this command may have travelled longer; or older than allowed.
func (j *Judge) checkArrivals(v *track.View, shot *Shot, oldest, allowed clock.Micros) {
	for i := 0; ; i++ {
		at, before, ok := v.Arrival(i)
		if !ok {
			return
		}
		f := j.sentSnapshot(shot, before)
		if f == nil || !v.Seen.Has(before) || f.At < max(oldest-(v.At-at)-track.BlendTime, allowed) {
			v.Cut(i)
			return
		}
	}
}
