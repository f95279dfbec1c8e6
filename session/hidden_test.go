package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// HiddenFor answers in a match that no player has joined yet, in which NPCs may look for each other, and on a
// server that has skipped ticks.
func TestHiddenForWithoutPlayersAndTicks(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 2, -5), geom.V(5, 2, 0.5), geom.IdentityQuat, collide.Surface{})
	m := newMatch(t, session.ServerConfig{World: b.MustBake()})
	id := m.Spawn(0)
	m.UpdateEntity(id, track.Sample{Pose: track.Pose{Position: geom.V(0, 0, -10)}})
	for tick := int64(1); tick <= 60; tick++ {
		if tick < 50 || tick%3 == 0 {
			m.Tick(clock.TickTime(tick, 60))
		}
	}
	const most = 300 * clock.Millisecond
	if d := m.HiddenFor(id, m.EntityLife(id), geom.V(0, 1.5, 0), most); d != most {
		t.Errorf("behind a wall: got %v µs, want %v", d, most)
	}
	if d := m.HiddenFor(id, m.EntityLife(id), geom.V(20, 1.5, -10), most); d != 0 {
		t.Errorf("in sight: got %v µs, want 0", d)
	}
}
