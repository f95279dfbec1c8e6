package shot

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// HIT-12, HIT-16, LAG-02: at a MaxRewind of 200 ms a view 201 ms old is judged in the present, one of
// 199 or of exactly 200 as it was drawn; a weapon's own MaxRewind counts for that weapon where it
// is shorter, and Capped is judged at exactly that.
func TestMaxRewind(t *testing.T) {
	h, w := gallery(120)
	now := clock.TickTime(120, 60)
	rifle, sniper := Rifle(), Rifle()
	sniper.LagCompensation = LagCompensation{MaxRewind: 100 * ms, Beyond: Capped}
	pistol := Rifle()
	pistol.LagCompensation = LagCompensation{MaxRewind: 900 * ms, Beyond: Capped}
	for _, c := range []struct {
		weapon uint8
		rtt    clock.Micros // the view is 60 ms older
		view   clock.Micros // granted, before now
		hit    bool
	}{
		{0, 139 * ms, 199 * ms, true}, {0, 140 * ms, 200 * ms, true}, {0, 141 * ms, 0, false}, {0, 201 * ms, 0, false}, {0, 900 * ms, 0, false},
		{1, 39 * ms, 99 * ms, true}, {1, 40 * ms, 100 * ms, true}, {1, 50 * ms, 100 * ms, true},
		{1, 150 * ms, 100 * ms, false}, {1, 201 * ms, 100 * ms, false}, {1, 350 * ms, 100 * ms, false},
		{2, 140 * ms, 200 * ms, true}, {2, 350 * ms, 200 * ms, false},
	} {
		j := NewJudge(Table{rifle, sniper, pistol}, h, nil, Limits{MaxRewind: 200 * ms, Beyond: Present})
		shot := honest(1, now, c.rtt)
		shot.Claim.Weapon, shot.Result.Weapon = c.weapon, c.weapon
		r := j.Judge(w, new(FireState), &shot)
		if now-r.ViewGranted != c.view || r.Verdict == Refused || (r.Verdict == Hit) != c.hit {
			t.Errorf("weapon %d, %d ms: verdict %d %q, judged %d ms ago, want %d", c.weapon, c.rtt/ms, r.Verdict, r.Reason, (now-r.ViewGranted)/ms, c.view/ms)
		}
	}
}

// HIT-12: a shot into an older view is judged at exactly MaxRewind at each tick rate, also where that is further back
// than the 64 ticks before the newest snapshot.
func TestMaxRewindAtEachTickRate(t *testing.T) {
	for _, rate := range []int{20, 60, 128, 240, 1000} {
		h, w := rewind.NewHistory(rate, rewind.MaxWindow), &collide.WorldAt{}
		now := 4 * clock.Second
		last := uint32(int64(now) * int64(rate) / int64(clock.Second))
		for tick := uint32(1); tick <= last; tick++ {
			at := clock.TickTime(int64(tick), rate)
			h.Record(tick, at).Add(target, track.Sample{At: at, Pose: track.Pose{Position: strafing(at), Velocity: geom.V(6, 0, 0)}})
		}
		for _, rewound := range []clock.Micros{50 * ms, 300 * ms, 600 * ms} {
			j := NewJudge(Table{Rifle()}, h, nil, Limits{MaxRewind: rewound})
			v := track.View{At: now - rewound - 100*ms, Seen: seen(last - uint32(rate/20))}
			s := Shot{Number: 1, Shooter: shooter, Eye: eye, Alive: true, Result: FireResult{Fired: true}, Now: now, Age: onLine(700 * ms),
				Claim: aimed(strafing(now-rewound).Add(geom.V(0, 1, 0)), v)}
			if r := j.Judge(w, new(FireState), &s); r.Verdict != Hit || now-r.ViewGranted != rewound {
				t.Errorf("%d Hz, MaxRewind %d ms: got verdict %v %v, judged %d ms ago, want a hit where the target was then", rate, rewound/ms, r.Verdict, r.Reason, (now-r.ViewGranted)/ms)
			}
		}
	}
}

// alley is a gallery at 60 Hz up to tick 120 where the target, at 10 m, runs behind a wall at
// 6 m/s: its middle is hidden from x 0 on. It crosses that at the time given.
func alley(hidden clock.Micros) (*rewind.History, *collide.WorldAt) {
	h := rewind.NewHistory(60, 0)
	for tick := uint32(1); tick <= 120; tick++ {
		at := clock.TickTime(int64(tick), 60)
		h.Record(tick, at).Add(target, track.Sample{
			At:       at,
			Pose:     track.Pose{Position: geom.V(6*(at-hidden).Seconds(), 0, -10), Velocity: geom.V(6, 0, 0)},
			GameData: track.GameData{Life: 4},
		})
	}
	var b collide.Builder
	b.Box(geom.V(5, 2, -8), geom.V(5, 2, 0.1), geom.IdentityQuat, collide.Surface{})
	w := b.MustBake()
	return h, &collide.WorldAt{World: w}
}

