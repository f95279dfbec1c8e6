package session

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// BAS-01: whose frame a player is told in, as it walks onto a lift, jumps on it, jumps
// from it onto a train, gets off, and falls down a shaft for longer than 2 s.
func TestWhoseFrame(t *testing.T) {
	const lift, train = 1, 2
	var r ride
	for i, c := range []struct {
		at    clock.Micros // ms
		base  collide.BodyID
		aloft bool
		want  ride // base, was, since in ms
	}{
		{100, 0, false, ride{}},
		{200, 0, true, ride{}},
		{300, lift, false, ride{base: lift, since: 300}},
		{400, 0, true, ride{base: lift, since: 300}},
		{500, lift, false, ride{base: lift, since: 300}},
		{600, 0, true, ride{base: lift, since: 300}},
		{700, train, false, ride{base: train, was: lift, since: 700}},
		{800, 0, false, ride{was: train, since: 800}},
		{900, 0, true, ride{was: train, since: 800}},
		{1000, lift, false, ride{base: lift, since: 1000}},
		{2999, 0, true, ride{base: lift, since: 1000}},
		{3000, 0, true, ride{was: lift, since: 3000}},
	} {
		pose := track.Sample{Base: c.base, Aloft: c.aloft}
		r.follow(&pose, c.at*clock.Millisecond-7, c.at*clock.Millisecond)
		if got := (ride{base: r.base, was: r.was, since: r.since / clock.Millisecond}); got != c.want {
			t.Errorf("%d: got %+v want %+v", i, got, c.want)
		}
	}
}
