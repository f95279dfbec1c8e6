package shot

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// lance is a melee weapon that is long enough for the gallery.
func lance() Weapon {
	w := sword()
	w.Range, w.Swing.Arc = 12, 0.05
	return w
}

// arsenal is a table of each kind: hitscan, pellets, a blade, a projectile.
func arsenal() Table { return Table{Rifle(), shotgun(), lance(), rocket()} }

// with is a shot with weapon w, the middle of a swing if it is a blade.
func with(shot Shot, w uint8) Shot {
	shot.Claim.Weapon = w
	shot.Result = FireResult{Fired: true, Weapon: w}
	if w == 2 {
		shot.Result.Swing, shot.Result.To = uint8(shot.Number), 1
	}
	return shot
}

// GAP-47, HIT-10, HIT-14: what a client could forge does not exist: a claim has no place for
// damage, origin, radius, range, impact or the targets. A change that adds a field must say here
// why it may be believed.
func TestWhatCannotBeSaid(t *testing.T) {
	want := map[string]string{
		"Fire": "whether there is a shot", "Weapon": "compared with the hand", "Yaw": "the aim", "Pitch": "the aim",
		"View": "bounded by line and delay", "SeenHit": "compared, not believed", "SceneSum": "compared, not believed",
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Claim]()) {
		if want[f.Name] == "" {
			t.Errorf("a claim says %s", f.Name)
		}
	}
}

// THR-20, THR-21, HIT-12: a grid of round trip × claimed age for each kind of weapon: none is
// judged further back than the line, as far as it is believed, and what the server explains
// beside it, or than the weapon's own MaxRewind where it has one; nobody is hit where they were before that. A
// projectile's flight meets nobody further back, either, and begins no earlier than the line,
// the frame and the margin ago.
func TestHowFarBackWithEachKind(t *testing.T) {
	h, w := gallery(120)
	now, table := clock.TickTime(120, 60), arsenal()
	table[1].LagCompensation.MaxRewind = 100 * ms
	for weapon := range table {
		most, whole := LinkCredit, LongestRewind
		if c := table[weapon].LagCompensation.MaxRewind; c != 0 {
			most, whole = c, c
		}
		granted := 0
		for rtt := clock.Micros(0); rtt <= 900*ms; rtt += 60 * ms {
			bound := min(min(rtt, most)+besideLine, whole)
			for age := clock.Micros(0); age <= 1500*ms; age += 50 * ms {
				for _, back := range []uint32{0, 5, 20, 40} {
					v := track.View{At: now - age, Seen: seen(120 - back), Platform: now - age/2}
					shot := with(Shot{Number: 1, Shooter: shooter, Eye: eye, Alive: true, Now: now, Age: onLine(rtt), Claim: aimed10(strafing(v.At), v)}, uint8(weapon))
					shot.Claim.View.Platform = now - age/2
					j := NewJudge(table, h, nil, Limits{})
					r := j.Judge(w, new(FireState), &shot)
					if r.Verdict == Refused {
						continue
					}
					granted++
					if now-r.ViewGranted > bound {
						t.Fatalf("%s, RTT %d ms, view %d ms old: judged %d ms back", table[weapon].Name, rtt/ms, age/ms, (now-r.ViewGranted)/ms)
					}
					if r.Verdict == Hit && r.Outcome.Point.X < strafing(now-bound).X-0.4 {
						t.Fatalf("%s, RTT %d ms: hit at x %v, where nobody was for longer than granted", table[weapon].Name, rtt/ms, r.Outcome.Point.X)
					}
					if f := j.Flight(); r.Verdict == Launched && (now-f.Fired > min(rtt, most)+tickTime+ViewAgeMargin || f.TargetTime(&table[weapon], now) < now-bound || f.ViewLag < 0) {
						t.Fatalf("RTT %d ms, view %d ms old: left %d ms ago, meets everybody %d ms behind", rtt/ms, age/ms, (now-f.Fired)/ms, f.ViewLag/ms)
					}
				}
			}
		}
		if granted < 100 {
			t.Errorf("%s: %d granted", table[weapon].Name, granted)
		}
	}
}

