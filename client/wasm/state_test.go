package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// A page that shows a recording draws the level's moving bodies at any time, without a
// session, each where its path has it.
func TestBodiesArePosedWithoutASession(t *testing.T) {
	lost(0)
	core.world = nil
	poseBodies(5e6)
	if stateBlock[StateBodies] != 0 {
		t.Errorf("%v bodies without a level", stateBlock[StateBodies])
	}
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(30, 1, 30), geom.IdentityQuat, collide.Surface{})
	for i := range MaxBodies + 2 {
		x := float64(i)
		path := collide.Path{Loop: true, Keys: []collide.Key{{Position: geom.V(x, 0, 0)}, {At: clock.Second, Position: geom.V(x, 3, 0), Angle: 1}, {At: 2 * clock.Second, Position: geom.V(x, 0, 0)}}}
		b.Body(string(rune('a'+i)), path, func(b *collide.Builder) {
			b.Box(geom.Vec3{}, geom.V(.2, .1, .2), geom.IdentityQuat, collide.Surface{})
		})
	}
	world, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	load(t, world.AppendBinary(nil))
	for _, at := range []clock.Micros{0, 250_000, clock.Second, 5_700_000, 3600 * clock.Second} {
		poseBodies(float64(at))
		if stateBlock[StateBodies] != MaxBodies {
			t.Fatalf("%v bodies, want the first %d", stateBlock[StateBodies], MaxBodies)
		}
		for i := range MaxBodies {
			want := (&collide.WorldAt{World: world, At: at}).Pose(collide.BodyID(i + 1))
			s := stateBlock[BodyBase+i*BodyStride:]
			if got := geom.V(s[BodyX], s[BodyY], s[BodyZ]); got != want.Translation {
				t.Errorf("body %d at %d: got %v, want %v", i+1, at, got, want.Translation)
			}
			if got := (geom.Quat{X: s[BodyQX], Y: s[BodyQY], Z: s[BodyQZ], W: s[BodyQW]}); got != want.Rotation {
				t.Errorf("body %d at %d: got rotation %v, want %v", i+1, at, got, want.Rotation)
			}
		}
	}
}

// The nearest entities, nearest first, against sorting all of them.
func TestTheNearestEntitiesAgainstASort(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 2))
	for range 300 {
		all := make([]track.Entity, r.IntN(40))
		for i := range all {
			all[i].ID = track.ID(i + 1)
			all[i].Position = geom.V(r.NormFloat64()*20, r.NormFloat64(), r.NormFloat64()*20)
		}
		from := geom.V(r.NormFloat64()*20, 0, r.NormFloat64()*20)
		var room [8]*track.Entity
		got := nearestEntities(all, from, room[:0])
		want := slices.Clone(all)
		slices.SortFunc(want, func(a, b track.Entity) int {
			return int(1e9 * (a.Position.Sub(from).LenSq() - b.Position.Sub(from).LenSq()))
		})
		want = want[:min(len(want), len(room))]
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d of %d entities, want %d", seed, len(got), len(all), len(want))
		}
		for i := range want {
			if got[i].ID != want[i].ID {
				t.Fatalf("seed %d: number %d is entity %d, want %d", seed, i, got[i].ID, want[i].ID)
			}
		}
	}
}

// The last 16 shots are kept, newest first, and found by number; a new session forgets
// them.
func TestTheShotRingKeepsTheLastShots(t *testing.T) {
	var r shotRing
	for n := uint32(1); n <= 40; n++ {
		r.count++
		r.at(0).number = n
		if got := r.stored(); got != min(int(n), maxShots) {
			t.Fatalf("after shot %d: %d stored", n, got)
		}
		for back := range r.stored() {
			want := n - uint32(back)
			if r.at(back).number != want || r.find(want) != r.at(back) {
				t.Fatalf("after shot %d: %d back is shot %d, want %d", n, back, r.at(back).number, want)
			}
		}
		if old := int(n) - maxShots; old > 0 && r.find(uint32(old)) != nil {
			t.Fatalf("after shot %d: shot %d is still there", n, old)
		}
	}
	if r.reset(); r.stored() != 0 || r.find(40) != nil {
		t.Errorf("a new session has %d shots", r.stored())
	}
}

// Lengths from the page that no message has, and packets before a session, are refused.
func TestImpossibleLengthsAreRefused(t *testing.T) {
	p := newPage(t)
	lost(0)
	if receive(ChannelStream, 3, 0) != 1 {
		t.Error("a packet before hello was taken")
	}
	core.world = nil
	if got := p.hello("Ann", "", "floor"); got != "wasm: hello before level_load" {
		t.Errorf("hello without a level: got %q", got)
	}
	if got := levelLoad(1 << 20); got == 0 {
		t.Error("a level longer than the reserved memory was loaded")
	}
	p = newPage(t)
	p.hello("Ann", "", "floor")
	p.run(clock.Second)
	for _, n := range []int32{-1, InboxBytes + 1, 1<<31 - 1} {
		if receive(ChannelDatagram, n, float64(p.now)) != 1 {
			t.Errorf("a packet of %d bytes was taken", n)
		}
		if levelLoad(n) == 0 {
			t.Errorf("a level of %d bytes was loaded", n)
		}
	}
	for _, code := range []int32{-5, 0, int32(shot.NotReady), 255, 1 << 30} {
		if n := reasonText(code); n < 0 || n > 100 {
			t.Errorf("reason %d has %d bytes", code, n)
		}
	}
	if stateBlock[StatePhase] != PhasePlaying {
		t.Errorf("phase: got %v, want playing", stateBlock[StatePhase])
	}
}

// Any bytes in the inbox are some hello: a refused name, or one that the core takes, never
// a panic.
func TestHelloReadsAnyBytes(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 4))
	newPage(t)
	for range 3000 {
		n := r.IntN(80)
		for i := range n {
			inboxBlock[i] = byte(r.IntN(256))
		}
		inboxBlock[0] = byte(r.IntN(16))
		s := strings{rest: inboxBlock[:n]}
		want := session.CheckName(s.next())
		length := int32(n)
		if r.IntN(50) == 0 {
			length, want = -length, session.CheckName("")
		}
		if got := hello(length, 0); (got == 0) != (want == nil) {
			t.Fatalf("seed %d, %x: got %d, want %v", seed, inboxBlock[:n], got, want)
		}
	}
	lost(0)
}

// A remote's hook is drawn where it holds, estimated from where the remote looked, and is
// gone when it lets go.
func TestTheHookOfARemoteIsDrawn(t *testing.T) {
	still(t)
	p := newPage(t)
	o := p.join()
	p.apart(6)
	o.in.Yaw, o.in.Pitch = 0, -.3
	p.run(clock.Second / 4)
	o.in.Hook = true
	p.run(clock.Second / 4)
	s := stateBlock[RemoteBase:]
	if s[RemoteHook] != 1 {
		t.Fatalf("no hook; mode %v", s[RemoteMode])
	}
	h, _ := p.match.State(o.player.ID())
	anchor := geom.V(s[RemoteHookX], s[RemoteHookY], s[RemoteHookZ])
	if d := anchor.Dist(h.Hook.Anchor); d > 1 {
		t.Errorf("the hook is drawn at %v, %.2f m from %v", anchor, d, h.Hook.Anchor)
	}
	o.in.Hook = false
	p.run(clock.Second / 2)
	if s[RemoteHook] != 0 || s[RemoteHookX] != 0 {
		t.Errorf("released: hook %v at %v, want none", s[RemoteHook], s[RemoteHookX])
	}
}
