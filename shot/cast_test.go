package shot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// standing is a scene with players 2 … at places, of the plain rig.
func standing(at ...geom.Vec3) *rewind.Scene {
	var all []track.Entity
	for i, p := range at {
		all = append(all, track.Entity{ID: track.ID(2 + i), Sample: track.Sample{Pose: track.Pose{Position: p}, GameData: track.GameData{Life: 3}}})
	}
	s := rewind.NewScene(nil)
	s.Set(collide.WorldAt{}, all)
	return s
}

// leaving is a shot along −Z from a height.
func leaving(height float64) *FireParams {
	return &FireParams{Shooter: shooter, Number: 5, Eye: geom.V(0, height, 0), Claim: &Claim{Fire: true}, Result: FireResult{Fired: true}}
}

// LAG-05, THR-25: whatever the seed, no ray leaves the cone; they fill it evenly; both
// ends draw the same, and another seed, shooter or shot draws others. [LAG-04]
func TestSpreadStaysInItsCone(t *testing.T) {
	const seed = 91
	r := rand.New(rand.NewPCG(seed, 0))
	w := shotgun()
	inner, all := 0, 0
	for i := range 3000 {
		w.Spread.Cone = 0.01 + r.Float64()*(MaxCone-0.01)
		c := Claim{Fire: true, Yaw: r.Float64()*6 - 3, Pitch: r.Float64()*3 - 1.5}.Quantise()
		s := r.Uint64()
		dirs := Directions(&w, &c, 3, uint32(i), s, nil)
		if len(dirs) != 8 {
			t.Fatalf("%d rays", len(dirs))
		}
		again, other := Directions(&w, &c, 3, uint32(i), s, nil), Directions(&w, &c, 3, uint32(i), s+1, nil)
		for k, d := range dirs {
			off := 2 * geom.Atan2(d.Sub(c.Aim()).Len(), d.Add(c.Aim()).Len())
			if off > w.Spread.Cone+1e-9 || math.Abs(d.Len()-1) > 1e-12 {
				t.Fatalf("seed %d: %v rad off in a cone of %v, length %v", seed, off, w.Spread.Cone, d.Len())
			}
			if all++; off < w.Spread.Cone/2 {
				inner++
			}
			if d != again[k] || d == other[k] {
				t.Fatalf("seed %d: ray %d is %v, again %v, by another seed %v", seed, k, d, again[k], other[k])
			}
		}
	}
	if share := float64(inner) / float64(all); math.Abs(share-0.25) > 0.01 {
		t.Errorf("%v of the rays within half the cone, want a quarter", share)
	}
	c := Claim{Fire: true}.Quantise()
	one := fmt.Sprint(Directions(&w, &c, 3, 1, 9, nil))
	for _, d := range [][]geom.Vec3{Directions(&w, &c, 4, 1, 9, nil), Directions(&w, &c, 3, 2, 9, nil)} {
		if fmt.Sprint(d) == one {
			t.Error("another shooter, or another shot, draws the same")
		}
	}
	w.Spread = Spread{Cone: 0.1, Pattern: [][2]float64{{0, 0}, {1, 0}, {0, 0.5}, {-1, 0}, {0, -1}, {0, 0}, {0, 0}, {0, 0}}}
	dirs := Directions(&w, &c, 3, 1, 9, nil)
	for k, want := range []geom.Vec3{{Z: -1}, geom.Look(-0.1, 0), geom.Look(0, 0.05), geom.Look(0.1, 0), geom.Look(0, -0.1)} {
		if dirs[k].Dist(want) > 1e-9 {
			t.Errorf("pellet %d of the pattern goes along %v, want %v", k, dirs[k], want)
		}
	}
}

// HIT-13: of 8 pellets 3 meet A's body, 1 B's head, the rest nobody: A 3 body, B 1 head, the
// damage the sum; each is posed once. What the client claims of it agrees with the server's;
// what it is if one pellet is another's does not. [LAG-04, GAP-48]
func TestPellets(t *testing.T) {
	w := shotgun()
	up := math.Atan(0.2/10) / 0.1
	w.Spread = Spread{Cone: 0.1, Pattern: [][2]float64{{-0.5, -0.5}, {-0.5, -0.6}, {-0.5, -0.4}, {0.5, up}, {0, 0.9}, {0, 0.95}, {0, 0.8}, {0, 0.7}}}
	scene := standing(geom.V(-0.5, 0, -10), geom.V(0.5, 0, -10))
	var c Caster
	m := c.Cast(scene, &w, leaving(1.4), nil)
	want := []DamageEvent{{Target: 2, Life: 3, HitGroup: rig.Body, Count: 3, Damage: 30}, {Target: 3, Life: 3, HitGroup: rig.Head, Count: 1, Heads: 1, Damage: 15}}
	if got := m.Events[:m.EventCount]; fmt.Sprint(got) != fmt.Sprint(want) || m.Damage != 45 {
		t.Errorf("hurt %+v, %d in all\nwant %+v, 45", got, m.Damage, want)
	}
	if m.Outcome.Target != 2 || m.Outcome.HitGroup != rig.Body || len(c.Rays()) != 8 || m.Scene.Count != 2 || len(scene.Targets()) != 2 {
		t.Errorf("%+v", m)
	}
	var claim Claim
	m.FillClaim(&w, &claim)
	if !m.Agrees(&claim) || claim.SceneSum == 0 {
		t.Errorf("%+v does not agree with itself", claim)
	}
	for name, change := range map[string]func(m *HitSet){
		"one pellet less": func(m *HitSet) { m.Events[0].Count = 2 }, "nobody else": func(m *HitSet) { m.EventCount = 1 },
		"another life": func(m *HitSet) { m.Events[1].Life++ }, "another part": func(m *HitSet) { m.Outcome.Hitbox++ },
	} {
		other := m
		if change(&other); other.Agrees(&claim) {
			t.Errorf("%s: it agrees", name)
		}
	}
	if none := c.Cast(standing(), &w, leaving(1.4), nil); none.EventCount != 0 || none.Sum() != 0 || none.Outcome.Kind != rewind.Nothing || none.Scene != (SceneCheck{}) {
		t.Errorf("at nobody: %+v", none)
	}
}

