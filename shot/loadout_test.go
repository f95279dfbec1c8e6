package shot

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
)

// sword strikes 100 ms after the trigger, for 200 ms, once a second.
func sword() Weapon {
	return Weapon{
		Name: "sword", Kind: Melee, Range: 2.2, Cooldown: clock.Second, Deploy: 250 * ms,
		Damage: [rig.HitGroups]uint16{rig.Body: 50, rig.Head: 80}, Policy: rewind.HeadFirst,
		Swing: Swing{Arc: 2, Begins: 100 * ms, Lasts: 200 * ms, Radius: 0.05},
	}
}

func rocket() Weapon {
	return Weapon{
		Name: "rocket", Kind: Projectile, Cooldown: clock.Second, Reload: 2 * clock.Second, Magazine: 4, Deploy: 500 * ms,
		Damage: [rig.HitGroups]uint16{rig.Body: 70, rig.Head: 70, rig.Arm: 70, rig.Leg: 70},
		Flight: Ballistics{Speed: 25, Radius: 0.1, Fuse: 4 * clock.Second, EntityKind: 4},
		Blast:  Blast{Radius: 3, Inner: 0.5, Damage: 60, Min: 0.2, Self: 0.5},
	}
}

func shotgun() Weapon {
	return Weapon{
		Name: "shotgun", Range: 40, Pellets: 8, Cooldown: 800 * ms, Reload: 2400 * ms, Magazine: 6, Deploy: 350 * ms,
		Damage: [rig.HitGroups]uint16{rig.Body: 10, rig.Head: 15}, Spread: Spread{Cone: 0.06}, Policy: rewind.HeadFirst,
	}
}

// rack is a table with all kinds.
func rack() Table { return Table{Rifle(), sword(), rocket(), shotgun()} }

// frames are the durations of a display's frames.
func frames(rate int) func(i int64) clock.Micros {
	return func(i int64) clock.Micros { return clock.TickTime(i+1, rate) - clock.TickTime(i, rate) }
}

// What is in hand is drawn, put away and drawn again: nothing is fired before its Draw is
// over, and a reload that was interrupted begins again. The same at every frame rate, to a
// frame.
func TestChangingWeapons(t *testing.T) {
	table := rack()
	for _, rate := range []int{30, 60, 75, 128, 144, 240} {
		a, now := table.Loadout(), clock.Micros(0)
		a.Ammo[0].Rounds = 1
		last := map[uint8]clock.Micros{}
		var first [4]clock.Micros
		for i := int64(0); now < 5*clock.Second; i++ {
			d := frames(rate)(i)
			wish := WeaponInput{Fire: true}
			switch { // what the hands do at which time
			case now >= clock.Second && now < clock.Second+d:
				wish.Select = 3 // in the middle of the rifle's reload
			case now >= 2*clock.Second && now < 2*clock.Second+d:
				wish.Select = 1
			}
			u := a.Step(table, wish, d)
			if u.Fired {
				last[u.Weapon] = now
				if first[u.Weapon] == 0 {
					first[u.Weapon] = now + 1
				}
			}
			now += d
		}
		tick := clock.TickTime(1, rate) + 2
		if got := first[2]; got < 1500*ms || got > 1500*ms+2*tick {
			t.Errorf("%d Hz: the rocket was fired at %d ms, want 1500", rate, got/ms)
		}
		// Drawn by 2 s at once (the rifle needs none), its reload of 2 s begins again.
		if got := last[0]; got < 4*clock.Second || a.Ammo[0].Reload != 0 {
			t.Errorf("%d Hz: the rifle fires last at %d ms, want after its reload, from 4000 on", rate, got/ms)
		}
		if a.Held != 0 || a.Next != 0 || a.Deploy != 0 {
			t.Errorf("%d Hz: %+v", rate, a)
		}
	}
}

