package shot

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// The range: the shooter's eye at the origin, player 2 strafing at 6 m/s at 10 m,
// since the match began, at 60 Hz.
var eye = geom.V(0, 1.52, 0)

const shooter, target = track.ID(1), track.ID(2)

func strafing(at clock.Micros) geom.Vec3 { return geom.V(6*at.Seconds()-12, 0, -10) }

// gallery returns a history up to the given tick, and a world with a floor.
func gallery(ticks uint32) (*rewind.History, *collide.WorldAt) {
	h := rewind.NewHistory(60, clock.Second)
	for tick := uint32(1); tick <= ticks; tick++ {
		at := clock.TickTime(int64(tick), 60)
		f := h.Record(tick, at)
		f.Add(shooter, track.Sample{At: at, Pose: track.Pose{Position: geom.V(0, 0, 0)}})
		f.Add(target, track.Sample{At: at, Pose: track.Pose{Position: strafing(at), Velocity: geom.V(6, 0, 0)}, GameData: track.GameData{Life: 4}})
	}
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(200, 1, 200), geom.IdentityQuat, collide.Surface{})
	w := b.MustBake()
	return h, &collide.WorldAt{World: w}
}

// at aims a claim at a point.
func aimed(p geom.Vec3, v track.View) Claim {
	d := p.Sub(eye).Unit()
	best := Claim{Fire: true, View: v}
	// A search is enough for a test: 16 bits each, then one refinement.
	yaw, pitch := 0.0, 0.0
	for step := 1.0; step > 1e-6; step *= .7 {
		for _, c := range [][2]float64{{step, 0}, {-step, 0}, {0, step}, {0, -step}} {
			if geom.Look(yaw+c[0], pitch+c[1]).Dot(d) > geom.Look(yaw, pitch).Dot(d) {
				yaw, pitch = yaw+c[0], pitch+c[1]
			}
		}
	}
	best.Yaw, best.Pitch = yaw, pitch
	best.SeenHit = rewind.HitTarget{Kind: rewind.Player, Target: target, Hitbox: rig.HitboxID(rig.Body), HitGroup: rig.Body}
	return best.Quantise()
}

// seen is everything up to a tick.
func seen(newest uint32) track.Received { return track.Received{Newest: newest, Mask: 1<<64 - 1} }

// onLine explains the view of a client with this round trip and no jitter, at 60 Hz.
func onLine(rtt clock.Micros) ViewAge {
	return ViewAge{RoundTrip: rtt, LinkDelay: rtt, Delay: besideLine - ViewAgeMargin - tickTime, DisplayTime: tickTime}
}

// besideLine is what onLine explains beside the round trip, with the margin.
const (
	tickTime   = clock.Second / 60
	besideLine = 90 * ms
)

// honest is a shot of a client with this round trip: what it drew when the
// command left is 60 ms older than the newest snapshot that it had.
func honest(number uint32, now, rtt clock.Micros) Shot {
	newest := uint32(int64(now-rtt) * 60 / int64(clock.Second))
	v := track.View{At: now - rtt - 60*ms, Seen: seen(newest)}
	return Shot{Number: number, Shooter: shooter, Eye: eye, Alive: true, Result: FireResult{Fired: true}, Now: now, Age: onLine(rtt),
		Claim: aimed(strafing(v.At).Add(geom.V(0, 1, 0)), v)}
}

// E2E-07, GAP-41, HIT-02: players with 20, 100 and 180 ms round trips who aim
// exactly at what they drew are confirmed; judged in the present the slowest
// misses by 1.4 m.
func TestHonestShotsAreConfirmed(t *testing.T) {
	h, w := gallery(120)
	now := clock.TickTime(120, 60)
	j := NewJudge([]Weapon{Rifle()}, h, nil, Limits{})
	for _, rtt := range []clock.Micros{20 * ms, 100 * ms, 180 * ms, 250 * ms} {
		var s FireState
		shot := honest(1, now, rtt)
		r := j.Judge(w, &s, &shot)
		if r.Verdict != Hit || !r.Agrees || r.Damage != 25 || r.ViewGranted != shot.Claim.View.At || r.Outcome.Life != 4 {
			t.Errorf("%d ms: %+v", rtt/ms, r)
		}
		shot.Claim.View = track.View{At: now, Seen: seen(120)}
		if r = j.Judge(w, new(FireState), &shot); r.Verdict != Miss || r.Agrees {
			t.Errorf("%d ms, in the present: %+v", rtt/ms, r)
		}
	}
}