// Damage falls on a straight line from From to To, where Min of it is left; rounded half up.
func TestFalloff(t *testing.T) {
	w := Rifle()
	w.Falloff = Falloff{From: 10, To: 30, Min: 0.4}
	for distance, want := range map[float64]uint16{0: 25, 10: 25, 15: 21, 20: 18, 29.9: 10, 30: 10, 99: 10} {
		if got := w.damage(rig.Body, distance); got != want {
			t.Errorf("%v m: %d, want %d", distance, got, want)
		}
	}
	w.Falloff = Falloff{}
	if got := w.damage(rig.Body, 99); got != 25 {
		t.Errorf("without a falloff: %d", got)
	}
}

// Several in the arc of a blade are each met once in a swing, however many commands it takes,
// and the same ones; the next swing meets them again. [GAP-48]
func TestASwingMeetsEachOnce(t *testing.T) {
	table := rack()
	w := &table[1]
	for _, rate := range []int{20, 30, 60, 144, 240} {
		scene := standing(geom.V(0, 0, -1.5), geom.V(1.2, 0, -1.2), geom.V(-1.2, 0, -1.2), geom.V(0, 0, 1.5), geom.V(0, 0, -3))
		var c Caster
		var swung SwingState
		a := table.Loadout()
		a.Held = 1
		for swing := 1; swing <= 2; swing++ {
			met := map[track.ID]int{}
			for i := int64(0); i < int64(rate)*3/2; i++ {
				l := leaving(1.2)
				l.Result = a.Step(table, WeaponInput{Fire: i == 0}, frames(rate)(i))
				if !l.Result.Fired {
					continue
				}
				m := c.Cast(scene, w, l, &swung)
				for _, h := range m.Events[:m.EventCount] {
					met[h.Target]++
					if h.Damage != 50 || h.Count != 1 {
						t.Errorf("%+v", h)
					}
				}
			}
			if fmt.Sprint(met) != "map[2:1 3:1 4:1]" {
				t.Errorf("%d Hz, swing %d: met %v, want 2, 3 and 4 once", rate, swing, met)
			}
		}
	}
}

// A player strikes once, dies, and strikes again in its next life, whose loadout counts swings from the
// beginning: the blade hits the same target again, with and without a wind-up, and a swing that was refused as
// too early does not refuse the one of the next life. [GAP-48, HIT-14]
func TestTheFirstSwingOfTheNextLife(t *testing.T) {
	for _, begins := range []clock.Micros{0, 100 * ms} {
		table := rack()
		w := &table[1]
		w.Swing.Begins = begins
		scene := standing(geom.V(0, 0, -1.5))
		var c Caster
		var swung SwingState
		var s FireState
		j := NewJudge(table, rewind.NewHistory(60, 0), nil, Limits{Burst: -1})
		for life := 1; life <= 3; life++ {
			a, hits, denied := table.Loadout(), 0, 0
			a.Held = 1
			// The second life begins too soon after the strike of the first for the rate of fire.
			at := [...]clock.Micros{0, clock.Second, clock.Second + 100*ms, 10 * clock.Second}[life]
			for i := int64(0); i < 60; i++ {
				l := leaving(1.2)
				l.Result = a.Step(table, WeaponInput{Fire: i == 0}, frames(60)(i))
				if !l.Result.Fired {
					continue
				}
				m := c.Cast(scene, w, l, &swung)
				hits += int(m.EventCount)
				fired := Shot{Number: uint32(life*1000 + int(i)), Now: at + clock.TickTime(i, 60), Result: l.Result, Claim: Claim{Weapon: 1}, Alive: true}
				denied += int(bit(j.refuse(&s, &fired) == TooFast))
			}
			if hits != 1 || (denied > 0) != (life == 2) {
				t.Errorf("begins after %d ms, life %d: got %d hits and %d commands that are too fast, want 1, and some in life 2 only", begins/ms, life, hits, denied)
			}
		}
	}
}

