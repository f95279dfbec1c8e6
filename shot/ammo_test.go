package shot

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rig"
)

const ms = clock.Millisecond

// The rifle is what the arena says it is.
func TestTheRifle(t *testing.T) {
	w := Rifle()
	if w.Range != 100 || w.Cooldown != 100*ms || w.Reload != 2*clock.Second || w.Magazine != 30 ||
		w.Damage[rig.Body] != 25 || w.Damage[rig.Head] != 60 || w.Damage[rig.NoHitGroup] != 0 {
		t.Errorf("%+v", w)
	}
}

// The trigger is held for 2.9 s: a shot in 100 ms at every frame rate, though
// commands begin when they do, then the magazine is empty and full again 2 s
// later.
func TestRateOfFire(t *testing.T) {
	w := Rifle()
	for _, rate := range []int{30, 60, 75, 128, 144, 240} {
		a := FullAmmo(&w)
		shots, now := 0, clock.Micros(0)
		var first, emptied, again clock.Micros
		for i := int64(0); again == 0; i++ {
			d := clock.TickTime(i+1, rate) - clock.TickTime(i, rate)
			if a.Step(&w, true, false, d) {
				if shots++; shots == 1 {
					first = now
				}
				if shots == 30 {
					emptied = now
				}
				if shots == 31 {
					again = now
				}
			}
			now += d
		}
		tick := clock.TickTime(1, rate) + 1
		if took := emptied - first; took < 2900*ms || took > 2900*ms+tick {
			t.Errorf("%d Hz: 30 shots in %d ms, want 2900", rate, took/ms)
		}
		if gap := again - emptied; gap < 2000*ms || gap > 2000*ms+2*tick {
			t.Errorf("%d Hz: next shot after %d ms, want 2000", rate, gap/ms)
		}
	}
}

// Whatever the commands' durations and however the trigger is pulled, in any time
// t no more than t/100 ms + 1.25 shots leave, and never two within 75 ms.
func TestNobodyFiresFaster(t *testing.T) {
	const seed = 6
	r := rand.New(rand.NewPCG(seed, 0))
	w := Rifle()
	w.Magazine, w.Reload = 255, ms
	for range 50 {
		a := FullAmmo(&w)
		var at []clock.Micros
		now := clock.Micros(0)
		for range 3000 {
			d := clock.Micros(1 + r.Int64N(20000))
			if r.IntN(20) == 0 {
				d = clock.Micros(1 + r.Int64N(125000))
			}
			if a.Step(&w, r.IntN(5) > 0, false, d) {
				at = append(at, now)
			}
			now += d
		}
		for i := range at {
			for j := i + 1; j < min(i+60, len(at)); j++ {
				if took := at[j] - at[i]; took < clock.Micros(j-i)*100*ms-25*ms {
					t.Fatalf("seed %d: %d shots in %d µs", seed, j-i+1, took)
				}
			}
		}
	}
}

// LAG-08: one round, two clicks: one shot, and never fewer than 0 rounds. [GAP-34]
func TestTheLastRound(t *testing.T) {
	w := Rifle()
	a := FullAmmo(&w)
	a.Rounds = 1
	first, second := a.Step(&w, true, false, 150*ms), a.Step(&w, true, false, 150*ms)
	if !first || second || a.Rounds != 0 || a.Reload != 1700*ms {
		t.Errorf("fired %v %v, %+v; want true, false, 0 rounds, 1.7 s to go", first, second, a)
	}
}

// A reload is asked for: not with a full magazine, not twice, and it takes 2 s in
// which nothing is fired. [LAG-09]
func TestReload(t *testing.T) {
	w := Rifle()
	a := FullAmmo(&w)
	if a.Step(&w, false, true, 10*ms); a.Reload != 0 {
		t.Errorf("a full magazine is reloaded: %+v", a)
	}
	if !a.Step(&w, true, true, 10*ms) || a.Reload != 1990*ms {
		t.Errorf("fire and reload in one command: %+v, want the shot and then the reload", a)
	}
	for i := range 199 {
		if a.Ready() || a.Step(&w, true, true, 10*ms) {
			t.Fatalf("fired while reloading, after %d ms", i*10)
		}
	}
	if a != FullAmmo(&w) {
		t.Errorf("after 2 s: %+v, want a full magazine", a)
	}
	var empty Ammo
	if empty.Step(&w, true, false, ms); empty.Rounds != 0 || empty.Reload != 1999*ms {
		t.Errorf("the zero Ammo: %+v, want it reloading", empty)
	}
}

// LAG-07, LAG-09, GAP-34: three quick shots, 200 ms from the server: the owner
// shows 29, 28, 27 and stays there, whatever the server says of older commands,
// because its word is replayed with the commands that it has not seen; a shot that
// the server refused comes back, and a reload is adopted less the shots since.
func TestPredictedAmmoNeverFlickers(t *testing.T) {
	w := Rifle()
	w.Cooldown = 0
	type command struct{ fire bool }
	owner, server := FullAmmo(&w), FullAmmo(&w)
	var pending []command
	var shown []uint8
	for i := range 60 {
		c := command{fire: i == 5 || i == 6 || i == 7}
		owner.Step(&w, c.fire, false, 16*ms)
		pending = append(pending, c)
		if i >= 12 { // what was sent 12 frames ago is simulated, and its result comes back
			server.Step(&w, pending[0].fire, false, 16*ms)
			pending = pending[1:]
			owner = server
			for _, p := range pending {
				owner.Step(&w, p.fire, false, 16*ms)
			}
		}
		if len(shown) == 0 || shown[len(shown)-1] != owner.Rounds {
			shown = append(shown, owner.Rounds)
		}
	}
	if len(shown) != 4 || shown[1] != 29 || shown[3] != 27 || server.Rounds != 27 {
		t.Errorf("shown %v, server %d; want 30 29 28 27 and 27", shown, server.Rounds)
	}
	owner = Ammo{Rounds: 30} // the server says: reloaded; one shot of ours is younger
	owner.Step(&w, true, false, 16*ms)
	if owner.Rounds != 29 {
		t.Errorf("reload with one shot since: %d, want 29", owner.Rounds)
	}
}

// A correction carries the ammunition without loss, so both ends are equal again.
func TestAmmoPack(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	for range 10000 {
		want := Ammo{uint8(r.Uint32()), clock.Micros(r.Int64N(200000) - 50000), clock.Micros(r.Int64N(60e6))}
		var p bits.Packer
		p.Write(make([]byte, 32))
		w := want
		w.Pack(&p)
		var got Ammo
		p.Read(p.Bytes())
		got.Pack(&p)
		if p.End(); p.Err() != nil || got != want {
			t.Fatalf("seed %d: %+v became %+v (%v)", seed, want, got, p.Err())
		}
	}
	for _, bad := range []Ammo{{Reload: -1}, {Reload: maxTimer + 1}, {Cooldown: maxTimer + 1}, {Cooldown: -maxTimer - 1}} {
		var p bits.Packer
		p.Write(make([]byte, 32))
		c, l := int64(bad.Cooldown), int64(bad.Reload)
		p.Byte(&bad.Rounds)
		p.Varint(&c)
		p.Varint(&l)
		p.Read(p.Bytes())
		var got Ammo
		if got.Pack(&p); p.Err() != bits.ErrRange || got != (Ammo{}) {
			t.Errorf("%+v: read %+v (%v), want bits.ErrRange", bad, got, p.Err())
		}
	}
}
