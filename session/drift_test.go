package session_test

import (
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// TIM-15: a client whose machine's clock runs 2 % slow reports it to its player, once; one that is
// 0.9 % off does not. Neither is taken for a cheat nor corrected.
func TestClockDriftIsReported(t *testing.T) {
	world := plane(t)
	for _, c := range []struct {
		ppm  clock.Micros
		want string
	}{{-20_000, "2.0 % slow"}, {15_000, "1.5 % fast"}, {-9_000, ""}, {9_000, ""}, {0, ""}} {
		p := newPair(t, 3, 60, world)
		p.clock.ppm = c.ppm
		p.up.delay, p.down.delay = 40*clock.Millisecond, 40*clock.Millisecond
		p.connect()
		p.run(p.now() + 120*clock.Second)
		m := p.client.Stats().Moves
		t.Logf("%+d ppm: %q", c.ppm, p.notices)
		if c.want == "" && len(p.notices) > 0 || c.want != "" && (len(p.notices) != 1 || !strings.Contains(p.notices[0], c.want)) {
			t.Errorf("%+d ppm: the player got %q, want %q once", c.ppm, p.notices, c.want)
		}
		if m.Corrections+m.Timeouts+m.Throttles > 0 || p.noticed > 0 {
			t.Errorf("%+d ppm: %+v, noticed after %d", c.ppm, m, p.noticed)
		}
	}
}
