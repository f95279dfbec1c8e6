package damage

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

const ms = clock.Millisecond

// now is when the ticks of these tests are.
const now = 10 * clock.Second

// kevlar is armour as it is often had: half of what hits the head, body and arms, and
// half as many points of it.
func kevlar() (plates [rig.HitGroups]ArmourPlate) {
	for _, group := range []rig.HitGroup{rig.Body, rig.Head, rig.Arm} {
		plates[group] = ArmourPlate{Share: .5, Wear: .5}
	}
	return plates
}

// ring returns a ledger of players 1 … n, each of life 1, in no team.
func ring(rules Rules, n int) *Ledger {
	l := NewLedger(rules, n+1)
	for id := track.ID(1); int(id) <= n; id++ {
		l.Spawn(id, 1, 0)
	}
	return l
}

// hit is the receipt of a shot that met one target, 150 ms after it was seen.
func hit(by track.ID, number uint32, target track.ID, group rig.HitGroup, points uint16) shot.Receipt {
	heads := uint8(0)
	if group == rig.Head {
		heads = 1
	}
	return shot.Receipt{Shot: number, Shooter: by, Verdict: shot.Hit, ViewGranted: now - 150*ms, Damage: points,
		Outcome: rewind.Outcome{HitTarget: rewind.HitTarget{Kind: rewind.Player, Target: target, Hitbox: 3, HitGroup: group}, Life: 1, Distance: 12},
		Events:  [shot.MaxDamageEvents]shot.DamageEvent{{Target: target, Life: 1, HitGroup: group, Count: 1, Heads: heads, Damage: points}}, EventCount: 1}
}

// settle takes these receipts in a tick of their own.
func settle(l *Ledger, receipts ...shot.Receipt) []Result {
	for i := range receipts {
		l.QueueReceipt(&receipts[i], 0)
	}
	return l.ApplyQueued(now, nil)
}

// why returns why the last blow did nothing.
func why(l *Ledger) Outcome {
	log := l.Log(nil)
	return log[len(log)-1].Outcome
}

// HIT-07, HIT-10, HIT-11, GAP-69: what the server's table said when the shot was judged is
// what it does, less what armour takes, and never more than there is. Worked by hand.
func TestWhatABlowDoes(t *testing.T) {
	for _, c := range []struct {
		name           string
		health, armour uint16 // before
		group          rig.HitGroup
		points         uint16
		lost, took     uint16 // health, and what armour took
		worn           uint16 // armour
		killed         bool
	}{
		{"the body, without armour", 100, 0, rig.Body, 25, 25, 0, 0, false},
		{"the head, without armour", 100, 0, rig.Head, 60, 60, 0, 0, false},
		{"the body, in armour: 12.5 is 13 for the armour", 100, 100, rig.Body, 25, 12, 13, 7, false},
		{"the head, in armour", 100, 100, rig.Head, 60, 30, 30, 15, false},
		{"the leg has none", 100, 100, rig.Leg, 20, 20, 0, 0, false},
		{"5 points of armour take 10 and are gone", 100, 5, rig.Head, 60, 50, 10, 5, false},
		{"the last point takes 2", 100, 1, rig.Body, 25, 23, 2, 1, false},
		{"a fall: armour is no help", 100, 100, rig.NoHitGroup, 40, 40, 0, 0, false},
		{"more than there is", 10, 0, rig.Body, 25, 10, 0, 0, true},
		{"exactly what there is", 25, 0, rig.Body, 25, 25, 0, 0, true},
		{"the most that can be said", 100, 100, rig.Body, 65535, 100, 200, 100, true},
		{"nothing", 100, 100, rig.Body, 0, 0, 0, 0, false},
		{"one point, of which armour takes all", 100, 100, rig.Body, 1, 0, 1, 1, false},
	} {
		l := ring(Rules{Plates: kevlar()}, 2)
		l.entries[2].vitals.Health, l.entries[2].vitals.Armour = c.health, c.armour
		dealt := settle(l, hit(1, 7, 2, c.group, c.points))
		v := l.Vitals(2)
		if v.Health != c.health-c.lost || v.Armour != c.armour-c.worn {
			t.Errorf("%s: %d health and %d armour left, want %d and %d", c.name, v.Health, v.Armour, c.health-c.lost, c.armour-c.worn)
		}
		if c.lost+c.took == 0 {
			if len(dealt) != 0 || why(l) != NoDamage {
				t.Errorf("%s: %+v (%v)", c.name, dealt, why(l))
			}
			continue
		}
		want := Result{Hit: Hit{Attacker: 1, Target: 2, Life: 1, Shot: 7, HitGroup: c.group, Hitbox: 3, Count: 1, Damage: c.points,
			Seen: now - 150*ms, Distance: 12}, At: now, HealthLost: c.lost, Absorbed: c.took, ArmourLost: c.worn, HealthLeft: c.health - c.lost, Killed: c.killed}
		if c.group == rig.Head {
			want.Heads = 1
		}
		if len(dealt) != 1 || dealt[0] != want || dealt[0].At-dealt[0].Seen != 150*ms {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, dealt, want)
		}
	}
}