// Tested tells pictures apart: the same is the same, whatever else is far away; a millimetre, a
// turn or a step more is another.
func TestTestedTellsPicturesApart(t *testing.T) {
	w := Rifle()
	var c Caster
	test := func(change func(s *track.Sample), far ...track.Entity) SceneCheck {
		all := []track.Entity{{ID: 2, Sample: track.Sample{Pose: track.Pose{Position: geom.V(0, 0, -10), Yaw: 1}}}}
		if change != nil {
			change(&all[0].Sample)
		}
		s := rewind.NewScene(nil)
		s.Set(collide.WorldAt{}, append(all, far...))
		m := c.Cast(s, &w, leaving(1), nil)
		return m.Scene
	}
	same := test(nil)
	if same.Count != 1 || test(nil, track.Entity{ID: 3, Sample: track.Sample{Pose: track.Pose{Position: geom.V(20, 0, -10)}}}) != same {
		t.Errorf("the same picture: %+v", same)
	}
	for name, change := range map[string]func(s *track.Sample){
		"a millimetre": func(s *track.Sample) { s.Position.X += 0.001 }, "a turn": func(s *track.Sample) { s.Yaw += 0.001 },
		"a step": func(s *track.Sample) { s.StrideDistance += 0.01 }, "a crouch": func(s *track.Sample) { s.Stance.Crouch = 0.1 },
		"a shield": func(s *track.Sample) { s.UserData = 1 },
	} {
		if test(change) == same {
			t.Errorf("%s is not told apart", name)
		}
	}
}

// Client and server, by the same code: a client that shows its scene the whole picture, and a
// server that rebuilds only what comes near, meet the same, hurt the same, test as many poses
// and sum them up the same: rays, pellets and blades among 60 that run about, 400 shots each.
func TestBothEndsTestTheSame(t *testing.T) {
	const seed = 93
	r := rand.New(rand.NewPCG(seed, 0))
	h := rewind.NewHistory(60, 0)
	for tick := uint32(1); tick <= 90; tick++ {
		at := clock.TickTime(int64(tick), 60)
		f := h.Record(tick, at)
		f.Add(shooter, track.Sample{At: at})
		for id := track.ID(2); id <= 61; id++ {
			sin, cos := geom.SinCos(float64(id) + at.Seconds())
			far := 1 + float64(id)/4
			f.Add(id, track.Sample{
				At: at,
				Pose: track.Pose{
					Position: geom.V(far*sin, 0, far*cos), Velocity: geom.V(far*cos, 0, -far*sin), Yaw: float64(id),
				},
				GameData: track.GameData{Life: 1},
			})
		}
	}
	_, w := gallery(1)
	now := clock.TickTime(90, 60)
	table := Table{Rifle(), shotgun(), sword()}
	table[1].Spread.Cone = 0.3
	j := NewJudge(table, h, nil, Limits{Seed: 7})
	scene, client := rewind.NewScene(nil), Caster{Seed: 7}
	hits, tested, several := 0, 0, 0
	for i := range 1200 {
		kind := uint8(i % 3)
		v := track.View{At: now - clock.Micros(r.Int64N(int64(200*ms+besideLine))), Seen: seen(90 - r.Uint32N(6))}
		v.Platform = v.At + clock.Micros(r.Int64N(100000))
		c := Claim{Fire: true, Weapon: kind, Yaw: r.Float64() * 2 * math.Pi, Pitch: r.Float64()*0.2 - 0.1, View: v}.Quantise()
		c.View.Platform = v.Platform
		use := FireResult{Fired: true, Weapon: kind, Swing: uint8(i), From: 0.1, To: 0.9}
		list, err := h.Entities(v, nil, w.World, shooter, nil)
		if err != nil {
			t.Fatal(err)
		}
		scene.Set(collide.WorldAt{World: w.World, At: v.Platform}, list)
		var swung SwingState
		m := client.Cast(scene, &table[kind], &FireParams{shooter, uint32(i + 1), eye, &c, use}, &swung)
		m.FillClaim(&table[kind], &c)
		var s FireState
		got := j.Judge(w, &s, &Shot{Number: uint32(i + 1), Shooter: shooter, Claim: c, Eye: eye, Alive: true, Result: use, Now: now, Age: onLine(200 * ms)})
		if got.Scene != m.Scene || got.Outcome != m.Outcome || got.Events != m.Events || got.EventCount != m.EventCount || got.Damage != m.Damage || !got.Agrees {
			t.Fatalf("seed %d, %d: the client met\n%+v\nand the server\n%+v", seed, i, m, got)
		}
		hits += int(bit(m.EventCount > 0))
		tested += int(m.Scene.Count)
		several += int(bit(m.EventCount > 1))
	}
	t.Logf("%d of 1200 hit somebody, %d several, %d poses tested", hits, several, tested)
	if hits < 300 || several < 30 {
		t.Error("too little happened to mean anything")
	}
}
