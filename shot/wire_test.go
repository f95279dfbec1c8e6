package shot

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/golden"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// packed returns what pack writes.
func packed(t testing.TB, pack func(p *bits.Packer)) []byte {
	t.Helper()
	var p bits.Packer
	p.Write(make([]byte, 512))
	pack(&p)
	if p.Err() != nil {
		t.Fatalf("writing: %v", p.Err())
	}
	return slices.Clone(p.Bytes())
}

// anyMark returns a mark with something in every field.
func anyMark(r *rand.Rand) rewind.HitTarget {
	return rewind.HitTarget{Kind: rewind.HitKind(r.IntN(3)), Target: track.ID(1 + r.IntN(1023)), Hitbox: rig.HitboxID(1 + r.IntN(31)), HitGroup: rig.HitGroup(1 + r.IntN(7))}
}

// A command without a shot costs one bit; one with a shot is read exactly as
// Quantise says, which is idempotent.
func TestClaimPack(t *testing.T) {
	const seed = 31
	r := rand.New(rand.NewPCG(seed, 0))
	none := Claim{Weapon: 3, Yaw: 1}
	if b := packed(t, none.Pack); len(b) != 1 || b[0] != 0 || none.Quantise() != (Claim{}) {
		t.Errorf("no shot: %x and %+v, want one zero bit and nothing", b, none.Quantise())
	}
	healing, smoothing := 0, 0
	for i := range 20000 {
		c := Claim{
			Fire: r.IntN(10) > 0, Weapon: uint8(r.IntN(MaxWeapons)), SceneSum: uint16(r.Uint32() >> r.IntN(32)), Yaw: r.NormFloat64() * 5, Pitch: r.NormFloat64(),
			View:    track.View{At: clock.Micros(r.Int64N(1e10) - 1000), Seen: track.Received{Newest: 65 + r.Uint32N(1e6), Mask: r.Uint64()}},
			SeenHit: anyMark(r),
		}
		c.View.Mode = track.DrawMode(r.IntN(4))
		for at, tick := c.View.At, c.View.Seen.Newest; r.IntN(9) > 0; {
			at, tick = at-clock.Micros(r.IntN(60_000)), tick-uint32(r.IntN(8))
			c.View.AddArrival(at, tick)
		}
		if r.IntN(12) > 0 {
			c.View.BlendAt = c.View.At - clock.Micros(r.Int64N(int64(track.BlendTime)*3/2)-1000)
			c.View.BlendFrom = track.Received{Newest: c.View.Seen.Newest + 3 - r.Uint32N(70), Mask: r.Uint64() >> r.IntN(64)}
			if n := c.View.BlendFrom.Newest - 1; n < 64 {
				c.View.BlendFrom.Mask &= 1<<n - 1
			}
		}
		if c.Fire && c.View.Blending() && c.View.At >= 0 {
			healing++
		}
		if q := c.Quantise(); q.View.NeedsArrivals() {
			smoothing++
		}
		var got Claim
		got.Yaw = 7 // what was there before goes
		var p bits.Packer
		p.Read(packed(t, c.Pack))
		got.Pack(&p)
		want := c.Quantise()
		if p.End(); p.Err() != nil || got != want || want.Quantise() != want {
			t.Fatalf("seed %d, %d: read %+v\nwant %+v (%v)", seed, i, got, want, p.Err())
		}
		if d := got.Aim().Dist(geom.Look(c.Yaw, c.Pitch)); got.Fire && d > 1.5e-4 || math.Abs(got.Aim().Len()-1) > 1e-15 {
			t.Fatalf("seed %d: the aim moved by %v", seed, d)
		}
	}
	if healing < 3000 || smoothing < 3000 {
		t.Errorf("%d claims that heal and %d that smooth: too few to mean anything", healing, smoothing)
	}
}