// HIT-13: of 8 pellets 3 meet A's body and 1 B's head: A loses 3 × 9, B 30.
func TestPellets(t *testing.T) {
	l := ring(Rules{}, 3)
	r := hit(1, 1, 2, rig.Body, 27)
	r.Events[0].Count = 3
	r.Events[1], r.EventCount = shot.DamageEvent{Target: 3, Life: 1, HitGroup: rig.Head, Count: 1, Heads: 1, Damage: 30}, 2
	dealt := settle(l, r)
	if len(dealt) != 2 || dealt[0].Count != 3 || dealt[1].Heads != 1 || l.Vitals(2).Health != 73 || l.Vitals(3).Health != 70 {
		t.Errorf("%+v, %d and %d left; want 73 and 70", dealt, l.Vitals(2).Health, l.Vitals(3).Health)
	}
	if dealt[0].Hitbox != 3 || dealt[1].Hitbox != 0 || dealt[1].Distance != 0 {
		t.Errorf("parts %d and %d: only the target that the outcome names has one", dealt[0].Hitbox, dealt[1].Hitbox)
	}
}

// GAP-48: a target that is listed twice is hurt once; a receipt that comes twenty times
// counts once, the same tick and later; its second stage counts beside the first. [HIT-14]
func TestNothingCountsTwice(t *testing.T) {
	l := ring(Rules{}, 2)
	r := hit(1, 5, 2, rig.Body, 10)
	r.Events[1], r.Events[2], r.EventCount = r.Events[0], r.Events[0], 3
	for range 10 {
		if l.QueueReceipt(&r, 0); l.Vitals(2).Health != 100 {
			t.Fatal("it counted before ApplyQueued")
		}
	}
	if dealt := l.ApplyQueued(now, nil); len(dealt) != 1 || l.Vitals(2).Health != 90 {
		t.Errorf("%d blows and %d left, want 1 and 90", len(dealt), l.Vitals(2).Health)
	}
	for range 10 {
		if dealt := settle(l, r); len(dealt) != 0 || why(l) != Duplicate {
			t.Errorf("told again: %+v (%v)", dealt, why(l))
		}
	}
	l.QueueReceipt(&r, 1)
	if dealt := l.ApplyQueued(now, nil); len(dealt) != 1 || l.Vitals(2).Health != 80 {
		t.Errorf("the second stage: %d blows and %d left, want 1 and 80", len(dealt), l.Vitals(2).Health)
	}
}