// HIT-14, HIT-16, GAP-42, GAP-47, GAP-50: what is refused, and why. Each case changes one
// thing of an honest shot. [HIS-06]
func TestRefusals(t *testing.T) {
	h, w := gallery(120)
	now := clock.TickTime(120, 60)
	oldest := now - oldestView(onLine(100*ms), Limits{})
	if want := now - 100*ms - besideLine; oldest != want {
		t.Fatalf("oldest view %d, want %d", oldest, want)
	}
	for _, c := range []struct {
		name   string
		change func(s *Shot)
		want   Reason
	}{
		{"nothing", func(s *Shot) {}, NoReason},
		{"a weapon that is not there", func(s *Shot) { s.Claim.Weapon = 1 }, UnknownWeapon},
		{"a dead shooter", func(s *Shot) { s.Alive = false }, ShooterDead},
		{"a view of now", func(s *Shot) { s.Claim.View.At = now }, NoReason},
		{"a view of the future", func(s *Shot) { s.Claim.View.At = now + 1 }, FutureView},
		{"the oldest view", func(s *Shot) { s.Claim.View.At = oldest }, NoReason},
		{"an older view", func(s *Shot) { s.Claim.View.At = oldest - 1 }, OldView},
		{"a frame that may be carried on to there", func(s *Shot) { s.Claim.View.Seen.Newest = 120 - 17 }, NoReason},
		{"an older frame", func(s *Shot) { s.Claim.View.Seen.Newest = 120 - 18 }, OldView},
		{"one that the line's silences explain", func(s *Shot) { s.Claim.View.Seen.Newest, s.Age.Silence = 120-19, 240*ms }, NoReason},
		{"one that they do not", func(s *Shot) { s.Claim.View.Seen.Newest, s.Age.Silence = 120-20, 240*ms }, OldView},
		{"one that they would, but for the cap", func(s *Shot) { s.Claim.View.Seen.Newest, s.Age.Silence = 120-21, 400*ms }, OldView},
		{"a frame that has not been", func(s *Shot) { s.Claim.View.Seen.Newest = 121 }, Forgotten},
		{"a frame long gone", func(s *Shot) { s.Claim.View.Seen.Newest = 30 }, Forgotten},
		{"no frame at all", func(s *Shot) { s.Claim.View.Seen = track.Received{} }, Forgotten},
	} {
		shot := honest(1, now, 100*ms)
		c.change(&shot)
		j := NewJudge([]Weapon{Rifle()}, h, nil, Limits{})
		r := j.Judge(w, new(FireState), &shot)
		if r.Reason != c.want || (r.Verdict == Refused) != (c.want != NoReason) {
			t.Errorf("%s: %v, verdict %d; want %q", c.name, r.Reason, r.Verdict, c.want)
		}
		if r.Verdict == Refused && (r.Damage != 0 || r.Agrees || r.Outcome != (rewind.Outcome{}) || r.ViewGranted != 0) {
			t.Errorf("%s: refused and yet %+v", c.name, r)
		}
	}
}