// THR-20: a client cannot get old poses by naming, as the newest snapshot of its view, one that exists and was not
// sent to it, because its link was full, and denying those before. Nor can it by the snapshot that blending starts
// from, or the one before an arrival.
func TestAViewOfASnapshotThatWasNotSent(t *testing.T) {
	h, w := gallery(120)
	now := clock.TickTime(120, 60)
	const unsent, before = 114, 106 // ticks
	sent := track.NewSentLog(h.Snapshots.Ticks())
	for tick := uint32(1); tick <= 120; tick++ {
		if tick != unsent && tick != before {
			sent.Begin(tick)
			sent.Add(tick, target)
		}
	}
	from := func(newest, old uint32) track.Received {
		return track.Received{Newest: newest, Mask: 1 << (newest - old - 1)}
	}
	view := honest(1, now, 100*ms).Claim.View
	blending, arrival, denied := view, view, view
	view.Seen = from(unsent, 54)
	blending.Seen, blending.BlendFrom, blending.BlendAt = seen(unsent-1), from(before, 86), blending.At
	arrival.Seen, arrival.Mode = from(unsent-1, 75), track.DrawExponential
	arrival.AddArrival(arrival.At-16*ms, before)
	denied.Seen, denied.Mode = from(unsent-1, 75), track.DrawExponential
	denied.AddArrival(denied.At-16*ms, before-1) // which was sent
	bound := strafing(now-100*ms-besideLine).X - 0.4
	for name, v := range map[string]track.View{"view": view, "blending": blending, "arrival": arrival, "denied arrival": denied} {
		list, err := h.Entities(v, sent, w.World, shooter, nil)
		if err != nil || len(list) != 1 || list[0].Position.X > bound {
			t.Fatalf("%s: the view has %+v, %v, want the target before x %.1f", name, list, err, bound)
		}
		shot := honest(1, now, 100*ms)
		shot.Sent, shot.Claim = sent, aimed10(list[0].Position, v)
		if r := NewJudge(Table{Rifle()}, h, nil, Limits{}).Judge(w, new(FireState), &shot); r.Verdict == Hit && r.Outcome.Point.X < bound {
			t.Errorf("%s: hit at x %.1f, where nobody was for longer than %.1f", name, r.Outcome.Point.X, bound)
		}
	}
}

// THR-19: a client that strikes in every command, in swings of many parts, or holds commands
// back, gets no more than elapsed/cool-down + 3 swings through in any time; of a swing that
// came too fast no part is judged, and of one that was let through all are.
func TestSwingsInServerTime(t *testing.T) {
	const seed = 92
	r := rand.New(rand.NewPCG(seed, 0))
	h, w := gallery(120)
	table := Table{sword()}
	j := NewJudge(table, h, nil, Limits{})
	var s FireState
	var passed []clock.Micros
	base, now := clock.TickTime(120, 60), clock.Micros(0)
	for swing, number := 1, uint32(0); swing < 400; swing++ {
		if r.IntN(3) == 0 {
			now += clock.Micros(r.Int64N(1500000))
		}
		reasons := map[Reason]int{}
		for part := range 4 {
			number++
			shot := honest(number, base, 100*ms)
			shot.Result = FireResult{Fired: true, Swing: uint8(swing), From: float64(part) / 4, To: float64(part+1) / 4}
			shot.Now = now
			reasons[j.refuse(&s, &shot)]++
		}
		if len(reasons) != 1 {
			t.Fatalf("seed %d: the parts of swing %d: %v", seed, swing, reasons)
		}
		if reasons[NoReason] > 0 {
			passed = append(passed, now)
		}
	}
	for i := range passed {
		for k := i; k < min(i+50, len(passed)); k++ {
			if n, allowed := k-i+1, int((passed[k]-passed[i])/clock.Second)+3; n > allowed {
				t.Fatalf("seed %d: %d swings in %d µs, allowed %d", seed, n, passed[k]-passed[i], allowed)
			}
		}
	}
	if len(passed) < 50 || len(passed) > 350 {
		t.Errorf("%d of 399 passed: too few or too many to mean anything", len(passed))
	}
	_ = w
}

