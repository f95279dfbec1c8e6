package combat

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// randomNotices draws notices of everything.
func randomNotices(r *rand.Rand, now clock.Micros) (n Notices) {
	vec := func() geom.Vec3 { return geom.V(r.NormFloat64()*100, r.NormFloat64()*100, r.NormFloat64()*100) }
	for range r.IntN(5) {
		g := SeenShot{Shooter: track.ID(1 + r.IntN(MaxShooters)), Weapon: uint8(r.IntN(shot.MaxWeapons)), To: vec()}
		if g.Ended = r.IntN(2) == 0; g.Ended {
			g.At = now - clock.Micros(r.IntN(6_000_000))
		} else {
			g.From, g.More = vec(), r.IntN(len(g.Ends)+1)
			for i := range g.More {
				g.Ends[i] = vec()
			}
		}
		n.Shots.Items = append(n.Shots.Items, g)
	}
	for range r.IntN(5) {
		n.Damage.Items = append(n.Damage.Items, Damage{By: track.ID(1 + r.IntN(MaxShooters)), Weapon: uint8(r.IntN(shot.MaxWeapons)),
			HitGroup: rig.HitGroup(r.IntN(rig.HitGroups)), Amount: uint16(r.IntN(65536)), From: vec(), Ago: clock.Micros(r.IntN(4_095_000))})
	}
	return n
}

// Notices keep what they say within the grid, take no more bits than their bound, and packing what
// was read makes the same bytes.
func TestNoticesTravel(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 1))
	const now = 20 * clock.Second
	for i := range 300 {
		want := randomNotices(r, now)
		var p bits.Packer
		p.Write(make([]byte, 1<<14))
		want.Pack(&p, now)
		bound := CountBits
		for k := range want.Shots.Items {
			bound += want.Shots.Items[k].MaxBits()
		}
		for k := range want.Damage.Items {
			bound += want.Damage.Items[k].MaxBits()
		}
		if p.Err() != nil || p.Bits() > bound {
			t.Fatalf("seed %d, %d: %v, %d bits, more than the bound %d", seed, i, p.Err(), p.Bits(), bound)
		}
		b := append([]byte(nil), p.Bytes()...)
		var got Notices
		p.Read(b)
		got.Pack(&p, now)
		p.Write(make([]byte, 1<<14))
		got.Pack(&p, now)
		if string(p.Bytes()) != string(b) || got.Len() != want.Len() {
			t.Fatalf("seed %d, %d: read %d notices and wrote other bytes", seed, i, got.Len())
		}
		for k := range got.Shots.Items {
			g, w := &got.Shots.Items[k], &want.Shots.Items[k]
			late := max(w.At, now-maxAgo) - g.At
			apart := max(g.To.Dist(w.To), g.From.Dist(w.From))
			for e := range w.More {
				apart = max(apart, g.Ends[e].Dist(w.Ends[e]))
			}
			if g.Shooter != w.Shooter || g.Weapon != w.Weapon || g.Ended != w.Ended || apart > .02 || g.More != w.More || w.Ended && (late > 0 || late <= -ms) {
				t.Fatalf("seed %d, %d: got %+v, want %+v", seed, i, g, w)
			}
		}
		for k := range got.Damage.Items {
			g, w := &got.Damage.Items[k], &want.Damage.Items[k]
			if g.By != w.By || g.Weapon != w.Weapon || g.HitGroup != w.HitGroup || g.Amount != w.Amount || g.From.Dist(w.From) > .02 || w.Ago-g.Ago >= ms || g.Ago > w.Ago {
				t.Fatalf("seed %d, %d: got %+v, want %+v", seed, i, g, w)
			}
		}
		if got.Clear(); got.Len() != 0 {
			t.Fatal("cleared notices are left")
		}
	}
}

// Cut and random bytes are errors or notices within their bounds, and no panic. [THR-13]
func FuzzNotices(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		n := randomNotices(r, clock.Second)
		var p bits.Packer
		p.Write(make([]byte, 1<<14))
		n.Pack(&p, clock.Second)
		f.Add(p.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var p bits.Packer
		var n Notices
		p.Read(b)
		if n.Pack(&p, clock.Second); p.Err() != nil {
			return
		}
		for i := range n.Shots.Items {
			if g := &n.Shots.Items[i]; g.Shooter < 1 || g.Shooter > MaxShooters || g.Weapon >= shot.MaxWeapons || g.More > len(g.Ends) {
				t.Errorf("%+v", g)
			}
		}
	})
}

// A ShotDebug travels without loss; its samples ascend by id, and what one bit says has no other
// encoding.
func TestShotDebugTravels(t *testing.T) {
	up := geom.V(0, 0, 1)
	d := ShotDebug{Shot: 7, Known: true, Receipt: shot.Receipt{Shot: 7, Shooter: 1, Weapon: 2, Verdict: shot.Refused, Reason: shot.TooFast}, Eye: geom.V(1, 2, 3), Platform: -5, Targets: []track.Entity{
		{ID: 2, Sample: track.Sample{At: 10, BaseLink: track.BaseLink{BaseVelocity: geom.V(.7, .8, .9)}, Pose: track.Pose{Position: geom.V(.1, .2, .3), Velocity: geom.V(.4, .5, .6), Yaw: .5, Pitch: .25,
			StrideDistance: 1.5, Stance: track.Stance{Crouch: .1, Air: .2, Swim: .3}, Mode: 7, Up: up, Crouched: true},
			GameData: track.GameData{Life: 3, Dead: true, Clip: 5, ClipAt: -9, Teleport: 6}}},
		{ID: 900, Sample: track.Sample{Pose: track.Pose{Rotation: geom.YawQuat(1), AngularVelocity: up, Asleep: true}, GameData: track.GameData{Kind: 4, UserData: 77}}},
	}}
	for _, want := range []ShotDebug{d, {Shot: 9}} {
		var got ShotDebug
		pack(t, want.Pack, got.Pack)
		if got.Shot != want.Shot || got.Known != want.Known || got.Receipt.Reason != want.Receipt.Reason || got.Receipt.Weapon != want.Receipt.Weapon || got.Eye != want.Eye || got.Platform != want.Platform || len(got.Targets) != len(want.Targets) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		for i := range want.Targets {
			if got.Targets[i] != want.Targets[i] {
				t.Errorf("got %+v, want %+v", got.Targets[i], want.Targets[i])
			}
		}
	}
	d.Targets[1].ID = 2
	var p bits.Packer
	p.Write(make([]byte, 4096))
	if d.Pack(&p); p.Err() == nil {
		t.Error("two samples of one id can be packed")
	}
}
