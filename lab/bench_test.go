package lab_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
)

// crowd is a scenario of n bots in a level, for that many seconds.
func crowd(t testing.TB, n int, level, bot string, long int) *scenario.Scenario {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "name: crowd\nduration: %ds\nlevel: %s\nnetwork: wifi\nplayers:\n", long, level)
	for i := range n {
		fmt.Fprintf(&b, "  - {name: p%d, at: [%d, 0.1, %d], bot: %s}\n", i, i%9-4, 9-i/9, bot)
	}
	return parse(t, b.String())
}

// parse reads a scenario that must have no errors.
func parse(t testing.TB, text string) *scenario.Scenario {
	t.Helper()
	return inFolder(t, "", text)
}

// BenchmarkPlay measures the match seconds per second of one core.
func BenchmarkPlay(b *testing.B) {
	for _, c := range []struct {
		players int
		bot     string
	}{{8, "wander"}, {8, "hunter"}, {100, "wander"}} {
		b.Run(fmt.Sprintf("%d %s", c.players, c.bot), func(b *testing.B) {
			s := crowd(b, c.players, "yard", c.bot, 10)
			game := labgame.New()
			begun := time.Now()
			for b.Loop() {
				if _, err := lab.Play(s, game, lab.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(10*float64(b.N)/time.Since(begun).Seconds(), "s/s")
		})
	}
}
