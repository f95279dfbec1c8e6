package shot

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// Limits bounds how far into the past shots are judged.
type Limits struct {
	// Cap is the longest link delay that is compensated, ViewAge.LinkDelay (HIT-12, threats
	// 21). Zero means 250 ms.
	Cap clock.Micros
	// MaxRewind bounds the age of any view, whatever its cause. Zero means 600 ms.
	MaxRewind clock.Micros
	// InterpolatedOnly judges every view as interpolated between samples, whatever its
	// track.DrawMode.
	InterpolatedOnly bool
	// Burst is how many shots beyond rate × elapsed server time are accepted, for commands that
	// arrive in bursts. Zero means 2 (THR-19).
	Burst int
	// Beyond selects how shots with a round trip above Cap are judged; zero is Capped.
	Beyond Beyond
	// Cover is the longest time for which a target behind cover can still be hit. Zero protects
	// no target.
	Cover clock.Micros
	// Evades reports whether a target is in a state, such as a dodge, in which old shots do no
	// damage, by its newest sample. Nil protects no target.
	Evades func(*track.Sample) bool
	// Seed and Secret are the seeds of random spread: Seed is that of the match, which every
	// client knows, Secret is the server's own.
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

// ViewAgeMargin is how much older a view may be than its ViewAge: the lag of a server's estimates
// behind those of its client.
const ViewAgeMargin = 40 * clock.Millisecond

// ViewAge is the largest age of the view of an honest shot when it arrives, term by term, as the
// server estimates it (HIT-16).
type ViewAge struct {
	// RoundTrip is the shooter's round trip without jitter.
	RoundTrip clock.Micros
	// LinkDelay is the round trip and what jitter and loss on the downlink add to the view
	// delay. UplinkDelay is the delay that jitter and loss added to this shot on the uplink. A
	// client that acknowledges late raises the first, one that sends late the second;
	// Limits.Cap bounds both together.
	LinkDelay, UplinkDelay clock.Micros
	// Delay is the view delay of a client on a perfect link: the interval of snapshots and the
	// age of their samples.
	Delay clock.Micros
	// DisplayTime is how long the view had been on the screen, of which MaxDisplayTime counts.
	DisplayTime clock.Micros
	// Silence is the largest recent age of this client's newest snapshot. Where it is longer
	// than LinkDelay, views were extrapolated from a snapshot older than the view.
	Silence clock.Micros
}

// Within returns the largest age of a view within the limits: min(min(LinkDelay + UplinkDelay,
// Cap) + ViewAgeMargin + Delay, MaxRewind) + DisplayTime. On a link longer than Cap the margin is
// left out, so that its views get the same age as those of a link of exactly that length.
func (a ViewAge) Within(l Limits) clock.Micros {
	l = l.filled()
	return min(a.linkAge(l.Cap)+a.Delay, l.MaxRewind) + a.displayed()
}

// linkOver reports whether the link delay is longer than a cap.
func (a ViewAge) linkOver(limit clock.Micros) bool {
	return max(a.LinkDelay+a.UplinkDelay, a.RoundTrip) > limit
}

// linkAge returns the age that the link explains, with the margin.
func (a ViewAge) linkAge(limit clock.Micros) clock.Micros {
	// No margin on top of the cap, or a link just above it would get older views than one just
	// below.
	if a.LinkDelay > limit {
		return limit
	}
	return min(a.LinkDelay+a.UplinkDelay, limit) + ViewAgeMargin
}

// displayed returns DisplayTime within its bounds.
func (a ViewAge) displayed() clock.Micros { return min(max(a.DisplayTime, 0), MaxDisplayTime) }

// WithinNewest returns the largest age of the newest snapshot of such a view: that of the view
// plus the longest extrapolation (track.MaxExtrapolation), or the age that silences explain.
func (a ViewAge) WithinNewest(l Limits) clock.Micros {
	view := a.Within(l)
	a.LinkDelay = max(a.LinkDelay, a.Silence)
	return max(view+track.MaxExtrapolation, a.Within(l))
}

// of returns the limits of a weapon, with those of its LagCompensation where it has its own.
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

// Shot is a claim together with what the server knows about it.
type Shot struct {
	Number  uint32   // of the command that fired
	Shooter track.ID // left out of the targets (GAP-44, GAP-49)
	// Sent has the snapshots sent to the shooter's client; nil means everything was sent.
	Sent  *track.SentLog
	Claim Claim // as received
	// Eye is the shot's origin: the shooter's eye before that command, as the
	// server simulated it (GAP-47, HIT-14).
	Eye geom.Vec3
	// Alive is whether the shooter was alive before that command.
	Alive bool
	// Result is the result of Loadout.Step. If the weapon did not fire after all, for lack of a
	// round or of time, the shot is refused and the receipt informs the shooter.
	Result FireResult
	Now    clock.Micros // match time of the tick
	// Age is the largest age of the view of an honest shot that arrives now.
	Age ViewAge
}

// MaxDisplayTime is the longest time for which a view stays valid on a screen: 550 ms, a tenth
// longer than a frame at 2 frames a second (HIT-15).
const MaxDisplayTime = 550 * clock.Millisecond

// Judge returns the verdicts on shots. Make one with NewJudge; it keeps scratch, so one Judge serves
// one goroutine.
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

// NewJudge returns a judge with a weapon table, which must not change, a history, and the hitboxes
// of characters; nil means those of rewind.NewScene. Zeros in limits are replaced. The weapon is
// looked up in the tick that simulated the shot, so a later change of weapon does not matter
// (GAP-69).
func NewJudge(weapons Table, history *rewind.History, hitboxes rewind.HitboxProvider, limits Limits) *Judge {
	return &Judge{
		weapons: weapons, history: history, limits: limits.filled(), scene: rewind.NewScene(hitboxes),
		caster: Caster{Seed: limits.Seed, Secret: limits.Secret}, empty: true,
	}
}

// Judge returns the verdict on a shot, cast in the world of w into the view that the shooter drew:
// other characters at view time, moving bodies and their riders at platform time (GAP-46). The
// instant and obstacles of w do not matter. Call it for every command with FireResult.Fired,
// after the tick was recorded (GAP-60), with the shooter's state s. Before dealing damage, call
// Receipt.ConfirmDamage for each damage event. Judge changes nothing but s: neither the history
// nor any character (REW-07).
//
// The verdict on a projectile is Launched: Flight returns it, and when it has ended Detonate
// returns the second receipt of the shot.
func (j *Judge) Judge(w *collide.WorldAt, s *Shooter, shot *Shot) Receipt {
	c := &shot.Claim
	j.empty = true
	r := Receipt{Shot: shot.Number, Shooter: shot.Shooter, Weapon: c.Weapon, ViewRequested: c.View.At}
	// Before the view is looked at: a refused shot costs no rebuild, whatever it claims.
	if r.Reason = j.refuse(s, shot); r.Reason != NoReason {
		return r
	}
	weapon := &j.weapons[c.Weapon]
	view, reason := j.grant(weapon, shot)
	if r.Reason = reason; reason != NoReason {
		return r
	}
	fire := FireParams{shot.Shooter, shot.Number, shot.Eye, c, shot.Result}
	if weapon.Kind == Projectile {
		j.launch(weapon, &fire, view, shot)
		r.ViewGranted, r.Verdict = view.At, Launched
		return r
	}
	if j.history.Rebuild(j.scene, view, shot.Sent, w.World, shot.Shooter) != nil {
		r.Reason = Forgotten
		return r
	}
	j.empty = false
	hits := j.caster.Cast(j.scene, weapon, &fire, &s.swung)
	r.ViewGranted = view.At
	r.fill(&hits)
	r.Agrees = hits.Agrees(c)
	j.spareProtected(collide.WorldAt{World: w.World, Exclude: j.scene.World.Exclude}, weapon, shot.Eye, &r)
	return r
}

// launch creates the flight of a projectile. It left when its command began, but no earlier than
// the link explains, so a client that holds commands back does not make it appear further ahead.
func (j *Judge) launch(w *Weapon, s *FireParams, view track.View, shot *Shot) {
	limits := j.limits.of(w)
	// The server catches a projectile up from its launch: without this bound a client could hold a
	// command back and have the projectile arrive at once.
	earliest := shot.Now - (shot.Age.linkAge(limits.Cap) + shot.Age.displayed())
	j.flight = Launch(w, s, max(view.Platform, earliest), view.At, j.caster.seed(w))
}

// Flight returns the projectile of the last shot that was Launched. Advance it every tick until it
// ends.
func (j *Judge) Flight() Flight { return j.flight }

// Detonate returns the second receipt of a shot whose flight has ended, for the game to confirm.
// Targets that evade are spared, and a target that was hit directly is spared if it has been
// behind cover from there for too long, as Judge does from the shooter. Cover does not spare a
// target of the blast.
func (j *Judge) Detonate(w *collide.WorldAt, b *Detonation) Receipt {
	r := b.Receipt()
	j.spareProtected(collide.WorldAt{World: w.World}, &j.weapons[b.Weapon], b.Point, &r)
	return r
}

// Scene returns the scene of the last shot that was judged, with the targets near it and their
// poses, valid until the next Judge. It is empty before the first. Its Blockers may be set once,
// before the first Judge.
func (j *Judge) Scene() *rewind.Scene { return j.scene }

// Targets returns the characters so near the last shot that they were posed, none if it was
// refused or launched, valid until the next Judge.
func (j *Judge) Targets() []track.Entity {
	if j.empty {
		return nil
	}
	return j.scene.Targets()
}

// Rays returns what each ray of the last shot hit, in the order of Directions, none for a shot that
// was refused or has no rays, valid until the next Judge.
func (j *Judge) Rays() []rewind.Outcome { return j.caster.Rays() }
