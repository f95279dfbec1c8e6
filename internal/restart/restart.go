// Package restart plays matches of bots that a server restarts from a checkpoint in the middle, for the tests of games:
// what a game forgets in serve.Config.OnCheckpoint shows in the second half.
package restart

import (
	"maps"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// tickRate is that of serve.Config by default.
const tickRate = 60

// Half is a match before or after the restart, and what its poses have shown.
type Half[S comparable, C any] struct {
	*serve.Match[S, C]
	Deaths, Returns int                // of players
	Entities        map[track.Kind]int // the most of a kind in one tick

	tick int64
	dead map[session.PlayerID]bool
}

// Dead returns how many players are dead.
func (h *Half[S, C]) Dead() int { return len(h.dead) }

// Total returns the sum of a field over all players.
func (h *Half[S, C]) Total(field string) (sum int64) {
	for _, p := range h.Players(nil) {
		sum += h.Number(p.ID, field)
	}
	return sum
}

// Play plays the match of a configuration with its bots until ready reports true, at most for two minutes of match
// time: when no projectile flies, since no checkpoint has those. It restores the checkpoint into a match of a second configuration, and plays that for a time. It fails the test
// where the restored match is packed as other bytes, has other entities or players, or where the hooks do not serve
// the match that a server makes after it has refused a checkpoint.
func Play[S comparable, C any](t testing.TB, game session.Game[S, C], config func() serve.Config[S, C], ready func(*Half[S, C]) bool, length clock.Micros) (before, after *Half[S, C]) {
	t.Helper()
	before = begin(t, game, config())
	for before.tick == 0 || !ready(before) {
		if before.Now() > 120*clock.Second {
			t.Fatal("two minutes of the match have passed, and it is not ready for the restart")
		}
		before.step()
	}
	packed := pack(t, before.Match)
	second := config()
	if read(begin(t, game, second).Match, packed[:len(packed)-1]) == nil {
		t.Error("a checkpoint without its last byte is accepted")
	}
	after = begin(t, game, second)
	if err := read(after.Match, packed); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(pack(t, after.Match), packed) {
		t.Error("the restored match is packed as other bytes")
	}
	after.tick, after.dead = before.tick, maps.Clone(before.dead)
	after.step()
	if got, want := after.kinds(), before.kinds(); !maps.Equal(got, want) {
		t.Errorf("after the restart the match has the entities %v by kind, want %v", got, want)
	}
	for after.Now() < before.Now()+length {
		after.step()
	}
	if got, want := len(after.Players(nil)), len(before.Players(nil)); got != want {
		t.Errorf("after the restart the match has %d players, want %d", got, want)
	}
	return before, after
}

// begin returns a new match.
func begin[S comparable, C any](t testing.TB, game session.Game[S, C], config serve.Config[S, C]) *Half[S, C] {
	t.Helper()
	m, err := serve.New(game, config)
	if err != nil {
		t.Fatal(err)
	}
	return &Half[S, C]{Match: m, Entities: map[track.Kind]int{}, dead: map[session.PlayerID]bool{}}
}

// step plays a tick.
func (h *Half[S, C]) step() {
	h.tick++
	h.Tick(clock.TickTime(h.tick, tickRate))
	h.Outgoing()
	for kind, n := range h.kinds() {
		h.Entities[kind] = max(h.Entities[kind], n)
	}
	for _, e := range h.entities() {
		switch {
		case int(e.ID) > h.Seats() || e.Dead == h.dead[e.ID]:
		case e.Dead:
			h.Deaths++
			h.dead[e.ID] = true
		default:
			h.Returns++
			delete(h.dead, e.ID)
		}
	}
}

// entities returns the players and entities of the last tick: none of a level that has not had its first.
func (h *Half[S, C]) entities() []track.Entity {
	if s := h.FullSnapshot(); s != nil {
		return s.Entities(nil)
	}
	return nil
}

// Count returns how many entities of a kind there are.
func (h *Half[S, C]) Count(kind track.Kind) int { return h.kinds()[kind] }

// kinds returns how many entities of each kind there are.
func (h *Half[S, C]) kinds() map[track.Kind]int {
	n := map[track.Kind]int{}
	for _, e := range h.entities() {
		if int(e.ID) > h.Seats() {
			n[e.Kind]++
		}
	}
	return n
}

// pack returns a checkpoint of a match.
func pack[S comparable, C any](t testing.TB, m *serve.Match[S, C]) []byte {
	t.Helper()
	p := bits.NewWriter(make([]byte, 1<<20))
	if m.Checkpoint(&p); p.Err() != nil {
		t.Fatal(p.Err())
	}
	return p.Bytes()
}

// read restores a checkpoint into a new match.
func read[S comparable, C any](m *serve.Match[S, C], b []byte) error {
	var p bits.Packer
	p.Read(b)
	m.Checkpoint(&p)
	p.End()
	return p.Err()
}
