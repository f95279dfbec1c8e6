package npc_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/fuzz/reset"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/npc"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// Checkpoint packs the whole match, as a game does.
func (m *match) Checkpoint(p *bits.Packer) {
	if m.Server.Checkpoint(p); p.Err() != nil {
		return
	}
	m.ledger.Checkpoint(p)
	m.npcs.Checkpoint(p)
	p.Uint(&m.random, 64)
}

// fight runs ticks in which guards lose health.
func (m *match) fight(ticks int) {
	for range ticks {
		m.ids = m.npcs.All(m.ids[:0])
		id := m.ids[int(m.draw()*float64(len(m.ids)))]
		switch {
		case m.draw() < .1:
			m.ledger.Queue(damage.Hit{Target: id, Life: m.ledger.Vitals(id).Life, Damage: 60})
		case m.draw() < .02:
			m.npcs.LookAt(id, m.place())
			m.npcs.SetUserData(id, uint16(m.draw()*1000))
		case m.draw() < .01:
			m.npcs.Stop(id)
		}
		m.Tick(clock.TickTime(int64(m.TickNumber())+1, 60))
	}
}

// saved returns a checkpoint.
func saved(t testing.TB, m interface{ Checkpoint(*bits.Packer) }) []byte {
	t.Helper()
	p := bits.NewWriter(make([]byte, 1<<18))
	if m.Checkpoint(&p); p.Err() != nil {
		t.Fatal(p.Err())
	}
	return bytes.Clone(p.Bytes())
}

// restore reads a checkpoint.
func restore(m interface{ Checkpoint(*bits.Packer) }, b []byte) error {
	var p bits.Packer
	p.Read(b)
	m.Checkpoint(&p)
	p.End()
	return p.Err()
}

// A crowd that walks, fights and dies goes on in another process: it is saved again as the same bytes, and each
// later tick has the hash of the match that was not interrupted. [THR-63]
func TestACrowdGoesOnInAnotherProcess(t *testing.T) {
	for _, c := range []struct {
		kind  npc.Kind
		ticks int
	}{{npc.Kind{}, 61}, {npc.Kind{}, 400}, {npc.Kind{Mode: movement.NavWalking, Speed: 3, Corpse: clock.Second}, 333}} {
		config := session.ServerConfig{PlayersBlock: true}
		before := newMatch(t, fortress(t), 60, c.kind, config)
		before.fight(c.ticks)
		b := saved(t, before)
		after := newMatch(t, fortress(t), 0, c.kind, config)
		if err := restore(after, b); err != nil {
			t.Fatal(err)
		}
		if again := saved(t, after); !bytes.Equal(b, again) {
			t.Fatalf("%d bytes saved, restored and saved again %d others", len(b), len(again))
		}
		before.died, before.arrived = 0, 0
		for n := range 600 {
			before.fight(1)
			after.fight(1)
			if got, want := after.Hash(), before.Hash(); got != want {
				t.Fatalf("mode %d: %d ticks after the restore the hash is %x, want %x", c.kind.Mode, n+1, got, want)
			}
		}
		if !bytes.Equal(saved(t, after), saved(t, before)) {
			t.Errorf("mode %d: after 600 ticks the states differ", c.kind.Mode)
		}
		if before.died == 0 || before.arrived == 0 || before.died != after.died {
			t.Errorf("mode %d: %d and %d died, %d arrived: the test shows little", c.kind.Mode, before.died, after.died, before.arrived)
		}
	}
}

// A checkpoint that was cut, or that names a character that is no entity of a declared kind, is an error; a Crowd
// that is not new is a panic in words.
func TestCheckpointsThatAreRefused(t *testing.T) {
	before := newMatch(t, fortress(t), 5, npc.Kind{}, session.ServerConfig{})
	before.fight(50)
	b := saved(t, before.npcs)
	whole := saved(t, before)
	for n := 1; n < len(whole); n += 7 {
		after := newMatch(t, fortress(t), 0, npc.Kind{}, session.ServerConfig{})
		if restore(after, whole[:n]) == nil {
			t.Fatalf("the first %d of %d bytes are a checkpoint", n, len(whole))
		}
	}
	empty := newMatch(t, fortress(t), 0, npc.Kind{}, session.ServerConfig{})
	if err := restore(empty.npcs, b); err == nil || !strings.Contains(err.Error(), "character 129, which is no entity of a kind") {
		t.Errorf("a match without entities: got %v", err)
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "read into a new Crowd") {
			t.Errorf("a crowd that is not new: %q", got)
		}
	}()
	_ = restore(before.npcs, b)
}

