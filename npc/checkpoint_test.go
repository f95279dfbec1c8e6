package npc_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/npc"
	"github.com/backstep-net/backstep/session"
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
			m.ledger.Apply(damage.Hit{Target: id, Life: m.ledger.Vitals(id).Life, Damage: 60})
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

// Whatever a checkpoint is damaged to, reading it ends with an error or with a crowd that walks on and is saved as
// the same bytes. [THR-65]
func FuzzCheckpoint(f *testing.F) {
	made := func(t testing.TB, guards int) *match {
		return newMatch(t, fortress(t), guards, npc.Kind{}, session.ServerConfig{PlayersBlock: true})
	}
	before := made(f, 8)
	before.fight(200)
	p := bits.NewWriter(make([]byte, 1<<16))
	before.Server.Checkpoint(&p)
	server, b := bytes.Clone(p.Bytes()), saved(f, before.npcs)
	f.Add(b)
	r := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		bad := bytes.Clone(b)
		bad[r.IntN(len(b))] ^= 1 << r.IntN(8)
		f.Add(bad)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := made(t, 0)
		if err := restore(m.Server, server); err != nil {
			t.Fatal(err)
		}
		if restore(m.npcs, b) != nil {
			return
		}
		if again := saved(t, m.npcs); !bytes.Equal(b, again) {
			t.Fatalf("accepted %x, saved again %x", b, again)
		}
		m.ids = m.npcs.All(m.ids[:0])
		for _, id := range m.ids {
			m.ledger.Join(id, false)
			m.ledger.Enter(id, m.EntityLife(id), 0)
		}
		for range 5 {
			m.Tick(clock.TickTime(int64(m.TickNumber())+1, 60))
		}
	})
}