// A strike is a claim, the commands before the blade is on its way none, and those of the
// active part one each; together they cover the arc once, from 0 to 1, without a gap, however
// the time is cut. The blade is on its way at the same time at every rate, to a frame.
func TestASwingCoversItsArcOnce(t *testing.T) {
	const seed = 71
	r := rand.New(rand.NewPCG(seed, 0))
	table := rack()
	random := func(int64) clock.Micros {
		if r.IntN(10) == 0 {
			return clock.Micros(1 + r.Int64N(400000)) // longer than the swing
		}
		return clock.Micros(1 + r.Int64N(40000))
	}
	for name, cut := range map[string]func(int64) clock.Micros{"30 Hz": frames(30), "60 Hz": frames(60), "80 Hz": frames(80), "144 Hz": frames(144), "1 kHz": frames(1000), "random": random} {
		a, now := table.Loadout(), clock.Micros(0)
		a.Held = 1
		swings, covered, struck, parts := 0, 0.0, clock.Micros(0), 0
		for i := int64(0); i < 40000 && now < 40*clock.Second; i++ {
			d := cut(i)
			begun := a.Swing == 0
			claims := a.Claims(table, true)
			u := a.Step(table, WeaponInput{Fire: true}, d)
			if u.Fired != claims {
				t.Fatalf("%s: seed %d: Claims says %v, and Step %+v", name, seed, claims, u)
			}
			switch {
			case u.Fired && begun:
				if swings > 0 && covered != 1 {
					t.Fatalf("%s: swing %d covered its arc up to %v", name, swings, covered)
				}
				if swings > 0 && now-struck < 750*ms {
					t.Fatalf("%s: struck again after %d ms", name, (now-struck)/ms)
				}
				swings, covered, struck, parts = swings+1, 0, now, 0
				if u.From != 0 || u.To != 0 || u.Swing != uint8(swings) {
					t.Fatalf("%s: the strike is %+v", name, u)
				}
			case u.Fired:
				if u.From != covered || u.To <= u.From || u.To > 1 || u.Swing != uint8(swings) {
					t.Fatalf("%s: seed %d: from %v to %v of swing %d after %v of %d", name, seed, u.From, u.To, u.Swing, covered, swings)
				}
				if at := now - struck; covered == 0 && (at < 100*ms || name != "random" && at > 100*ms+d+minSweep) {
					t.Fatalf("%s: the blade is on its way %d µs after the strike", name, at)
				}
				if covered, parts = u.To, parts+1; parts > int(200*ms/minSweep)+2 {
					t.Fatalf("%s: seed %d: %d parts", name, seed, parts)
				}
			case !begun && covered > 0 && covered < 1 && d >= minSweep && name != "random":
				t.Fatalf("%s: a command covers nothing after %v", name, covered)
			}
			now += d
		}
		if swings < 20 {
			t.Errorf("%s: %d swings", name, swings)
		}
	}
}

// Another weapon that is asked for in the middle of a swing is taken after it; the last that
// was asked for counts.
func TestSelectingDuringASwing(t *testing.T) {
	table := rack()
	a := table.Loadout()
	a.Held = 1
	a.Step(table, WeaponInput{Fire: true}, 16*ms)
	a.Step(table, WeaponInput{Select: 4}, 16*ms)
	a.Step(table, WeaponInput{Select: 3}, 16*ms)
	for a.Swing > 0 {
		if a.Held != 1 || a.Next != 3 {
			t.Fatalf("during the swing: %+v", a)
		}
		a.Step(table, WeaponInput{}, 16*ms)
	}
	a.Step(table, WeaponInput{}, 16*ms)
	if a.Held != 2 || a.Next != 0 || a.Deploy != 484*ms || a.Ready() {
		t.Errorf("after it: %+v", a)
	}
	a.Step(table, WeaponInput{Select: 9}, 500*ms) // there is none
	if a.Held != 2 || !a.Ready() {
		t.Errorf("after a wish for a weapon that is not there: %+v", a)
	}
}

// Changing weapons to and fro gains no shots: each weapon's cool-down goes on, no faster.
func TestSwappingGainsNothing(t *testing.T) {
	const seed = 72
	r := rand.New(rand.NewPCG(seed, 0))
	table := rack()
	table[0].Deploy, table[3].Deploy = 0, 0
	table[0].Magazine, table[3].Magazine = 0, 0
	a, now := table.Loadout(), clock.Micros(0)
	var shots [4][]clock.Micros
	for range 20000 {
		d := clock.Micros(1 + r.Int64N(30000))
		if u := a.Step(table, WeaponInput{Fire: true, Select: [...]uint8{0, 1, 4}[r.IntN(3)]}, d); u.Fired {
			shots[u.Weapon] = append(shots[u.Weapon], now)
		}
		now += d
	}
	for w := range shots {
		for i := 1; i < len(shots[w]); i++ {
			if gap := shots[w][i] - shots[w][i-1]; gap < table[w].Cooldown*3/4 {
				t.Fatalf("seed %d: two shots of the %s within %d ms", seed, table[w].Name, gap/ms)
			}
		}
	}
	if len(shots[0]) < 100 || len(shots[3]) < 100 {
		t.Errorf("%d and %d shots: too few to mean anything", len(shots[0]), len(shots[3]))
	}
}