// A view that needs no healing costs a bit for it, whatever Before says; one that cannot
// be is refused: healed before the match, from ticks below 1, drawn in no way there is.
func TestClaimsThatHeal(t *testing.T) {
	view := track.View{At: clock.Second, Seen: track.Received{Newest: 100}, BlendFrom: track.Received{Newest: 99}, BlendAt: clock.Second - 1}
	blends, plain := Claim{Fire: true, View: view}, Claim{Fire: true, View: view}
	plain.View.BlendAt -= track.BlendTime
	var p bits.Packer
	size := func(c Claim) int {
		p.Write(make([]byte, 64))
		c.Pack(&p)
		return p.Bits()
	}
	if a, b := size(blends), size(plain); a-b != 18+7+64 {
		t.Errorf("healing costs %d bits more than none", a-b)
	}
	for name, c := range map[string]struct {
		at        clock.Micros
		newest    uint32
		drawn     int
		age, back int
		mask      uint64
		want      error
	}{
		"fine":                    {at: 100, newest: 100, age: 99, back: 64, mask: 1<<35 - 1},
		"healed before the match": {at: 100, newest: 100, age: 100, want: bits.ErrRange},
		"no snapshot before":      {at: 100, newest: 9, back: 9, want: bits.ErrRange},
		"ticks below 1":           {at: 100, newest: 100, back: 64, mask: 1 << 35, want: bits.ErrRange},
		"from further back":       {at: 100, newest: 100, back: 65, want: bits.ErrRange},
		"too long ago":            {at: clock.Second, newest: 100, age: int(track.BlendTime), want: bits.ErrRange},
	} {
		p.Write(make([]byte, 64))
		fire, weapon, angle, at, mask, blends, met, sums := true, 0, 0.0, uint64(c.at), uint64(0), true, 0, false
		p.Bool(&fire)
		p.Ranged(&weapon, 0, MaxWeapons-1)
		p.Angle16(&angle)
		p.Angle16(&angle)
		p.Uvarint(&at)
		p.Uint32(&c.newest)
		p.Uint(&mask, 64)
		p.Ranged(&c.drawn, 0, 3)
		p.Bool(&blends)
		p.Ranged(&c.age, 0, 1<<18-1)
		p.Ranged(&c.back, 0, 127)
		p.Uint(&c.mask, 64)
		p.Ranged(&met, 0, 2)
		p.Bool(&sums)
		p.Read(p.Bytes())
		var got Claim
		if got.Pack(&p); p.Err() != c.want || p.Err() != nil && got.View.BlendAt != 0 {
			t.Errorf("%s: %v, %+v; want %v", name, p.Err(), got.View, c.want)
		}
	}
}

// SMO-15: a claim of a picture that smooths says when snapshots were first drawn, as few bits
// as that needs; what no client can have seen cannot be said.
func TestClaimsThatSmooth(t *testing.T) {
	view := func(drawn track.DrawMode, ticks, times uint64) Claim {
		c := Claim{Fire: true, View: track.View{At: 30*track.ArrivalGrid + 5, Seen: track.Received{Newest: 50, Mask: 7}, Mode: drawn}}
		c.View.ArrivedTicks = ticks
		for i := range c.View.ArrivedAt {
			c.View.ArrivedAt[i] = byte(times >> (8 * i))
		}
		return c
	}
	var p bits.Packer
	write := func(c Claim) int {
		p.Write(make([]byte, 128))
		c.Pack(&p)
		return p.Bits()
	}
	none := write(view(track.DrawExponential, 0, 0))
	for _, c := range []struct {
		name string
		view Claim
		bits int // more than without arrivals; −1: no such view
	}{
		{"none", view(track.DrawExponential, 0, 0), 0},
		{"three", view(track.DrawLinear, 1<<2|1<<5|1<<8, 1|1<<6|1<<12), 120},
		{"of the first tick, at the beginning of the match", view(track.DrawExponential, 1<<48, 1<<30), 120},
		{"of before the first tick", view(track.DrawExponential, 1<<49, 1<<30), -1},
		{"before the match", view(track.DrawExponential, 1<<48, 1<<31), -1},
		{"an instant without a tick", view(track.DrawLinear, 1, 3), -1},
		{"a tick without an instant", view(track.DrawLinear, 3, 1), -1},
		{"only instants", view(track.DrawLinear, 0, 1), -1},
		{"too many", view(track.DrawLinear, 1<<29-1, 1<<29-1), -1},
	} {
		q := c.view.Quantise()
		switch n := write(c.view); {
		case c.bits < 0:
			p.Read(p.Bytes())
			if got := (Claim{}); q.View.NeedsArrivals() || q.View.ArrivedAt != (track.ArrivalTimes{}) {
				t.Errorf("%s: quantised it is %+v", c.name, q.View)
			} else if got.Pack(&p); p.Err() == nil && got.View == c.view.View {
				t.Errorf("%s: it came across as it is", c.name)
			}
		case n-none != c.bits || q != c.view:
			t.Errorf("%s: %d bits, quantised %+v; want %d and %+v", c.name, n-none, q.View, c.bits, c.view.View)
		default:
			var got Claim
			p.Read(p.Bytes())
			if got.Pack(&p); p.Err() != nil || got != c.view {
				t.Errorf("%s: %v, %+v, want %+v", c.name, p.Err(), got.View, c.view.View)
			}
		}
	}
	between := view(track.DrawInterpolated, 1, 1)
	if q := between.Quantise(); q.View.ArrivedTicks != 0 || write(between) != none-1 {
		t.Errorf("drawn between samples: %+v, %d bits; want no arrivals and %d", q.View, write(between), none-1)
	}
}