// GAP-49, HIT-09, GAP-50: players that are not hurt, and why.
func TestWhoIsNotHurt(t *testing.T) {
	for _, c := range []struct {
		name   string
		rules  Rules
		change func(l *Ledger)
		target track.ID
		lost   uint16
		why    Outcome
	}{
		{name: "an enemy", target: 2, lost: 40},
		{name: "oneself", target: 1, why: SelfDamage},
		{name: "oneself, by half", rules: Rules{Self: .5}, target: 1, lost: 20},
		{name: "of the same team", change: func(l *Ledger) { l.Spawn(1, 1, 3); l.Spawn(2, 1, 3) }, target: 2, why: FriendlyFire},
		{name: "of the same team, by a third", rules: Rules{Friendly: 1. / 3},
			change: func(l *Ledger) { l.Spawn(1, 1, 3); l.Spawn(2, 1, 3) }, target: 2, lost: 13},
		{name: "of another team", change: func(l *Ledger) { l.Spawn(1, 1, 3); l.Spawn(2, 1, 4) }, target: 2, lost: 40},
		{name: "both of none", change: func(l *Ledger) {}, target: 2, lost: 40},
		{name: "of the team that the shooter has left with the match",
			change: func(l *Ledger) { l.Spawn(1, 1, 3); l.Spawn(2, 1, 3); l.Leave(1) }, target: 2, why: FriendlyFire},
		{name: "dead", change: func(l *Ledger) { l.Leave(2) }, target: 2, why: TargetDead},
		{name: "returned since", change: func(l *Ledger) { l.Spawn(2, 2, 0) }, target: 2, why: OtherLife},
		{name: "of another life, and dead", change: func(l *Ledger) { l.Spawn(2, 2, 0); l.Leave(2) }, target: 2, why: OtherLife},
		{name: "nobody", target: 1000, why: UnknownTarget},
		{name: "by a dead shooter", change: func(l *Ledger) { l.Leave(1) }, target: 2, lost: 40},
	} {
		l := ring(c.rules, 2)
		if c.change != nil {
			c.change(l)
		}
		before := l.Vitals(c.target)
		dealt := settle(l, hit(1, 1, c.target, rig.Body, 40))
		if lost := before.Health - l.Vitals(c.target).Health; lost != c.lost || why(l) != c.why || (len(dealt) == 1) != (c.lost > 0) {
			t.Errorf("%s: lost %d (%v), want %d (%v)", c.name, lost, why(l), c.lost, c.why)
		}
	}
}

// Two players that shoot each other in one tick both die, in whichever order the hits arrive; of three that
// kill one, the one whose shot was seen first has killed, and the others did nothing.
func TestTheOrderWithinATick(t *testing.T) {
	a, b := hit(1, 1, 2, rig.Head, 100), hit(2, 1, 1, rig.Head, 100)
	for _, order := range [][]shot.Receipt{{a, b}, {b, a}} {
		l := ring(Rules{}, 2)
		if dealt := settle(l, order...); len(dealt) != 2 || !dealt[0].Killed || !dealt[1].Killed {
			t.Errorf("two that kill each other: %+v", dealt)
		}
	}
	early, c, d := hit(1, 1, 4, rig.Body, 70), hit(2, 9, 4, rig.Body, 70), hit(3, 4, 4, rig.Body, 70)
	early.ViewGranted -= 1
	for _, order := range [][]shot.Receipt{{early, c, d}, {c, d, early}, {d, c, early}} {
		l := ring(Rules{}, 4)
		dealt := settle(l, order...)
		if len(dealt) != 2 || dealt[0].Attacker != 1 || dealt[0].HealthLost != 70 || dealt[1].Attacker != 2 || dealt[1].HealthLost != 30 || !dealt[1].Killed || why(l) != TargetDead {
			t.Errorf("three kill one: %+v (%v)", dealt, why(l))
		}
	}
}

// tick draws the receipts of one tick among n players: hits, pellets, blasts that hurt
// their own shooter, duplicates of what has been.
func tick(r *rand.Rand, n int, numbers []uint32, old []shot.Receipt) []shot.Receipt {
	var list []shot.Receipt
	for range 1 + r.IntN(6) {
		by := track.ID(1 + r.IntN(n))
		numbers[by] += 1 + r.Uint32N(20)
		rc := shot.Receipt{Shot: numbers[by], Shooter: by, Verdict: shot.Hit, ViewGranted: now - clock.Micros(r.IntN(3))*ms}
		for range r.IntN(4) {
			rc.Events[rc.EventCount] = shot.DamageEvent{Target: track.ID(1 + r.IntN(n)), Life: uint8(1 + r.IntN(3)),
				HitGroup: rig.HitGroup(r.IntN(rig.HitGroups)), Count: 1, Damage: uint16(r.IntN(60))}
			rc.EventCount++
		}
		list = append(list, rc)
		if r.IntN(3) == 0 {
			list = append(list, rc)
		}
	}
	if len(old) > 0 && r.IntN(2) == 0 {
		list = append(list, old[r.IntN(len(old))])
	}
	return list
}

