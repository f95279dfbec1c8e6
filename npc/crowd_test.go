package npc_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	docs "github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/npc"
	"github.com/backstep-net/backstep/session"
)

// A hundred guards walk through doors and up stairs to places all over a fortress for half a minute:
// they arrive, none gets stuck for good, none leaves the level. [E2E-11, VOL-06]
func TestAHundredWalkToTheirGoals(t *testing.T) {
	level := fortress(t)
	for _, c := range []struct {
		what  string
		block bool
	}{{"blocking", true}, {"passing through each other", false}} {
		m := newMatch(t, level, 100, npc.Kind{}, session.ServerConfig{PlayersBlock: c.block})
		for tick := int64(1); tick <= 30*60; tick++ {
			m.Tick(clock.TickTime(tick, 60))
		}
		up, out := 0, 0
		m.ids = m.npcs.All(m.ids[:0])
		for _, id := range m.ids {
			at := m.npcs.State(id).Position
			if at.Y > 1.5 {
				up++
			}
			if at.Y < -.1 || at.Y > 2.2 || max(at.X, -at.X, at.Z, -at.Z) > 25 {
				out++
			}
		}
		docs.Check(t, c.what, .2, "%d arrivals in 50 minutes", m.arrived)
		if m.arrived < 250 || up < 3 || m.unreachable > 0 || out > 0 || len(m.ids) != 100 {
			t.Errorf("%s: %d arrivals, %d unreachable, %d of %d out of the level, %d on the platform", c.what, m.arrived, m.unreachable, out, len(m.ids), up)
		}
	}
}