// Each weapon has a rate of its own: a shot of one does not use up another's, and the rates
// hold all the same. A claim of a weapon that is not in hand is refused before it uses any.
// [HIT-14, GAP-69]
func TestEachWeaponHasItsRate(t *testing.T) {
	h, w := gallery(120)
	j := NewJudge(arsenal(), h, nil, Limits{})
	var s FireState
	now := clock.TickTime(120, 60)
	number := uint32(0)
	try := func(weapon, held uint8) Reason {
		number++
		shot := with(honest(number, now, 100*ms), weapon)
		shot.Result.Weapon = held
		return j.Judge(w, &s, &shot).Reason
	}
	for i := range 10 {
		if got := try(0, 1); got != WrongWeapon {
			t.Fatalf("a claim of what is not in hand: %q", got)
		}
		for weapon := range uint8(4) {
			want := NoReason
			if i >= 3 {
				want = TooFast
			}
			if got := try(weapon, weapon); got != want {
				t.Errorf("shot %d of weapon %d: %q, want %q", i+1, weapon, got, want)
			}
		}
	}
}

// HIT-06, E2E-08: 20,000 forged claims, of random bytes and of random numbers, with weapons of
// every kind in random hands: no panic, no damage without a hit, no target hurt that is not there,
// nothing of the history changed; and the next honest shot is judged as ever. [REW-07, GAP-47]
func TestForgedClaims(t *testing.T) {
	const seed = 23
	r := rand.New(rand.NewPCG(seed, 0))
	h, w := gallery(120)
	before := h.Snapshots.Snapshot(100).Entities(nil)
	j := NewJudge(arsenal(), h, nil, Limits{Cover: 100 * ms, Beyond: Present, Evades: func(s *track.Sample) bool { return false }})
	var s FireState
	buf := make([]byte, 40)
	verdicts := map[Verdict]int{}
	for i := range 20000 {
		for k := range buf {
			buf[k] = byte(r.Uint32())
		}
		buf[0] |= 1
		var p bits.Packer
		var c Claim
		p.Read(buf)
		c.Pack(&p)
		if p.Err() != nil {
			c = Claim{Fire: true, Weapon: uint8(r.IntN(8)), Yaw: r.NormFloat64() / 3, View: track.View{At: clock.Micros(r.Int64N(3e6)),
				Platform: clock.Micros(r.Int64N(3e6)), Seen: seen(r.Uint32N(200)), Mode: track.DrawMode(r.IntN(3))}}
		}
		shot := Shot{Number: r.Uint32N(1e6), Shooter: shooter, Claim: c, Eye: eye, Alive: true, Now: clock.TickTime(120, 60), Age: onLine(clock.Micros(r.Int64N(1e6)))}
		shot.Result = FireResult{Fired: r.IntN(20) > 0, Weapon: c.Weapon, Swing: uint8(i), From: r.Float64() / 2, To: r.Float64()}
		if i%3 == 0 {
			s = FireState{}
		}
		got := j.Judge(w, &s, &shot)
		verdicts[got.Verdict]++
		if (got.Damage != 0 || got.EventCount != 0) && got.Verdict != Hit {
			t.Fatalf("seed %d: %+v", seed, got)
		}
		for _, x := range got.Events[:got.EventCount] {
			if x.Target != target || x.Life != 4 {
				t.Fatalf("seed %d: hurt %+v", seed, x)
			}
		}
		if f := j.Flight(); got.Verdict == Launched && !(f.Position == eye && f.Velocity.Finite() && f.ViewLag >= 0) {
			t.Fatalf("seed %d: launched %+v", seed, f)
		}
		packed(t, got.Pack)
	}
	t.Logf("verdicts %v", verdicts)
	if after := h.Snapshots.Snapshot(100).Entities(nil); !slices.Equal(after, before) {
		t.Errorf("the history changed: %+v", after)
	}
	if verdicts[Hit] < 100 || verdicts[Launched] < 100 || verdicts[Miss] < 100 {
		t.Error("too few got through to mean anything")
	}
	shot := honest(2e6, clock.TickTime(120, 60), 100*ms)
	if r := j.Judge(w, new(FireState), &shot); r.Verdict != Hit || !r.Agrees {
		t.Errorf("the next honest shot: %+v", r)
	}
}

