package shot

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// Limits bounds how much past a shot may ask for.
type Limits struct {
	// Cap is the longest round trip that is compensated (HIT-12, threats 21).
	// Zero means 250 ms.
	Cap clock.Micros
	// Interpolation is the longest view delay that is granted on top of it. Zero
	// means 250 ms, which is remote.MaxDelay.
	Interpolation clock.Micros
	// Tick is the time between ticks; zero means 1/60 s.
	Tick clock.Micros
	// Slack is granted besides, for what the round trip's estimate lags behind.
	// Zero means one tick more.
	Slack clock.Micros
	// Burst is how many shots beyond rate × elapsed the server's clock lets pass,
	// for commands that arrive in a heap. Zero means 2 (threats 19).
	Burst int
	// Beyond says what becomes of shots whose round trip is over the cap; zero is Capped.
	Beyond Beyond
	// Cover is for how long at most somebody who has got behind cover can still be hit:
	// no death behind cover later than that. Zero protects nobody.
	Cover clock.Micros
	// Evades reports whether somebody is in a state that old shots do not hurt, as the
	// newest record has them: a dodge. Nil is nobody.
	Evades func(*track.Sample) bool
	// Seed is the match's, which every client knows, and Secret the server's own: what
	// Spread is drawn from.
	Seed, Secret uint64
}

// filled returns l with its zeros replaced.
func (l Limits) filled() Limits {
	set := func(v *clock.Micros, d clock.Micros) {
		if *v == 0 {
			*v = d
		}
	}
	set(&l.Cap, 250*clock.Millisecond)
	set(&l.Interpolation, 250*clock.Millisecond)
	set(&l.Tick, clock.TickTime(1, 60))
	set(&l.Slack, l.Tick)
	if l.Burst == 0 {
		l.Burst = 2
	}
	return l
}

// Oldest returns the oldest view time that is granted at match time now to a
// shooter whose measured round trip is rtt:
// now − (min(rtt, Cap) + Interpolation + Tick + Slack).
func (l Limits) Oldest(now, rtt clock.Micros) clock.Micros {
	l = l.filled()
	return now - (min(max(rtt, 0), l.Cap) + l.Interpolation + l.Tick + l.Slack)
}

// Shooter is what the server remembers of one player's shots. The zero Shooter
// has fired none. It holds for one command numbering: start anew where a player
// joins again and counts from the beginning.
type Shooter struct {
	last  uint32                   // number of the last shot judged
	ready [MaxWeapons]clock.Micros // when a shot at the weapon's exact rate would be due
	fired bool
	swung Swung
}

// Shot is what a Judge is asked: a claim and what the server knows about it.
type Shot struct {
	Number  uint32   // of the command that fired
	Shooter track.ID // left out of the targets (GAP-44, GAP-49)
	// Told is what the shooter's client was told of others; nil is everything.
	Told  *track.Told
	Claim Claim
	// Eye is the shot's origin: the shooter's eye before that command, as the
	// server simulated it (GAP-47, HIT-14).
	Eye geom.Vec3
	// Alive is whether the shooter was alive before that command.
	Alive bool
	// Use is what the game made of the wish: where the weapon did not fire after all, for
	// want of a round or of time, the shooter thinks it did, and must be told.
	Use Use
	Now clock.Micros // match time of the tick
	RTT clock.Micros // the shooter's round trip as the server measured it
}

// Judge says what came of shots. Make one with NewJudge; it keeps scratch, so
// one Judge serves one goroutine.
type Judge struct {
	weapons Table
	history *rewind.History
	limits  Limits
	scene   *rewind.Scene  // of the last shot
	targets []track.Entity // of it
	caster  Caster
	flight  Flight
}

// NewJudge returns a judge by this weapon table, which must not change, this
// history and these looks, nil for rewind.NewScene's. Zeros in limits are replaced. The weapon is looked up when the shot is
// judged, in the tick that simulated it, so no later change of hands matters
// (GAP-69).
func NewJudge(weapons Table, history *rewind.History, looks rewind.Looks, limits Limits) *Judge {
	return &Judge{
		weapons: weapons, history: history, limits: limits.filled(), scene: rewind.NewScene(looks),
		caster: Caster{Seed: limits.Seed, Secret: limits.Secret},
	}
}

// Flight is the projectile of the last shot that was Launched: to be advanced, tick by tick,
// until it bursts; then see Judge.Burst.
func (j *Judge) Flight() Flight { return j.flight }

// Burst returns the second receipt of a shot whose flight has ended, for the game to Settle:
// by the present of those whom it hurt (Limits.Cover, Evades).
func (j *Judge) Burst(w *collide.View, b *Burst) Receipt {
	return Receipt{Shot: b.Shot, Shooter: b.Shooter, Weapon: b.Weapon, ViewAsked: b.View, ViewGranted: b.View}
}