// Whatever the order of a tick's receipts, and however often each comes: the same blows,
// vitals and digest. Health goes down by exactly what the blows say, up by exactly what
// Heal says, and each life is taken once.
func TestOrderAndRepetitionDoNotMatter(t *testing.T) {
	const seed, n = 17, 6
	r := rand.New(rand.NewPCG(seed, 0))
	rules := Rules{Friendly: .3, Self: .5, Plates: kevlar()}
	one, other := ring(rules, n), ring(rules, n)
	numbers := make([]uint32, n+1)
	var old []shot.Receipt
	kills, deals := 0, 0
	for i := range 5000 {
		list := tick(r, n, numbers, old)
		old = append(old[max(0, len(old)-20):], list...)
		var before [n + 1]Vitals
		for id := range before {
			before[id] = one.Vitals(track.ID(id))
		}
		a := settle(one, list...)
		list = append(list, list[r.IntN(len(list))])
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		b := settle(other, list...)
		if !slices.Equal(a, b) || digest(one) != digest(other) {
			t.Fatalf("seed %d, tick %d:\n%+v (%x)\n%+v (%x)", seed, i, a, digest(one), b, digest(other))
		}
		deals += len(a)
		for _, d := range a {
			v := &before[d.Target]
			if v.Health -= d.HealthLost; v.Health != d.HealthLeft || d.Killed != (v.Health == 0) || v.Life != d.Life {
				t.Fatalf("seed %d, tick %d: %+v after %+v", seed, i, d, v)
			}
			v.Armour -= d.ArmourLost
		}
		for id := track.ID(1); id <= n; id++ {
			v := one.Vitals(id)
			if v != before[id] {
				t.Fatalf("seed %d, tick %d: %d has %+v, the blows say %+v", seed, i, id, v, before[id])
			}
			points, life := uint16(r.IntN(20)), v.Life%3+1
			for _, l := range []*Ledger{one, other} {
				switch {
				case v.Dead():
					l.Spawn(id, life, Team(id%3))
				case points < 10:
					if got := l.Heal(id, points); l.Vitals(id).Health != v.Health+got || l.Vitals(id).Health > 100 {
						t.Fatalf("seed %d: %d points heal %d", seed, points, got)
					}
				default:
					l.AddArmour(id, points)
				}
			}
			if v.Dead() {
				kills++
			}
		}
	}
	if kills < 500 {
		t.Errorf("only %d kills: too few to mean anything", kills)
	}
	t.Logf("seed %d: %d blows did something, %d killed", seed, deals, kills)
}

// The memory is bounded and exact: no receipt ever counts twice, whatever comes in what
// order, also where the numbers wrap (THR-31); one that is refused as forgotten is older
// than 512 that were taken. [HIT-14]
func TestTheMemoryIsBounded(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	var m memory
	taken := map[receiptID]bool{}
	newest := uint32(math.MaxUint32 - 40000)
	counts := [outcomes]int{}
	for range 100000 {
		newest += r.Uint32N(3)
		x := receiptID{newest - r.Uint32N(1600), uint8(r.IntN(2))}
		got := m.take(x)
		counts[got]++
		switch {
		case got == Applied && taken[x]:
			t.Fatalf("seed %d: %+v counts twice", seed, x)
		case got == Duplicate && !taken[x]:
			t.Fatalf("seed %d: %+v is refused at first sight", seed, x)
		case got == TooOld && newer(x.shot, m.refused) > 0:
			t.Fatalf("seed %d: %+v is forgotten behind %d", seed, x, m.refused)
		}
		if got == Applied {
			taken[x] = true
		}
	}
	t.Logf("seed %d: %d taken, %d again, %d forgotten", seed, counts[Applied], counts[Duplicate], counts[TooOld])
	if counts[Applied] < 20000 || counts[Duplicate] < 1000 || counts[TooOld] < 1000 {
		t.Errorf("%v: too few of a sort to mean anything", counts)
	}
	m = memory{}
	m.take(receiptID{100, 0})
	for n := uint32(101); n < 100+MaxRemembered; n++ {
		m.take(receiptID{n * 10, 0})
	}
	if got := m.take(receiptID{99, 0}); got != Applied {
		t.Errorf("a grenade that 511 others overtook: %v, want it to count", got)
	}
	if got := m.take(receiptID{99, 0}); got != TooOld {
		t.Errorf("the same again: %v, want %v", got, TooOld)
	}
}

