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
	// Cap is the longest line that is compensated, ViewAge.Line (HIT-12, THR-21).
	// Zero means 250 ms.
	Cap clock.Micros
	// MaxRewind bounds how old any view may be, whatever explains it. Zero means 600 ms.
	MaxRewind clock.Micros
	// InterpolatedOnly has views that claim to be drawn in another way than between samples
	// (track.DrawMode) judged as if they were not.
	InterpolatedOnly bool
	// Burst is how many shots beyond rate × elapsed the server's clock lets pass,
	// for commands that arrive in a heap. Zero means 2 (THR-19).
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
	set(&l.MaxRewind, 600*clock.Millisecond)
	if l.Burst == 0 {
		l.Burst = 2
	}
	return l
}

// ViewAgeMargin is how much older a view may be than its ViewAge explains: what a server's
// estimates are behind those of its client.
const ViewAgeMargin = 40 * clock.Millisecond

// ViewAge is how old the view of an honest shot is at most when the shot comes, term by
// term, as the server explains it (HIT-16).
type ViewAge struct {
	// RoundTrip is the shooter's round trip without jitter.
	RoundTrip clock.Micros
	// Line is what its line adds: the round trip, and what jitter and losses on the way down
	// add to the view delay. Late is what they cost this shot on the way up. A client that
	// acknowledges late makes the one longer, one that sends late the other; Limits.Cap
	// bounds both together.
	Line, Late clock.Micros
	// Delay is the view delay of a client without a line: the interval of snapshots and
	// the age of what they tell.
	Delay clock.Micros
	// DisplayTime is for how long the picture that was aimed at had been on the screen, up to
	// MaxShown.
	DisplayTime clock.Micros
	// Silence is how old the newest snapshot of this client has been of late, at most:
	// where it is longer than Line, pictures were carried on from a frame that is older
	// than the view.
	Silence clock.Micros
}

// Within returns how old a view of that age may be within the limits:
// min(min(Line+Late, Cap) + Margin + Delay, MaxRewind) + Shown; over a line that is longer
// than the cap without the margin, which is what a line shows that is exactly as long.
func (a ViewAge) Within(l Limits) clock.Micros {
	l = l.filled()
	return min(a.onLine(l.Cap)+a.Delay, l.MaxRewind) + a.shown()
}

// over reports whether the line is longer than a cap.
func (a ViewAge) over(limit clock.Micros) bool { return max(a.Line+a.Late, a.RoundTrip) > limit }

// onLine is what the line explains, with the margin.
func (a ViewAge) onLine(limit clock.Micros) clock.Micros {
	if a.Line > limit {
		return limit
	}
	return min(a.Line+a.Late, limit) + ViewAgeMargin
}

// shown is Shown within its bounds.
func (a ViewAge) shown() clock.Micros { return min(max(a.DisplayTime, 0), MaxDisplayTime) }

// WithinNewest returns how old the newest frame of such a view may be: as old as the view
// and the time that a picture is carried on (track.MaxExtrapolation), or as old as the line's
// silences explain.
func (a ViewAge) WithinNewest(l Limits) clock.Micros {
	view := a.Within(l)
	a.Line = max(a.Line, a.Silence)
	return max(view+track.MaxExtrapolation, a.Within(l))
}

// of returns the limits of a weapon: where its Favour has its own, those.
func (l Limits) of(w *Weapon) Limits {
	if w.LagCompensation.Cap != 0 {
		l.Cap = w.LagCompensation.Cap
	}
	if w.LagCompensation.Beyond != BeyondMatch {
		l.Beyond = w.LagCompensation.Beyond
	}
	if w.LagCompensation.Cover != 0 {
		l.Cover = w.LagCompensation.Cover
	}
	return l
}

// Shot is what a Judge is asked: a claim and what the server knows about it.
type Shot struct {
	Number  uint32   // of the command that fired
	Shooter track.ID // left out of the targets (GAP-44, GAP-49)
	// Sent is what the shooter's client was told of others; nil is everything.
	Sent  *track.SentLog
	Claim Claim
	// Eye is the shot's origin: the shooter's eye before that command, as the
	// server simulated it (GAP-47, HIT-14).
	Eye geom.Vec3
	// Alive is whether the shooter was alive before that command.
	Alive bool
	// Result is what the game made of the wish: where the weapon did not fire after all, for
	// want of a round or of time, the shooter thinks it did, and must be told.
	Result FireResult
	Now    clock.Micros // match time of the tick
	// Age is how old the view of an honest shot may be that came then.
	Age ViewAge
}

// MaxDisplayTime is the longest time for which a view that stays on a screen may still be shot
// into: 550 ms, a frame at 2 frames a second and a tenth more (HIT-15).
const MaxDisplayTime = 550 * clock.Millisecond