// GAP-02, GAP-47, HIT-14: an aim that is not a number cannot be sent, and no other
// field could be forged: there is none for origin, radius, range or damage. [HIT-01]
func TestOddClaims(t *testing.T) {
	c := Claim{Fire: true, Yaw: math.NaN()}
	var p bits.Packer
	p.Write(make([]byte, 64))
	if c.Pack(&p); p.Err() != bits.ErrNotFinite {
		t.Errorf("got %v want %v", p.Err(), bits.ErrNotFinite)
	}
	if q := c.Quantise(); q.Yaw != 0 || !q.Aim().Finite() {
		t.Errorf("quantised: %+v", q)
	}
}

// anyReceipt returns a receipt with something in every field.
func anyReceipt(r *rand.Rand) Receipt {
	rc := Receipt{
		Shot: r.Uint32() >> r.IntN(32), Shooter: track.ID(r.IntN(1024)), Weapon: uint8(r.IntN(MaxWeapons)),
		ViewRequested: clock.Micros(r.Int64N(1e10)), Verdict: Verdict(r.IntN(4)), Reason: Reason(r.IntN(int(reasons))),
		Outcome: rewind.Outcome{HitTarget: anyMark(r), Life: uint8(r.Uint32()), Distance: r.Float64() * 5000,
			Point: geom.V(r.NormFloat64()*50, r.NormFloat64()*5, r.NormFloat64()*50)},
		Agrees: r.IntN(2) == 0, Scene: SceneCheck{uint8(r.IntN(16)), uint16(r.Uint32())}, Damage: uint16(r.Uint32()),
	}
	if rc.Verdict == Hit {
		rc.EventCount = uint8(1 + r.IntN(MaxDamageEvents))
	}
	for i := range rc.Events[:rc.EventCount] {
		count := 1 + r.IntN(MaxPellets)
		rc.Events[i] = DamageEvent{track.ID(1 + r.IntN(1023)), uint8(r.Uint32()), rig.HitGroup(1 + r.IntN(7)), uint8(count), uint8(r.IntN(count + 1)),
			uint16(r.Uint32()), spareReasons[r.IntN(len(spareReasons))]}
	}
	if rc.EventCount > 0 && r.IntN(2) == 0 {
		rc.Events[0] = rc.singleHit()
	}
	if rc.EventCount > 0 && rc.Events[0].Target == 0 {
		rc.Events[0] = DamageEvent{Target: 1, HitGroup: rig.Body, Count: 1}
	}
	rc.ViewGranted = rc.ViewRequested
	if r.IntN(3) == 0 {
		rc.ViewGranted += clock.Micros(r.Int64N(1e6))
	}
	return rc
}

