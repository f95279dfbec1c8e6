package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// All players leave and the match runs on empty for as long as its record reaches back. Whoever joins then sees the
// players and entities of now, and none of those that have left. [REP-01]
func TestWhoJoinsAnEmptyMatchSeesNobodyOfBefore(t *testing.T) {
	ticks := rewind.NewHistory(60, shot.LongestRewind).Snapshots.Ticks()
	for empty := ticks - 6; empty <= ticks+2; empty++ {
		r := newSimulation(t, session.ServerConfig{ReconnectTime: -1})
		for _, g := range r.playing(3) {
			r.disconnect(g)
		}
		r.run(empty)
		r.clients = nil
		g := r.join("the next", session.Key{})
		for range 20 {
			if r.run(1); len(g.Remotes()) > 0 {
				t.Fatalf("after %d empty ticks: got %d other players at tick %d, want none", empty, len(g.Remotes()), r.tick)
			}
		}
	}
}