// A shot into a picture that heals is judged in it: between what the frames before said
// and what came. A client that names frames older than it could still have had, that does
// so for longer, or that says it had newer ones before, gets no older target for it: it is
// judged as if nothing healed. [GAP-42]
func TestShotsIntoAHealingPicture(t *testing.T) {
	h, w := gallery(120)
	now, rtt := clock.TickTime(120, 60), 100*ms
	stalest := now - onLine(rtt).plausibleNewest(LinkCredit)
	first := uint32(int64(stalest-track.BlendTime)*60/int64(clock.Second)) + 1 // that may be the newest before
	for _, c := range []struct {
		name   string
		change func(v *track.View)
		blends bool
	}{
		{"healing", func(v *track.View) {}, true},
		{"from the oldest that could be", func(v *track.View) { v.BlendFrom = seen(first) }, true},
		{"from an older one", func(v *track.View) { v.BlendFrom = seen(first - 1) }, false},
		{"from a newer one", func(v *track.View) { v.BlendFrom = seen(v.Seen.Newest + 1) }, false},
		{"from none", func(v *track.View) { v.BlendFrom = track.Received{} }, false},
		{"for too long", func(v *track.View) { v.BlendAt = v.At - track.BlendTime }, false},
		{"before the news", func(v *track.View) { v.BlendAt = v.At + 1 }, false},
	} {
		shot := honest(1, now, rtt)
		v := &shot.Claim.View
		v.BlendFrom, v.BlendAt = seen(first+2), v.At-track.BlendTime/2
		c.change(v)
		plain := *v
		plain.BlendFrom, plain.BlendAt = track.Received{}, 0
		j := NewJudge([]Weapon{Rifle()}, h, nil, Limits{})
		r := j.Judge(w, new(FireState), &shot)
		if r.Reason != NoReason || len(j.Targets()) != 1 {
			t.Fatalf("%s: %+v", c.name, r)
		}
		bare, _ := h.Entities(plain, nil, w.World, shooter, nil)
		if off := j.Targets()[0].Position.Dist(bare[0].Position); (off > .01) != c.blends {
			t.Errorf("%s: judged %.3f m from where it is without, want healing %v", c.name, off, c.blends)
		}
		if want, _ := h.Entities(*v, nil, w.World, shooter, nil); c.blends && j.Targets()[0] != want[0] {
			t.Errorf("%s: judged at %v, drawn at %v", c.name, j.Targets()[0].Position, want[0].Position)
		}
	}
}

// A shooter whose client was not sent a player, or was sent its removal, cannot hit it; one that
// was sent it long ago hits it where it was then.
func TestOnlyWhoWasToldIsHit(t *testing.T) {
	h, w := gallery(120)
	now := clock.TickTime(120, 60)
	for _, c := range []struct {
		name       string
		last, gone uint32 // ticks; 0: none
		targets    int
	}{
		{"told in each", 120, 0, 1}, {"told half a second ago", 90, 0, 1}, {"never told", 0, 0, 0},
		{"told too long ago", 40, 0, 0}, {"told gone since", 100, 105, 0},
	} {
		told := track.NewSentLog(h.Snapshots.Ticks())
		for tick := uint32(1); tick <= 120; tick++ {
			told.Begin(tick)
			if tick <= c.last {
				told.Add(tick, target)
			}
			if tick == c.gone {
				told.AddRemoved(tick, target)
			}
		}
		shot := honest(1, now, 100*ms)
		shot.Sent = told
		j := NewJudge([]Weapon{Rifle()}, h, nil, Limits{})
		r := j.Judge(w, new(FireState), &shot)
		all, _ := h.Entities(shot.Claim.View, told, w.World, shooter, nil)
		if len(all) != c.targets || (r.Verdict == Hit) != (c.last == 120) || len(j.Targets()) > c.targets {
			t.Errorf("%s: %d targets, verdict %d", c.name, len(all), r.Verdict)
		}
	}
}

// A match whose clients draw between samples need not believe one that says it carries
// others on: the target is where its samples have it, and not ahead of them.
func TestViewsThatAreDrawnOtherwise(t *testing.T) {
	h, w := gallery(120)
	for _, c := range []struct {
		limits Limits
		ahead  bool
	}{{Limits{}, true}, {Limits{InterpolatedOnly: true}, false}} {
		shot := honest(1, clock.TickTime(120, 60), 100*ms)
		v := &shot.Claim.View
		v.Mode, v.At = track.DrawLinear, v.At+40*ms
		v.Seen = seen(108)
		between := *v
		between.Mode = track.DrawInterpolated
		j := NewJudge([]Weapon{Rifle()}, h, nil, c.limits)
		list, err := h.Entities(between, nil, w.World, shooter, nil)
		if err != nil || len(list) != 1 {
			t.Fatal(err)
		}
		shot.Claim = aimed(list[0].Position.Add(geom.V(0, 1, 0)), *v)
		j.Judge(w, new(FireState), &shot)
		if got := j.Targets(); len(got) != 1 || (got[0].Position != list[0].Position) != c.ahead {
			t.Errorf("%+v: tested %+v, between samples %v", c.limits, got, list[0].Position)
		}
	}
}