// A grenade flies for 10 s, the longest fuse, while its thrower hits 50 times a second: the grenade still does
// damage, once. So does one that was thrown over an earlier connection, whose commands had far higher numbers, and the
// shots of the new connection count as well. [HIT-11, GAP-48]
func TestAGrenadeThatManyShotsOvertake(t *testing.T) {
	const shots = 10 * 50
	for _, c := range []struct {
		name         string
		thrown, from uint32
	}{{"of the same connection", math.MaxUint32 - 100, math.MaxUint32 - 100}, {"of the connection before", 100_000, 0}} {
		l := ring(Rules{Health: 65535}, 2)
		for n := range uint32(shots) {
			if n == shots/2 && c.from == 0 {
				l.Join(1, true)
				settle(l, hit(1, c.thrown, 2, rig.Body, 90))
			}
			settle(l, hit(1, c.from+5*n+1, 2, rig.Body, 1))
		}
		grenade := hit(1, c.thrown, 2, rig.Body, 90)
		settle(l, grenade)
		if got, want := l.Vitals(2).Health, uint16(65535-shots-90); got != want {
			t.Errorf("a grenade %s: got %d health left (%v), want %d", c.name, got, why(l), want)
		}
		if dealt := settle(l, grenade); len(dealt) != 0 || why(l) != Duplicate {
			t.Errorf("a grenade %s again: got %d results (%v), want none (%v)", c.name, len(dealt), why(l), Duplicate)
		}
	}
}

// A checkpoint makes the vitals of a ledger those that it has, whatever the ledger had before: an id that was dead
// is dead again.
func TestACheckpointReplacesVitals(t *testing.T) {
	saved, other := ring(Rules{}, 1), ring(Rules{}, 3)
	saved.entries = append(saved.entries, make([]entry, 2)...) // players 2 and 3 have not entered
	var p bits.Packer
	p.Write(make([]byte, 100))
	saved.Checkpoint(&p)
	p.Read(p.Bytes())
	if other.Checkpoint(&p); p.Err() != nil {
		t.Fatal(p.Err())
	}
	for id := track.ID(1); id <= 3; id++ {
		if got, want := other.Vitals(id), saved.Vitals(id); got != want {
			t.Errorf("player %d: got %+v, want %+v", id, got, want)
		}
	}
}

// A grenade is in the air while its thrower dies, returns and fires: it still counts; the
// player that has the seat next counts shots from the beginning, and its shots count. [GAP-50]
func TestWhoComesNext(t *testing.T) {
	l := ring(Rules{}, 2)
	settle(l, hit(1, 50, 2, rig.Body, 5))
	l.Leave(1)
	l.Spawn(1, 2, 0)
	settle(l, hit(1, 60, 2, rig.Body, 5))
	if dealt := settle(l, hit(1, 40, 2, rig.Body, 5)); len(dealt) != 1 {
		t.Errorf("the grenade of the life before: %v", why(l))
	}
	l.Join(1, false)
	if v := l.Vitals(1); v != (Vitals{}) {
		t.Errorf("a newcomer has %+v", v)
	}
	if dealt := settle(l, hit(1, 50, 2, rig.Body, 5)); len(dealt) != 1 || l.Vitals(2).Health != 80 {
		t.Errorf("the newcomer's shot 50: %v", why(l))
	}
}

// What comes with no receipt: a fall hurts through armour and kills; the score is nobody's.
// Of a shot and a fall in one tick the shot counts first.
func TestTheWorldHurts(t *testing.T) {
	l := ring(Rules{Plates: kevlar()}, 2)
	l.AddArmour(2, 250)
	if v := l.Vitals(2); v.Armour != 100 {
		t.Errorf("250 points of armour are %d, want 100", v.Armour)
	}
	fall := Hit{Target: 2, Life: 1, Damage: math.MaxUint16, Seen: now}
	l.Queue(fall)
	dealt := settle(l, hit(1, 1, 2, rig.Leg, 30))
	if len(dealt) != 2 || dealt[0].Attacker != 1 || dealt[1].Attacker != 0 || dealt[1].HealthLost != 70 || !dealt[1].Killed || dealt[1].At != dealt[1].Seen {
		t.Errorf("%+v", dealt)
	}
	l.Queue(fall)
	if dealt = l.ApplyQueued(now, nil); len(dealt) != 0 || why(l) != TargetDead {
		t.Errorf("once more: %+v (%v)", dealt, why(l))
	}
	if l.Heal(2, 50) != 0 || l.AddArmour(2, 50) != 0 || !(l.Vitals(2) == Vitals{Life: 1, Armour: 100}) {
		t.Errorf("the dead are healed: %+v", l.Vitals(2))
	}
}

