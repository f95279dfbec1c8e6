package shot

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

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
	Now    clock.Micros // match time of its arrival, at most that of the tick that judges it
	// Present judges it at the present, without lag compensation, whatever Limits.MaxRewind is.
	Present bool
	// Age is the largest age of the view of an honest shot that arrives now.
	Age ViewAge
}

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
// of characters; nil means those of rewind.NewScene. The weapon is
// looked up in the tick that simulated the shot, so a later change of weapon does not matter
// (GAP-69).
func NewJudge(weapons Table, history *rewind.History, hitboxes rewind.HitboxProvider, limits Limits) *Judge {
	return &Judge{
		weapons: weapons, history: history, limits: limits, scene: rewind.NewScene(hitboxes),
		caster: Caster{Seed: limits.Seed, Secret: limits.Secret}, empty: true,
	}
}

// Judge returns the verdict on a shot, cast in the world of w into the view that the shooter drew:
// other characters at view time, movers and their riders at platform time (GAP-46). The
// instant and obstacles of w do not matter. Call it for every command with FireResult.Fired,
// after the tick was recorded (GAP-60), with the shooter's state s. Before dealing damage, call
// Receipt.ConfirmDamage for each damage event. Judge changes nothing but s: neither the history
// nor any character (REW-07).
//
// The verdict on a projectile is Launched: Flight returns it, and when it has ended Detonate
// returns the second receipt of the shot.
func (j *Judge) Judge(w *collide.WorldAt, s *FireState, shot *Shot) Receipt {
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
		r.ViewGranted, r.Verdict, r.Agrees = view.At, Launched, true
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
	// The server catches a projectile up from its launch: without this bound a client could hold a
	// command back and have the projectile arrive at once.
	earliest := shot.Now - (shot.Age.linkAge(j.limits.rewindLimit(w).link) + shot.Age.displayed())
	j.flight = Launch(w, s, max(view.Platform, earliest), view.At, j.caster.seed(w))
}

// Flight returns the projectile of the last shot that was Launched. Advance it every tick until it
// ends.
func (j *Judge) Flight() Flight { return j.flight }

// Detonate returns the second receipt of a shot whose flight has ended, for the game to confirm.
// Targets that evade are spared, and a target that was hit directly is spared if it has been
// behind cover from there for too long, as Judge does from the shooter. Cover does not spare a
// target of the blast. Movers that w excludes are no cover; its instant and obstacles do not matter.
func (j *Judge) Detonate(w *collide.WorldAt, b *Detonation) Receipt {
	r := b.Receipt()
	j.spareProtected(collide.WorldAt{World: w.World, Exclude: w.Exclude}, &j.weapons[b.Weapon], b.Point, &r)
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