// GAP-49, THR-25: a claim that it saw itself, a bystander or nobody hurt changes nothing;
// with a secret spread neither does the shot number that a client might choose: what it can
// draw from the match's seed is not what the server draws. [LAG-05]
func TestASecretSpreadIsNotTheClients(t *testing.T) {
	w := shotgun()
	w.Spread.Secret = true
	c := Claim{Fire: true}.Quantise()
	server, client := Caster{Seed: 1, Secret: 0x5eed}, Caster{Seed: 1}
	same := 0
	for n := range uint32(1000) {
		l := FireParams{Shooter: shooter, Number: n, Claim: &c, Result: FireResult{Fired: true}}
		scene := standing(geom.V(0, 0, -30))
		server.Cast(scene, &w, &l, nil)
		client.Cast(scene, &w, &l, nil)
		for k := range server.Rays() {
			if server.Rays()[k].Point == client.Rays()[k].Point {
				same++
			}
		}
	}
	if same > 0 {
		t.Errorf("%d of 8000 pellets are what a client can know", same)
	}
}

// A shooter whose flights are launched late does not find them further on: held back for a
// second, or stamped early, a projectile leaves as late as its line explains.
func TestAHeldShotLeavesLate(t *testing.T) {
	h, w := gallery(120)
	now := clock.TickTime(120, 60)
	for _, c := range []struct{ stamped, want clock.Micros }{
		{50 * ms, 50 * ms}, {130 * ms, 130 * ms}, {200 * ms, 100*ms + tickTime + ViewAgeMargin}, {clock.Second, 100*ms + tickTime + ViewAgeMargin},
	} {
		shot := with(honest(1, now, 100*ms), 3)
		shot.Claim.View.Platform = now - c.stamped
		j := NewJudge(arsenal(), h, nil, Limits{})
		if r := j.Judge(w, new(FireState), &shot); r.Verdict != Launched || now-max(j.Flight().Fired, shot.Claim.View.At) > c.want {
			t.Errorf("stamped %d ms ago: verdict %d, left %d ms ago, want %d", c.stamped/ms, r.Verdict, (now-j.Flight().Fired)/ms, c.want/ms)
		}
	}
}

// REW-08: 0 allocations a shot of each kind, with protection, packed and unpacked.
func TestNoAllocations(t *testing.T) {
	h, w := gallery(120)
	for weapon := range arsenal() {
		j := NewJudge(arsenal(), h, nil, Limits{Cover: 100 * ms, Evades: func(s *track.Sample) bool { return false }})
		shot := with(honest(1, clock.TickTime(120, 60), 100*ms), uint8(weapon))
		var s FireState
		var p bits.Packer
		buf := make([]byte, 128)
		hits := 0
		if n := testing.AllocsPerRun(200, func() {
			shot.Number++
			shot.Result.Swing++
			s.due = [MaxWeapons]clock.Micros{}
			r := j.Judge(w, &s, &shot)
			p.Write(buf)
			shot.Claim.Pack(&p)
			r.Pack(&p)
			if r.Verdict == Hit || r.Verdict == Launched {
				hits++
			}
		}); n != 0 || hits != 201 {
			t.Errorf("%s: %v allocations and %d hits, want 0 and 201", arsenal()[weapon].Name, n, hits)
		}
	}
}

// One shot of each kind at one target, with everything around it. [REW-08]
func BenchmarkJudge(b *testing.B) {
	h, w := gallery(120)
	table := append(arsenal(), Rifle())
	table[4].Name, table[4].LagCompensation.Cover = "rifle with cover", 100*ms
	for weapon := range table {
		b.Run(table[weapon].Name, func(b *testing.B) {
			j := NewJudge(table, h, nil, Limits{})
			shot := with(honest(1, clock.TickTime(120, 60), 100*ms), uint8(weapon))
			var s FireState
			for b.Loop() {
				shot.Number++
				shot.Result.Swing++
				s.due = [MaxWeapons]clock.Micros{}
				j.Judge(w, &s, &shot)
			}
		})
	}
}