// Judge says what came of shots. Make one with NewJudge; it keeps scratch, so
// one Judge serves one goroutine.
type Judge struct {
	weapons Table
	history *rewind.History
	limits  Limits
	scene   *rewind.Scene // of the last shot
	caster  Caster
	flight  Flight
	empty   bool         // whether the last shot was refused
	sample  track.Sample // scratch
}

// NewJudge returns a judge by this weapon table, which must not change, this
// history and these looks, nil for rewind.NewScene's. Zeros in limits are replaced. The
// weapon is looked up when the shot is judged, in the tick that simulated it, so no later
// change of hands matters (GAP-69).
func NewJudge(weapons Table, history *rewind.History, looks rewind.HitboxProvider, limits Limits) *Judge {
	return &Judge{
		weapons: weapons, history: history, limits: limits.filled(), scene: rewind.NewScene(looks),
		caster: Caster{Seed: limits.Seed, Secret: limits.Secret}, empty: true,
	}
}

// Judge returns the verdict on a shot, cast in the world of w against what the
// shooter drew: others at the view time, moving bodies and their riders at the
// platform time (GAP-46); w's own instant and obstacles do not matter. Call it for every
// command whose Use is Fired, after the tick was recorded (GAP-60), with the shooter's
// memory s. Where it hurt somebody, call Receipt.ConfirmDamage for each with the target's present
// before dealing damage. Nothing but s changes: not the history, and no character (REW-07).
//
// A projectile is Launched: Flight is it, and when that has burst Burst is the second
// receipt of the shot.
func (j *Judge) Judge(w *collide.WorldAt, s *Shooter, shot *Shot) Receipt {
	c := &shot.Claim
	j.empty = true
	r := Receipt{Shot: shot.Number, Shooter: shot.Shooter, Weapon: c.Weapon, ViewRequested: c.View.At}
	if r.Reason = j.refuse(s, shot); r.Reason != NoReason {
		return r
	}
	weapon := &j.weapons[c.Weapon]
	view, reason := j.grant(weapon, shot)
	if r.Reason = reason; reason != NoReason {
		return r
	}
	leaves := FireParams{shot.Shooter, shot.Number, shot.Eye, c, shot.Result}
	if weapon.Kind == Projectile {
		j.launch(weapon, &leaves, view, shot)
		r.ViewGranted, r.Verdict = view.At, Launched
		return r
	}
	if j.history.Rebuild(j.scene, view, shot.Sent, w.World, shot.Shooter) != nil {
		r.Reason = Forgotten
		return r
	}
	j.empty = false
	met := j.caster.Cast(j.scene, weapon, &leaves, &s.swung)
	r.ViewGranted = view.At
	r.take(&met)
	r.Agrees = met.Agrees(c)
	j.protect(collide.WorldAt{World: w.World, Exclude: j.scene.World.Exclude}, weapon, shot.Eye, &r)
	return r
}

// launch makes the flight of a projectile. It left when its command began, though no earlier
// than the line explains: a client that holds commands back does not have it appear further on.
func (j *Judge) launch(w *Weapon, s *FireParams, view track.View, shot *Shot) {
	limits := j.limits.of(w)
	earliest := shot.Now - (shot.Age.onLine(limits.Cap) + shot.Age.shown())
	j.flight = Launch(w, s, max(view.Platform, earliest), view.At, j.caster.seed(w))
}

// Flight is the projectile of the last shot that was Launched: to be advanced, tick by tick,
// until it bursts.
func (j *Judge) Flight() Flight { return j.flight }

// Detonate returns the second receipt of a shot whose flight has ended, for the game to Settle.
// Who has dodged since is spared, and who was struck directly and has been behind cover from
// there as Judge spares who is behind cover from the shooter; a blast goes as far as it does.
func (j *Judge) Detonate(w *collide.WorldAt, b *Detonation) Receipt {
	r := b.Receipt()
	j.protect(collide.WorldAt{World: w.World}, &j.weapons[b.Weapon], b.Point, &r)
	return r
}

// Scene is that of the last shot that was judged, empty before: whom it came near, and how
// they were posed, valid until the next Judge. Its Blockers may be set once, before the first.
func (j *Judge) Scene() *rewind.Scene { return j.scene }

// Targets are whom the last shot came so near that they were posed, none where it was
// refused or launched: valid until the next Judge.
func (j *Judge) Targets() []track.Entity {
	if j.empty {
		return nil
	}
	return j.scene.Targets()
}

// Rays are what each ray of the last shot met, in the order of Directions: none of a shot
// that was refused or has no rays. They are good until the next.
func (j *Judge) Rays() []rewind.Outcome { return j.caster.Rays() }