// A receipt is read exactly as Quantise says, which is idempotent. [GAP-54]
func TestReceiptPack(t *testing.T) {
	const seed = 32
	r := rand.New(rand.NewPCG(seed, 0))
	most := 0
	for i := range 20000 {
		want := anyReceipt(r)
		b := packed(t, want.Pack)
		var got Receipt
		var p bits.Packer
		p.Read(b)
		got.Pack(&p)
		most = max(most, p.Bits())
		q := want.Quantise()
		if p.End(); p.Err() != nil || got != q || q.Quantise() != q {
			t.Fatalf("seed %d, %d: read %+v\nwant %+v (%v)", seed, i, got, q, p.Err())
		}
		if got.Verdict == Launched != got.Agrees && !got.cast() {
			t.Fatalf("seed %d, %d: verdict %v, agrees %v: a launch agrees, a refusal does not", seed, i, got.Verdict, got.Agrees)
		}
	}
	t.Logf("a receipt takes at most %d bits", most)
}

// What a receipt of an ordinary match costs, ten minutes in; and the longest there is.
func TestReceiptsAreShort(t *testing.T) {
	one := Receipt{Shot: 36000, Shooter: 3, ViewRequested: 600 * clock.Second, ViewGranted: 600 * clock.Second, Verdict: Miss,
		Outcome: rewind.Outcome{HitTarget: rewind.HitTarget{Kind: rewind.World}, Distance: 31, Point: geom.V(20, 1, -24)}, Agrees: true}
	hit := one
	hit.Verdict, hit.Scene = Hit, SceneCheck{1, 4711}
	hit.Outcome.HitTarget = rewind.HitTarget{Kind: rewind.Player, Target: 7, Hitbox: 3, HitGroup: rig.Body}
	hit.EventCount, hit.Events[0] = 1, hit.singleHit()
	hit.Events[0].Damage = 25
	fan := hit
	fan.EventCount = 3
	for i := range fan.Events[:3] {
		fan.Events[i] = DamageEvent{Target: track.ID(7 + i), HitGroup: rig.Body, Count: uint8(4 - i), Damage: uint16(30 - i)}
	}
	refused := one
	refused.Verdict, refused.Reason = Refused, OldView
	far := fan
	far.Shot, far.ViewRequested, far.ViewGranted = 1<<32-1, maxView, maxView-1
	far.Outcome.Point = geom.V(1e7, 1e7, 1e7)
	far.EventCount = MaxDamageEvents
	for i := range far.Events {
		far.Events[i] = DamageEvent{Target: 1022, HitGroup: rig.Leg, Count: MaxPellets, Damage: 65535}
	}
	farthest := far
	farthest.Shooter, farthest.Outcome.Target = track.MaxID, track.MaxID
	for i := range farthest.Events {
		farthest.Events[i].Target = track.MaxID
	}
	var p bits.Packer
	for _, c := range []struct {
		name string
		of   Receipt
		most int // bits
	}{
		{"refused", refused, 96}, {"a miss", one, 176}, {"a hit", hit, 232}, {"pellets at three", fan, 336},
		{"the longest", far, 800}, {"the longest with the largest ids", farthest, 900},
	} {
		p.Write(make([]byte, 512))
		c.of.Pack(&p)
		if p.Err() != nil || p.Bits() > c.most {
			t.Errorf("%s: %d bits, want at most %d (%v)", c.name, p.Bits(), c.most, p.Err())
		}
		t.Logf("%s: %d bits, %d bytes", c.name, p.Bits(), (p.Bits()+7)/8)
	}
}