// Judge returns the verdict on a shot, cast in the world of w against what the
// shooter drew: others at the view time, moving bodies and their riders at the
// platform time (GAP-46); w's own instant and obstacles do not matter. Call it for every command whose Ammo fired, after the tick was
// recorded (GAP-60), with the shooter's memory s. For a hit, call Receipt.Settle
// with the target's present before dealing damage. Nothing but s changes: not the
// history, and no character (REW-07).
func (j *Judge) Judge(w *collide.View, s *Shooter, shot *Shot) Receipt {
	c := &shot.Claim
	j.targets = j.targets[:0]
	r := Receipt{Shot: shot.Number, Shooter: shot.Shooter, Weapon: c.Weapon, ViewAsked: c.View.At}
	if r.Reason = j.refuse(s, shot); r.Reason != NoReason {
		return r
	}
	view, reason := j.grant(shot)
	if r.Reason = reason; reason != NoReason {
		return r
	}
	targets, err := j.history.View(view, shot.Told, w.World, shot.Shooter, j.targets[:0])
	j.targets = targets
	if err != nil {
		r.Reason = Forgotten
		return r
	}
	weapon := &j.weapons[c.Weapon]
	r.ViewGranted = view.At
	j.scene.Show(collide.View{World: w.World, At: view.Platform}, targets)
	met := j.caster.Cast(j.scene, weapon, &Leaves{shot.Shooter, shot.Number, shot.Eye, c, shot.Use}, &s.swung)
	r.take(&met)
	r.Agrees = r.Outcome.Mark == c.Saw && (c.Sum == 0 || c.Sum == met.Sum())
	return r
}

// Targets are what the last shot was cast against, none where it was refused:
// valid until the next Judge.
func (j *Judge) Targets() []track.Entity { return j.targets }

// refuse returns why a shot is not judged at all whatever its view, or NoReason.
// A shot that gets past it has used up its number and its place in the rate of
// fire.
func (j *Judge) refuse(s *Shooter, shot *Shot) Reason {
	switch {
	case int(shot.Claim.Weapon) >= len(j.weapons):
		return UnknownWeapon
	case !shot.Alive:
		return ShooterDead
	case !shot.Use.Fired:
		return NotReady
	case s.fired && shot.Number <= s.last:
		return Replayed
	case !s.take(shot.Number, shot.Claim.Weapon, shot.Now, j.weapons[shot.Claim.Weapon].Cooldown, j.limits.Burst):
		return TooFast
	}
	return NoReason
}

// take uses up a shot in server time, as a bucket that fills at the weapon's rate
// and holds burst shots beside the one that is due.
func (s *Shooter) take(number uint32, weapon uint8, now, cooldown clock.Micros, burst int) bool {
	due := max(s.ready[weapon], now)
	s.last, s.fired = number, true
	if due-now > cooldown*clock.Micros(burst) {
		return false
	}
	s.ready[weapon] = due + cooldown
	return true
}

// grant returns the view that the shot is judged by: the one it claims, or why it
// may not have that. Both the view time and the newest frame must be young
// enough, or a client could get old poses by denying new frames. Where the round
// trip is over the cap an honest client cannot help being late: it gets the
// oldest view granted, from every frame there is (HIT-12).
func (j *Judge) grant(shot *Shot) (track.View, Reason) {
	v := shot.Claim.View
	v.Platform = max(v.Platform, v.At) // nobody draws bodies before others
	if v.At > shot.Now {
		return v, FutureView
	}
	oldest := j.limits.Oldest(shot.Now, shot.RTT)
	newest := j.history.Frames.Frame(v.Seen.Newest)
	known := newest != nil && j.history.Remembers(v)
	if known && min(v.At, newest.At) >= oldest {
		j.grantHealing(&v, oldest)
		return v, NoReason
	}
	if shot.RTT > j.limits.Cap {
		all := track.Received{Newest: j.history.Frames.Newest(), Mask: 1<<64 - 1}
		at := max(v.At, oldest)
		return track.View{At: at, Platform: max(v.Platform, at), Seen: all}, NoReason
	}
	if !known {
		return v, Forgotten
	}
	return v, OldView
}

// grantHealing takes what a view goes over from out of it where that is not plausible: an
// honest client had nothing newer up to track.Heal ago, so it may be older by that and no
// more. (Who heals after a silence so long that its views were refused meanwhile is judged
// as if it did not.)
func (j *Judge) grantHealing(v *track.View, oldest clock.Micros) {
	before := j.history.Frames.Frame(v.Before.Newest)
	if !v.Healing() || before == nil || before.At < oldest-track.Heal || !j.history.Remembers(track.View{Seen: v.Before}) {
		v.Before, v.Healed = track.Received{}, 0
	}
}

// Rays are what each ray of the last shot met, in the order of Directions: none of a shot
// that was refused or has no rays. They are good until the next.
func (j *Judge) Rays() []rewind.Outcome { return j.caster.Rays() }