// crowdCheckpoint returns a checkpoint of a crowd, and a function that makes matches that it can be read into.
func crowdCheckpoint(t testing.TB) (crowd []byte, make func() *match) {
	config := session.ServerConfig{PlayersBlock: true, Players: 1}
	before := newMatch(t, fortress(t), 8, npc.Kind{}, config)
	before.fight(200)
	server := saved(t, before.Server)
	return saved(t, before.npcs), func() *match {
		m := newMatch(t, fortress(t), 0, npc.Kind{}, config)
		if err := restore(m.Server, server); err != nil {
			t.Fatal(err)
		}
		return m
	}
}

// damaged returns a checkpoint with a wrong bit.
func damaged(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	return b
}

// playCheckpoint reads the checkpoint of a crowd and plays on, and reports whether it was accepted.
func (m *match) playCheckpoint(t testing.TB, b []byte) bool {
	t.Helper()
	if restore(m.npcs, b) != nil {
		return false
	}
	if again := saved(t, m.npcs); !bytes.Equal(b, again) {
		t.Fatalf("accepted %x, saved again %x", b, again)
	}
	m.ids = m.npcs.All(m.ids[:0])
	for _, id := range m.ids {
		m.ledger.Join(id, false)
		m.ledger.Spawn(id, m.EntityLife(id), 0)
	}
	for range 5 {
		m.Tick(clock.TickTime(int64(m.TickNumber())+1, 60))
	}
	return true
}

// Whatever a checkpoint is damaged to, reading it ends with an error or with a crowd that walks on and is saved as
// the same bytes. [THR-65]
//
// One match serves all inputs: reset takes it back before each (TestAResetCrowdIsNew). The mesh is the same for all
// matches, and nothing changes it.
func FuzzCheckpoint(f *testing.F) {
	b, make := crowdCheckpoint(f)
	f.Add(b)
	r := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		f.Add(damaged(r, b))
	}
	m := make()
	fresh := reset.Of(m, m.mesh)
	f.Fuzz(func(t *testing.T, b []byte) {
		fresh.Reset()
		m.playCheckpoint(t, b)
	})
}

// A crowd that reset takes back plays each checkpoint as a new one does, after any others: nothing of an input is
// left in what FuzzCheckpoint shares.
func TestAResetCrowdIsNew(t *testing.T) {
	whole, make := crowdCheckpoint(t)
	r := rand.New(rand.NewPCG(4, 1))
	m, accepted := make(), 0
	fresh := reset.Of(m, m.mesh)
	for i := range 60 {
		b := damaged(r, whole)
		fresh.Reset()
		other := make()
		got, want := m.playCheckpoint(t, b), other.playCheckpoint(t, b)
		if got != want || m.Hash() != other.Hash() || got && !bytes.Equal(saved(t, m), saved(t, other)) {
			t.Fatalf("input %d: accepted %v with hash %x, by a new match %v with %x", i, got, m.Hash(), want, other.Hash())
		}
		if got {
			accepted++
		}
	}
	if accepted == 0 || accepted == 60 {
		t.Errorf("%d of 60 checkpoints were accepted: the test shows little", accepted)
	}
}

// A nav-walker whose path leads over a jump pad goes on the same way after a restart: it knows that the pad is
// no corner to walk around.
func TestAPathOverAJumpPadIsKept(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(8, 1, 8), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(20, -1, 0), geom.V(8, 1, 8), geom.IdentityQuat, collide.Surface{})
	b.VolumeBox(collide.Volume{Launch: geom.V(9, 7, 0)}, geom.V(6, .5, 0), geom.V(.3, .5, .3), geom.IdentityQuat)
	world := b.MustBake()
	mesh, err := nav.Bake(world, nav.Params{
		Radius: model.Radius, Height: 2 * model.HalfHeight, StepHeight: model.StepHeight, WalkableSlope: model.WalkableSlope,
		Links: []nav.Link{{From: geom.V(6, 0, 0), To: geom.V(17, 0, 0), Kind: nav.JumpPad}},
	})
	if err != nil {
		t.Fatal(err)
	}
	crowd := func(m npc.Match) *npc.Crowd {
		return npc.New(npc.Config{Match: m, World: world, Mesh: mesh, Kinds: map[track.Kind]npc.Kind{guard: {Mode: movement.NavWalking}}})
	}
	one := &stage{match: newStub()}
	one.Crowd = crowd(one.match)
	one.Steer(one.Spawn(guard, geom.V(-6, .02, 1), 0), geom.V(22, 0, 3))
	one.run(30)
	two := &stage{match: newStub(), tick: one.tick}
	two.Crowd = crowd(restored{two.match})
	if err := restore(two, saved(t, one)); err != nil {
		t.Fatal(err)
	}
	if got, want := two.run(600), one.run(600); got != want || !strings.HasPrefix(want, "129 arrived") || *two.State(129) != *one.State(129) {
		t.Errorf("restored: %q at %v; without: %q at %v", got, two.State(129).Position, want, one.State(129).Position)
	}
}

// restored is a stub whose entities are all guards.
type restored struct{ *stubMatch }

func (restored) EntityKind(track.ID) (track.Kind, bool) { return guard, true }