// The log tells the last 256 blows, oldest first, also those that did nothing.
func TestTheLog(t *testing.T) {
	l := ring(Rules{}, 2)
	if log := l.Log(nil); len(log) != 0 {
		t.Errorf("a new log has %d", len(log))
	}
	for n := range uint32(300) {
		settle(l, hit(1, n+1, 2, rig.Body, 1))
	}
	log := l.Log(nil)
	if len(log) != MaxLog || log[0].Shot != 45 || log[255].Shot != 300 || log[0].Outcome != Applied || log[255].Outcome != TargetDead || log[255].Outcome.String() != "was dead already" {
		t.Errorf("%d blows, %+v … %+v", len(log), log[0], log[len(log)-1])
	}
	for w := range outcomes {
		if (w.String() == "") != (w == Applied) || w.String() == "unknown reason" {
			t.Errorf("reason %d has no words", w)
		}
	}
}

// A call that names what is not there panics at once.
func TestMisuse(t *testing.T) {
	for name, do := range map[string]func(){
		"no seats":          func() { NewLedger(Rules{}, 0) },
		"half a friend off": func() { NewLedger(Rules{Friendly: 1.5}, 1) },
		"no number":         func() { NewLedger(Rules{Self: math.NaN()}, 1) },
		"a plate that gives": func() {
			NewLedger(Rules{Plates: [rig.HitGroups]ArmourPlate{rig.Body: {Share: -1}}}, 1)
		},
		"endless wear": func() { NewLedger(Rules{Plates: [rig.HitGroups]ArmourPlate{rig.Body: {Wear: math.Inf(1)}}}, 1) },
		"no seat":      func() { ring(Rules{}, 2).Spawn(3, 1, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			do()
		}()
	}
	if v := ring(Rules{}, 2).Vitals(3); v != (Vitals{}) {
		t.Errorf("nobody has %+v", v)
	}
	if r := NewLedger(Rules{}, 1).Rules(); r.Health != 100 || r.Armour != 100 {
		t.Errorf("zero rules: %+v", r)
	}
}

// digest returns a hash of all vitals and of the receipts taken. It does not depend on the
// order in which the receipts of a tick were applied.
func digest(l *Ledger) uint64 {
	h := uint64(0)
	for i := range l.entries {
		v, m := &l.entries[i].vitals, &l.entries[i].memory
		h = mix(h ^ uint64(v.Health) ^ uint64(v.Armour)<<16 ^ uint64(v.Team)<<32 ^ uint64(v.Life)<<40)
		h = mix(h ^ uint64(len(m.taken)) ^ uint64(m.refused)<<32)
		sum := uint64(0)
		for _, r := range m.taken {
			sum += mix(uint64(r.shot) | uint64(r.stage)<<32)
		}
		h = mix(h ^ sum)
	}
	return h
}

// mix is splitmix64.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// A tick of shots allocates nothing once warm.
func TestNoAllocations(t *testing.T) {
	l, n := ring(Rules{Health: 65535, Plates: kevlar()}, 8), uint32(0)
	into := make([]Result, 0, 64)
	run := func() {
		n++
		for by := track.ID(1); by <= 8; by++ {
			r := hit(by, n, by%8+1, rig.Body, 1)
			l.QueueReceipt(&r, 0)
		}
		into = l.ApplyQueued(now, into[:0])
	}
	if run(); testing.AllocsPerRun(200, run) != 0 {
		t.Error("a tick allocates")
	}
}

// What 8 hits in a tick cost.
func BenchmarkTick(b *testing.B) {
	l, n := ring(Rules{Health: 65535, Plates: kevlar()}, 8), uint32(0)
	into := make([]Result, 0, 64)
	for b.Loop() {
		n++
		for by := track.ID(1); by <= 8; by++ {
			r := hit(by, n, by%8+1, rig.Body, 1)
			l.QueueReceipt(&r, 0)
		}
		into = l.ApplyQueued(now, into[:0])
	}
}
