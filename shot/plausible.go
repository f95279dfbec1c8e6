package shot

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// Shooter is what the server remembers of one player's shots. The zero Shooter
// has fired none. It holds for one command numbering: start anew where a player
// joins again and counts from the beginning.
type Shooter struct {
	last  uint32                   // number of the last shot judged
	ready [MaxWeapons]clock.Micros // when a shot at each weapon's exact rate would be due
	fired bool
	swung SwingState
	// denied says that the swing came too fast: the rest of it is, too.
	denied bool
}

// refuse returns why a shot is not judged at all whatever its view, or NoReason.
// A shot that gets past it has used up its number and its place in the rate of
// fire.
func (j *Judge) refuse(s *Shooter, shot *Shot) Reason {
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
	case s.fired && int32(shot.Number-s.last) <= 0: // numbers wrap
		return Replayed
	}
	s.last, s.fired = shot.Number, true
	if !s.mayFire(&j.weapons[c.Weapon], shot, j.limits.Burst) {
		return TooFast
	}
	return NoReason
}

// mayFire reports whether the rate of fire lets a shot through. A swing counts once, with the
// first of its commands.
func (s *Shooter) mayFire(w *Weapon, shot *Shot, burst int) bool {
	weapon := shot.Claim.Weapon
	if w.Kind != Melee {
		return s.take(weapon, shot.Now, w.Cooldown, burst)
	}
	if s.swung.begin(shot.Result.Swing) {
		s.denied = !s.take(weapon, shot.Now, w.Cooldown, burst)
	}
	return !s.denied
}

// take uses up a shot in server time, as a bucket that fills at the weapon's rate
// and holds burst shots beside the one that is due.
func (s *Shooter) take(weapon uint8, now, cooldown clock.Micros, burst int) bool {
	due := max(s.ready[weapon], now)
	if due-now > cooldown*clock.Micros(burst) {
		return false
	}
	s.ready[weapon] = due + cooldown
	return true
}

// grant returns the view that the shot is judged by: the one it claims, or why it
// may not have that. The view time must be young enough, and so must the newest frame,
// which a picture is carried on from by up to track.MaxExtrapolation: or a client could get old
// poses by denying new frames. Where the line is longer than the cap an honest client
// cannot help being late: it gets the oldest view granted, from every frame there is, or
// the present (HIT-12).
func (j *Judge) grant(w *Weapon, shot *Shot) (track.View, Reason) {
	v := shot.Claim.View
	v.Platform = max(v.Platform, v.At) // nobody draws bodies before others
	if j.limits.InterpolatedOnly {
		v.Mode = track.DrawInterpolated
	}
	v.Normalize()
	if v.At > shot.Now {
		return v, FutureView
	}
	limits := j.limits.of(w)
	all := track.Received{Newest: j.history.Snapshots.Newest(), Mask: 1<<64 - 1}
	if shot.Age.RoundTrip > limits.Cap && limits.Beyond == Present {
		return track.View{At: shot.Now, Platform: shot.Now, Seen: all}, NoReason
	}
	oldest, stalest := shot.Now-shot.Age.Within(limits), shot.Now-shot.Age.WithinNewest(limits)
	newest := j.history.Snapshots.Snapshot(v.Seen.Newest)
	known := newest != nil && j.history.Covers(v)
	if known && v.At >= oldest && newest.At >= stalest {
		j.grantHealing(&v, stalest)
		j.grantArrivals(&v, stalest)
		return v, NoReason
	}
	if shot.Age.over(limits.Cap) {
		at := max(v.At, oldest)
		return track.View{At: at, Platform: max(v.Platform, at), Seen: all}, NoReason
	}
	if !known {
		return v, Forgotten
	}
	return v, OldView
}

// grantHealing takes what a view goes over from out of it where that is not plausible: an
// honest client had nothing newer up to track.BlendTime ago, so it may be older than the stalest
// newest frame by that and no more. (A client that heals after a silence so long that its
// views were refused meanwhile is judged as if it did not.)
func (j *Judge) grantHealing(v *track.View, stalest clock.Micros) {
	before := j.history.Snapshots.Snapshot(v.BlendFrom.Newest)
	if !v.Blending() || before == nil || before.At < stalest-track.BlendTime || !j.history.Covers(track.View{Seen: v.BlendFrom}) {
		v.BlendFrom, v.BlendAt = track.Received{}, 0
	}
}

// grantArrivals takes those out of a view before which its pictures were drawn from older
// snapshots than is plausible: than a view of that instant would have been granted, and by
// track.BlendTime more, as with healing, since this command may have been longer on its way.
func (j *Judge) grantArrivals(v *track.View, oldest clock.Micros) {
	for i := 0; ; i++ {
		at, before, ok := v.Arrival(i)
		if !ok {
			return
		}
		f := j.history.Snapshots.Snapshot(before)
		if f == nil || f.At < oldest-(v.At-at)-track.BlendTime {
			v.Cut(i)
			return
		}
	}
}