// HIT-14: the same shot twice is judged once; an older number never, also where numbers
// begin again (THR-31). [GAP-54]
func TestReplayedShots(t *testing.T) {
	h, w := gallery(120)
	j := NewJudge([]Weapon{Rifle()}, h, nil, Limits{})
	var s FireState
	for _, c := range []struct {
		number uint32
		want   Reason
	}{{0, NoReason}, {0, Replayed}, {7, NoReason}, {7, Replayed}, {6, Replayed}, {8, NoReason},
		{1<<31 - 1, NoReason}, {8, Replayed}, {1<<32 - 2, NoReason}, {3, NoReason}, {1<<32 - 1, Replayed}} {
		s.due = [MaxWeapons]clock.Micros{} // the rate is not the question here
		shot := honest(c.number, clock.TickTime(120, 60), 50*ms)
		if r := j.Judge(w, &s, &shot); r.Reason != c.want {
			t.Errorf("shot %d: %q, want %q", c.number, r.Reason, c.want)
		}
	}
}

// THR-19: a client that fires in every command, or holds its commands back and
// bursts, gets no more than elapsed/100 ms + 3 shots through in any time; one that
// fires honestly over 30 ms of jitter loses none. [HIT-14]
func TestRateOfFireInServerTime(t *testing.T) {
	const seed = 17
	r := rand.New(rand.NewPCG(seed, 0))
	var s FireState
	var passed []clock.Micros
	number, now := uint32(0), clock.Micros(0)
	for range 20000 {
		if r.IntN(3) == 0 {
			now += clock.Micros(r.Int64N(60000))
		}
		if r.IntN(500) == 0 {
			now += clock.Second
		}
		number++
		if s.take(0, now, 100*ms, 2) {
			passed = append(passed, now)
		}
	}
	for i := range passed {
		for k := i; k < min(i+100, len(passed)); k++ {
			if n, allowed := k-i+1, int((passed[k]-passed[i])/(100*ms))+3; n > allowed {
				t.Fatalf("seed %d: %d shots in %d µs, allowed %d", seed, n, passed[k]-passed[i], allowed)
			}
		}
	}
	s = FireState{}
	arrived := clock.Micros(0)
	for i := range 5000 {
		arrived = max(arrived, clock.Micros(i)*100*ms+clock.Micros(r.Int64N(30000)))
		if i%40 == 39 {
			arrived += 150 * ms // a stall: what follows comes in a heap
		}
		if !s.take(0, arrived, 100*ms, 2) {
			t.Fatalf("seed %d: honest shot %d refused", seed, i)
		}
	}
}

// THR-20, THR-21, HIT-12: a grid of round trip × claimed age, honest frames or
// forged ones: no shot is judged further back than min(line, 250 ms) and what the server
// explains beside it, and where the line is slower than the cap the oldest view granted is what
// counts. Nobody is hit where they were before that.
func TestHowFarBack(t *testing.T) {
	h, w := gallery(120)
	now := clock.TickTime(120, 60)
	var worst clock.Micros
	granted, clamped := 0, 0
	for rtt := clock.Micros(0); rtt <= 900*ms; rtt += 30 * ms {
		bound := min(rtt, 250*ms) + besideLine
		for age := clock.Micros(0); age <= 1500*ms; age += 10 * ms {
			for _, back := range []uint32{0, 5, 20, 40, 60, 80} {
				v := track.View{At: now - age, Seen: seen(120 - back)}
				shot := Shot{Number: 1, Shooter: shooter, Eye: eye, Alive: true, Result: FireResult{Fired: true}, Now: now, Age: onLine(rtt),
					Claim: aimed10(strafing(v.At), v)}
				r := NewJudge([]Weapon{Rifle()}, h, nil, Limits{}).Judge(w, new(FireState), &shot)
				if r.Verdict == Refused {
					continue
				}
				granted++
				worst = max(worst, now-r.ViewGranted)
				if now-r.ViewGranted > bound {
					t.Fatalf("RTT %d ms, view %d ms old: judged %d ms back, want at most %d", rtt/ms, age/ms, (now-r.ViewGranted)/ms, bound/ms)
				}
				if r.ViewGranted != r.ViewRequested {
					if clamped++; rtt <= 250*ms {
						t.Fatalf("RTT %d ms: another view was granted", rtt/ms)
					}
				}
				if r.Verdict == Hit && r.Outcome.Point.X < strafing(now-bound).X-0.35 {
					t.Fatalf("RTT %d ms, view %d ms old, frame %d back: hit at x %v, where nobody was for longer than granted",
						rtt/ms, age/ms, back, r.Outcome.Point.X)
				}
			}
		}
	}
	t.Logf("%d granted, of them %d with a later view; furthest back %d ms", granted, clamped, worst/ms)
}