// CMB: where Combines agrees, one step that wants nothing gives the same arms as two, bit for
// bit; and it agrees whenever nothing is going on.
func TestCombiningSteps(t *testing.T) {
	const seed = 73
	r := rand.New(rand.NewPCG(seed, 0))
	table := rack()
	a, agreed, swung := table.Loadout(), 0, 0
	for i := range 30000 {
		d, e := clock.Micros(1+r.Int64N(30000)), clock.Micros(1+r.Int64N(30000))
		start, between := a, a
		between.Step(table, WeaponInput{}, d)
		two, one := between, start
		two.Step(table, WeaponInput{}, e)
		one.Step(table, WeaponInput{}, d+e)
		if start.CanCombine(table, &between, d+e) {
			if start.Swing > 0 {
				swung++
			}
			if agreed++; one != two {
				t.Fatalf("seed %d, %d: from %+v\n one %+v\n two %+v", seed, i, start, one, two)
			}
		}
		a.Step(table, WeaponInput{Fire: r.IntN(20) == 0, Reload: r.IntN(300) == 0, Select: uint8(max(r.IntN(200)-195, 0))}, d)
	}
	if agreed < 5000 || swung < 100 {
		t.Errorf("agreed %d times of 30000, %d of them before the active part of a swing", agreed, swung)
	}
	idle := table.Loadout()
	for range 10 {
		next := idle
		next.Step(table, WeaponInput{}, 16*ms)
		if next != idle || !idle.CanCombine(table, &next, 32*ms) {
			t.Errorf("idle arms change: %+v", next)
		}
	}
}

// anyArms plays at random for a while.
func anyArms(r *rand.Rand, table Table) Loadout {
	a := table.Loadout()
	for range r.IntN(60) {
		a.Step(table, WeaponInput{r.IntN(2) == 0, r.IntN(5) == 0, uint8(max(r.IntN(12)-7, 0))}, clock.Micros(1+r.Int64N(120000)))
	}
	return a
}

// A correction carries the arms without loss; Digest tells states apart that show; what no
// writer writes is an error.
func TestArmsPack(t *testing.T) {
	const seed = 74
	r := rand.New(rand.NewPCG(seed, 0))
	table := rack()
	most, sums := 0, map[uint16]bool{}
	for range 10000 {
		want := anyArms(r, table)
		b := packed(t, want.Pack)
		most = max(most, len(b))
		got := anyArms(r, table)
		var p bits.Packer
		p.Read(b)
		got.Pack(&p)
		if p.End(); p.Err() != nil || got != want || got.Digest() != want.Digest() {
			t.Fatalf("seed %d: %+v became %+v (%v)", seed, want, got, p.Err())
		}
		sums[want.Digest()] = true
	}
	t.Logf("arms take at most %d bytes; %d digests", most, len(sums))
	if len(sums) < 500 {
		t.Errorf("%d digests", len(sums))
	}
	for name, bad := range map[string]func(a *Loadout){
		"a draw below 0": func(a *Loadout) { a.Deploy = -1 }, "a swing of minutes": func(a *Loadout) { a.Swing = 100 * clock.Second },
		"a ninth weapon": func(a *Loadout) { a.Held = 8 }, "a tenth one next": func(a *Loadout) { a.Next = 9 },
	} {
		a := table.Loadout()
		bad(&a)
		var p bits.Packer
		p.Write(make([]byte, 128))
		if a.Pack(&p); p.Err() != bits.ErrRange {
			t.Errorf("%s: %v", name, p.Err())
		}
	}
}

// The zero Loadout, that of an empty table, and one that a bad server says hold what no table
// has: nothing is fired and nothing panics.
func TestOddArms(t *testing.T) {
	var a Loadout
	if u := a.Step(nil, WeaponInput{Fire: true, Select: 1}, 16*ms); u.Fired || a.Claims(nil, true) {
		t.Errorf("an empty table fires: %+v", u)
	}
	table := rack()
	a = Loadout{Held: 7, Swing: 5, Next: 8}
	if a.Claims(table, true) || a.Step(table, WeaponInput{Fire: true}, 16*ms).Fired || a.Held != 0 {
		t.Errorf("a weapon that is not there: %+v", a)
	}
	a = Loadout{}
	for range 130 {
		a.Step(table, WeaponInput{Fire: true}, 16*ms)
	}
	if a.Ammo[0].Rounds == 0 {
		t.Errorf("the zero Loadout did not reload: %+v", a)
	}
}

// FuzzArms: THR-13: any bytes are arms or an error, and what was read is written as the
// same bytes; whatever they are, a step is a step.
func FuzzArms(f *testing.F) {
	a := rack().Loadout()
	f.Add(packed(f, a.Pack))
	f.Add([]byte("1\x80BX811")) // swept more than there is
	f.Add([]byte("10XB8100"))   // due before it begins
	f.Fuzz(func(t *testing.T, b []byte) {
		var p bits.Packer
		var a Loadout
		p.Read(b)
		a.Pack(&p)
		p.End()
		if p.Err() == nil && string(packed(t, a.Pack)) != string(b) {
			t.Fatalf("read %x, wrote %x", b, packed(t, a.Pack))
		}
		u := a.Step(rack(), WeaponInput{Fire: true, Select: uint8(len(b))}, 16*ms)
		if u.From < 0 || u.To > 1 || u.From > u.To || int(a.Held) >= len(rack()) {
			t.Fatalf("%+v of %+v", u, a)
		}
	})
}