// "No deaths behind cover later than X": with a cover of 150 ms somebody who has been wholly
// out of the shooter's sight for less is still hit, one that has been for longer is not; without
// one both are. A player that comes out again in between is no longer protected. A shot at one that stands in
// the open is not affected.
func TestCover(t *testing.T) {
	now, rtt := clock.TickTime(120, 60), 200*ms
	for _, c := range []struct {
		name   string
		hidden clock.Micros // since its middle is behind the wall
		cover  clock.Micros
		own    clock.Micros // the weapon's
		want   Reason
	}{
		{"in the open", -clock.Second, 150 * ms, 0, NoReason},
		{"half behind it", 20 * ms, 150 * ms, 0, NoReason},
		{"behind it for 100 ms", 160 * ms, 150 * ms, 0, NoReason},
		{"behind it for 100 ms, and may not be for 50", 160 * ms, 50 * ms, 0, Covered},
		{"behind it for 100 ms, and may not by the weapon", 160 * ms, 0, 50 * ms, Covered},
		{"behind it for 145 ms", 205 * ms, 150 * ms, 0, NoReason},
		{"behind it for 155 ms", 215 * ms, 150 * ms, 0, Covered},
		{"behind it for 155 ms, and nothing says so", 215 * ms, 0, 0, NoReason},
	} {
		h, w := alley(now - c.hidden)
		rifle := Rifle()
		rifle.LagCompensation.Cover = c.own
		j := NewJudge(Table{rifle}, h, nil, Limits{Cover: c.cover})
		shot := honest(1, now, rtt)
		// 60 ms before his middle reaches the wall he is seen; the view is 210 ms old at least.
		view := shot.Claim.View
		view.At = min(view.At, now-c.hidden-60*ms)
		at := geom.V(6*(view.At-(now-c.hidden)).Seconds(), 1, -10)
		shot.Claim = aimed(at, view)
		r := j.Judge(w, new(FireState), &shot)
		if r.Verdict != Hit || r.Reason != c.want || !r.Agrees || r.Events[0].Reason != c.want || (r.Damage == 0) != (c.want != NoReason) {
			t.Errorf("%s: verdict %d %q, damage %d; want a hit, %q", c.name, r.Verdict, r.Reason, r.Damage, c.want)
		}
	}
}

// A victim that is in a state that evades, as the newest record has it, is not hurt by shots
// from before; another life of his is none of it. [GAP-50]
func TestEvades(t *testing.T) {
	dodges := func(s *track.Sample) bool { return s.Mode == 7 }
	for _, c := range []struct {
		mode uint8
		life uint8
		want Reason
	}{{0, 4, NoReason}, {7, 4, Evaded}, {7, 5, NoReason}} {
		h, w := gallery(119)
		now := clock.TickTime(120, 60)
		h.Record(120, now).Add(target, track.Sample{
			At:       now,
			Pose:     track.Pose{Position: strafing(now), Velocity: geom.V(6, 0, 0), Mode: c.mode},
			GameData: track.GameData{Life: c.life},
		})
		j := NewJudge(Table{Rifle()}, h, nil, Limits{Evades: dodges})
		shot := honest(1, now, 100*ms)
		r := j.Judge(w, new(FireState), &shot)
		if r.Verdict != Hit || r.Events[0].Reason != c.want || (r.Damage == 0) != (c.want == Evaded) {
			t.Errorf("mode %d, life %d: %+v", c.mode, c.life, r)
		}
	}
}

// A blast goes as far as it does: a player reached by it and not struck is not asked whether it
// could be seen from where it went off, and does evade it; one that is struck is asked.
func TestProtectionFromBursts(t *testing.T) {
	h, w := alley(clock.TickTime(120, 60) - 400*ms)
	j := NewJudge(Table{rocket()}, h, nil, Limits{Cover: 100 * ms, Evades: func(s *track.Sample) bool { return s.Mode == 7 }})
	for _, c := range []struct {
		struck bool
		from   geom.Vec3
		want   Reason
	}{{false, geom.V(0, 1, 0), NoReason}, {true, geom.V(0, 1, 0), Covered}, {true, geom.V(2, 1, -10), NoReason}} {
		b := Detonation{Shooter: shooter, Shot: 3, View: clock.Second, Point: c.from}
		b.Hits.EventCount, b.Hits.Events[0], b.Hits.Damage = 1, DamageEvent{Target: target, Life: 4, HitGroup: rig.Body, Count: 1, Damage: 60}, 60
		if c.struck {
			b.Hits.Outcome.HitTarget = rewind.HitTarget{Kind: rewind.Player, Target: target, Hitbox: 1, HitGroup: rig.Body}
		}
		if r := j.Detonate(w, &b); r.Verdict != Hit || r.Reason != c.want || (r.Damage == 60) != (c.want == NoReason) {
			t.Errorf("struck %v from %v: %+v", c.struck, c.from, r)
		}
	}
}
