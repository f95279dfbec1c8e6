package session

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// Something that happens every half second happens once in each half second, at any tick rate and where the server has
// missed ticks; two periods in a gap are one.
func TestEvery(t *testing.T) {
	for _, rate := range []int{20, 60, 128} {
		l := timeline{sent: ackCodec{schedule: schedule{rate, rate}}}
		var at []clock.Micros
		for tick := int64(1); tick <= int64(5*rate); tick++ {
			if second := tick / int64(rate); second == 2 || second == 3 && tick%3 != 0 {
				continue // a freeze of a second, then one tick of three
			}
			if l.advance(clock.TickTime(tick, rate)); l.Every(clock.Second / 2) {
				at = append(at, l.Now())
			}
		}
		want := []clock.Micros{500, 1000, 1500, 3000, 3500, 4000, 4500, 5000} // ms; 2000 and 2500 fall into the freeze
		if len(at) != len(want) {
			t.Fatalf("%d Hz: at %v, want about %v ms", rate, at, want)
		}
		for i, ms := range want {
			if late := at[i] - ms*clock.Millisecond; late < -clock.Microsecond || late > 3*clock.Second/clock.Micros(rate) {
				t.Errorf("%d Hz: number %d at %v, want within three ticks after %d ms", rate, i, at[i], ms)
			}
		}
	}
}