// aimed10 aims level at a point of the strafing line, quickly.
func aimed10(p geom.Vec3, v track.View) Claim {
	c := aimed(geom.V(p.X, 1, p.Z), v)
	return c
}

// HIT-10, GAP-47, THR-24: whatever the client claims to have hit, verdict and
// damage are the same; only Agrees changes.
func TestClaimsAreComparedNotBelieved(t *testing.T) {
	h, w := gallery(120)
	j := NewJudge([]Weapon{Rifle()}, h, nil, Limits{})
	now := clock.TickTime(120, 60)
	for _, c := range []struct {
		saw    rewind.HitTarget
		aside  float64
		want   Verdict
		agrees bool
	}{
		{rewind.HitTarget{Kind: rewind.Player, Target: target, Hitbox: rig.HitboxID(rig.Body), HitGroup: rig.Body}, 0, Hit, true},
		{rewind.HitTarget{Kind: rewind.Player, Target: target, Hitbox: rig.HitboxID(rig.Head), HitGroup: rig.Head}, 0, Hit, false},
		{rewind.HitTarget{Kind: rewind.Player, Target: 99, Hitbox: rig.HitboxID(rig.Head), HitGroup: rig.Head}, 0, Hit, false},
		{rewind.HitTarget{}, 0, Hit, false},
		{rewind.HitTarget{Kind: rewind.Player, Target: target, Hitbox: rig.HitboxID(rig.Head), HitGroup: rig.Head}, .8, Miss, false},
		{rewind.HitTarget{Kind: rewind.World}, .8, Miss, true},
	} {
		shot := honest(1, now, 80*ms)
		shot.Claim = aimed(strafing(shot.Claim.View.At).Add(geom.V(c.aside, 1, 0)), shot.Claim.View)
		shot.Claim.SeenHit = c.saw
		r := j.Judge(w, new(FireState), &shot)
		want := uint16(0)
		if c.want == Hit {
			want = 25
		}
		if r.Verdict != c.want || r.Agrees != c.agrees || r.Damage != want {
			t.Errorf("saw %+v, aim %v m aside: verdict %d agrees %v damage %d, want %d %v %d", c.saw, c.aside, r.Verdict, r.Agrees, r.Damage, c.want, c.agrees, want)
		}
	}
}

// HIT-10: a head costs 60, a body 25, by the server's table; GAP-49: a player
// that aims at its own feet does not hit itself. [GAP-44, GAP-69]
func TestDamageIsTheServers(t *testing.T) {
	h, w := gallery(120)
	j := NewJudge([]Weapon{Rifle()}, h, nil, Limits{})
	shot := honest(1, clock.TickTime(120, 60), 40*ms)
	shot.Claim = aimed(strafing(shot.Claim.View.At).Add(geom.V(0, 1.6, 0)), shot.Claim.View)
	if r := j.Judge(w, new(FireState), &shot); r.Outcome.HitGroup != rig.Head || r.Damage != 60 {
		t.Errorf("at the head: %+v", r)
	}
	shot.Claim.Pitch = bits.SnapAngle16(-1.5)
	if r := j.Judge(w, new(FireState), &shot); r.Verdict != Miss || r.Outcome.Kind != rewind.World {
		t.Errorf("at their own feet: %+v", r)
	}
}

// GAP-50: the target died, or lives another life, between the picture and now: the
// hit stands and does no damage.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		verdict Verdict
		alive   bool
		life    uint8
		damage  uint16
		reason  Reason
	}{
		{Hit, true, 4, 25, NoReason}, {Hit, false, 4, 0, AlreadyDead}, {Hit, true, 5, 0, AlreadyDead}, {Miss, false, 9, 0, NoReason},
	} {
		r := Receipt{Verdict: c.verdict, Outcome: rewind.Outcome{Life: 4}}
		if c.verdict == Hit {
			r.Damage, r.EventCount, r.Events[0] = 25, 1, DamageEvent{Life: 4, Damage: 25}
			r.ConfirmDamage(0, c.alive, c.life)
		}
		if r.Damage != c.damage || r.Reason != c.reason || r.Verdict != c.verdict {
			t.Errorf("%+v: damage %d %q", c, r.Damage, r.Reason)
		}
	}
}