// GAP-04: the formats are frozen; a change of these bytes is a new protocol.
func TestGoldenWire(t *testing.T) {
	c := Claim{Fire: true, Yaw: 1, Pitch: -.2, View: track.View{At: 61_234_567, Seen: track.Received{Newest: 3670, Mask: 1<<64 - 2}},
		SeenHit: rewind.HitTarget{Kind: rewind.Player, Target: 7, Hitbox: rig.HitboxID(rig.Head), HitGroup: rig.Head}}
	rc := Receipt{Shot: 9000, Shooter: 3, ViewRequested: 61_234_567, ViewGranted: 61_300_000, Verdict: Hit, Reason: AlreadyDead,
		Outcome: rewind.Outcome{HitTarget: c.SeenHit, Life: 2, Distance: 12.345, Point: geom.V(1, 1.6, -12)}, Agrees: true, Scene: SceneCheck{2, 0xbeef}}
	rc.EventCount, rc.Events[0], rc.Events[1] = 2, rc.singleHit(), DamageEvent{Target: 9, Life: 1, HitGroup: rig.Body, Count: 3, Heads: 1, Damage: 45}
	rc.Events[0].Reason = AlreadyDead
	table := Table{Rifle(), everything()}
	arms := table.Loadout()
	arms.Held, arms.Deploy, arms.Swings = 1, 1234, 3
	a := Ammo{Rounds: 12, Cooldown: -2500, Reload: 0}
	got := ""
	for _, pack := range []func(*bits.Packer){c.Pack, rc.Pack, a.Pack, arms.Pack} {
		got += hex.EncodeToString(packed(t, pack)) + "\n"
	}
	got += hex.EncodeToString(table.Append(nil)) + "\n"
	golden.Check(t, "testdata/wire.hex", got)
}

// FuzzClaim: THR-13: any bytes are a claim or an error, and what was read is
// written as the same bytes.
func FuzzClaim(f *testing.F) {
	c := Claim{Fire: true, Yaw: 1, SeenHit: rewind.HitTarget{Kind: rewind.Player, Target: 7, Hitbox: rig.HitboxID(rig.Head), HitGroup: rig.Head}}
	f.Add(packed(f, c.Pack))
	c.View = track.View{At: clock.Second, Seen: track.Received{Newest: 100, Mask: 7}, BlendFrom: track.Received{Newest: 97, Mask: 1},
		BlendAt: clock.Second - track.BlendTime/2, Mode: track.DrawNewest}
	f.Add(packed(f, c.Pack))
	c.View.Mode, c.View.ArrivedTicks, c.View.ArrivedAt = track.DrawExponential, 1<<2|1<<9, track.ArrivalTimes{2, 16}
	f.Add(packed(f, c.Pack))
	f.Add(make([]byte, 30))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p bits.Packer
		var c Claim
		p.Read(b)
		c.Pack(&p)
		p.End()
		if !c.Aim().Finite() || c.View.At < 0 || !c.View.Mode.Valid() || (c.View.BlendAt != 0) != c.View.Blending() || c.SeenHit.Kind > rewind.Player || c.SeenHit.Hitbox > rig.MaxHitboxes || c.Weapon >= MaxWeapons {
			t.Fatalf("out of range: %+v", c)
		}
		if p.Err() == nil && (c.Quantise() != c || !bytes.Equal(packed(t, c.Pack), b)) {
			t.Fatalf("read %x, wrote %x", b, packed(t, c.Pack))
		}
	})
}

// FuzzReceipt: the same for receipts, which clients read.
func FuzzReceipt(f *testing.F) { // THR-13
	rc := anyReceipt(rand.New(rand.NewPCG(1, 0)))
	f.Add(packed(f, rc.Pack))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p bits.Packer
		var r Receipt
		p.Read(b)
		r.Pack(&p)
		p.End()
		if !r.Outcome.Point.Finite() || r.Verdict > Launched || r.EventCount > MaxDamageEvents || r.Weapon >= MaxWeapons || r.Reason >= reasons {
			t.Fatalf("out of range: %+v", r)
		}
		if p.Err() == nil && (r.Quantise() != r || !bytes.Equal(packed(t, r.Pack), b)) {
			t.Fatalf("read %x, wrote %x", b, packed(t, r.Pack))
		}
	})
}

// FuzzAmmo: the same for ammunition, which corrections carry.
func FuzzAmmo(f *testing.F) { // THR-13
	a := Ammo{12, -500, 3}
	f.Add(packed(f, a.Pack))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p bits.Packer
		var a Ammo
		p.Read(b)
		a.Pack(&p)
		p.End()
		if p.Err() == nil && !bytes.Equal(packed(t, a.Pack), b) {
			t.Fatalf("read %x, wrote %x", b, packed(t, a.Pack))
		}
	})
}