// GAP-50: a player that was dead in the view is not hit, though alive again now; one that was
// alive in it is.
func TestDeadInThePicture(t *testing.T) {
	h := rewind.NewHistory(60, clock.Second)
	for tick := uint32(1); tick <= 60; tick++ {
		at := clock.TickTime(int64(tick), 60)
		h.Record(tick, at).Add(target, track.Sample{
			At:       at,
			Pose:     track.Pose{Position: geom.V(0, 0, -10)},
			GameData: track.GameData{Dead: tick > 30 && tick <= 45, Life: uint8(tick / 46)},
		})
	}
	_, w := gallery(1)
	now := clock.TickTime(60, 60)
	j := NewJudge([]Weapon{Rifle()}, h, nil, Limits{})
	for tick, want := range map[int64]Verdict{29: Hit, 31: Miss, 40: Miss, 46: Hit} {
		v := track.View{At: clock.TickTime(tick, 60), Seen: seen(50)}
		shot := Shot{Number: 1, Shooter: shooter, Claim: aimed(geom.V(0, 1, -10), v), Eye: eye, Alive: true, Result: FireResult{Fired: true}, Now: now, Age: ViewAge{LinkDelay: 100 * ms, Delay: 500 * ms}}
		if r := j.Judge(w, new(FireState), &shot); r.Verdict != want {
			t.Errorf("view of tick %d: verdict %d (%v), want %d", tick, r.Verdict, r.Reason, want)
		}
	}
}

// HIT-12, HIT-16: the terms of a view's age, and what bounds them: by default LinkCredit bounds
// the link and nothing else; MaxRewind bounds the whole.
func TestWhatExplainsAView(t *testing.T) {
	line := ViewAge{RoundTrip: 80 * ms, LinkDelay: 150 * ms, Delay: 40 * ms, DisplayTime: 16 * ms}
	for _, c := range []struct {
		name   string
		age    ViewAge
		limits Limits
		want   clock.Micros
	}{
		{"nothing", ViewAge{}, Limits{}, ViewAgeMargin},
		{"all of it", line, Limits{}, 206*ms + ViewAgeMargin},
		{"a link above the default's credit", ViewAge{LinkDelay: 900 * ms, Delay: 40 * ms}, Limits{}, 290 * ms},
		{"a link of exactly the default's credit", ViewAge{LinkDelay: 250 * ms, Delay: 40 * ms}, Limits{}, 290*ms + ViewAgeMargin},
		{"a shot that comes late over it", ViewAge{LinkDelay: 250 * ms, UplinkDelay: 50 * ms, Delay: 40 * ms}, Limits{}, 290*ms + ViewAgeMargin},
		{"a MaxRewind above the default's credit of the link", ViewAge{LinkDelay: 400 * ms, Delay: 40 * ms}, Limits{MaxRewind: 500 * ms}, 440*ms + ViewAgeMargin},
		{"MaxRewind 120 ms", line, Limits{MaxRewind: 120 * ms}, 120 * ms},
		{"MaxRewind 120 ms and a slow screen", ViewAge{DisplayTime: 500 * ms}, Limits{MaxRewind: 120 * ms}, 120 * ms},
		{"NoRewind", line, Limits{MaxRewind: NoRewind}, 0},
		{"the default's whole", ViewAge{LinkDelay: 900 * ms, Delay: 900 * ms, DisplayTime: 550 * ms}, Limits{}, LongestRewind},
	} {
		if got := oldestView(c.age, c.limits); got != c.want {
			t.Errorf("%s: %d µs, want %d", c.name, got, c.want)
		}
	}
}

// oldestView is the largest age of a view that a judge accepts.
func oldestView(a ViewAge, l Limits) clock.Micros {
	r := l.rewindLimit(nil)
	return min(a.plausible(r.link), r.total)
}
