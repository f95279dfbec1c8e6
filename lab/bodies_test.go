package lab

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/track"
)

// rolling is a server with the bodies of a test.
type rolling struct{ list []track.Entity }

func (r *rolling) Bodies(into []track.Entity) []track.Entity { return append(into, r.list...) }

// painter is a client that draws the bodies of a test.
type painter struct {
	Client
	drawn []remote.DrawnBody
	stats remote.BodyStats
}

func (p *painter) Bodies() []remote.DrawnBody  { return p.drawn }
func (p *painter) BodyStats() remote.BodyStats { return p.stats }

// ball returns a body at a position on the X axis, with a velocity along it.
func ball(id track.ID, at clock.Micros, x, speed float64) track.Entity {
	return track.Entity{ID: id, Sample: track.Sample{At: at, Pose: track.Pose{Position: geom.V(x, 0, 0), Velocity: geom.V(speed, 0, 0)}}}
}

// A drawn body is compared with the straight line from one tick to the next, if it moves there and
// was not teleported.
func TestWhereABodyWas(t *testing.T) {
	const tick = 20 * clock.Millisecond
	s := bodyHistory{
		before: []track.Entity{ball(130, tick, 0, 5), ball(131, tick, 0, 0.1), ball(133, tick, 0, 5), ball(134, tick, 0, 5)},
		after:  []track.Entity{ball(130, 2*tick, 0.1, 5), ball(131, 2*tick, 0, 0.1), ball(132, 2*tick, 1, 5), ball(133, 2*tick, 9, 0)},
	}
	for _, c := range []struct {
		what string
		id   track.ID
		at   clock.Micros
		want float64 // NaN: nothing to compare with
	}{
		{"at the tick", 130, tick, 0},
		{"a quarter of the way", 130, tick + tick/4, 0.025},
		{"at the next tick", 130, 2 * tick, 0.1},
		{"before the tick", 130, tick - 1, math.NaN()},
		{"after the next tick", 130, 2*tick + 1, math.NaN()},
		{"one that rests", 131, tick, math.NaN()},
		{"one that was not there yet", 132, tick, math.NaN()},
		{"one that was put 9 m away", 133, tick, math.NaN()},
		{"one that is gone", 134, tick, math.NaN()},
		{"one that never was", 7, tick, math.NaN()},
	} {
		got, ok := s.at(c.id, c.at)
		if ok == math.IsNaN(c.want) || ok && math.Abs(got.X-c.want) > 1e-12 {
			t.Errorf("%s: got %v, %v; want %v", c.what, got.X, ok, c.want)
		}
	}
}

// A rolling ball that is drawn 30 cm ahead has an error of 30 cm, a resting ball does not count, and
// snaps count from time zero.
func TestBodiesAreMeasured(t *testing.T) {
	const tick = 20 * clock.Millisecond
	server := &rolling{[]track.Entity{ball(130, tick, 0, 5), ball(131, tick, 3, 0)}}
	client := &painter{stats: remote.BodyStats{Snaps: 2}}
	history := bodyHistory{server: server}
	history.record()
	var b bodies
	b.begin(client, &history)
	for i := 1; i <= 4; i++ {
		at := clock.Micros(i) * tick
		for _, later := range []clock.Micros{0, tick / 2} {
			x := 5 * (at - tick + later).Seconds()
			client.drawn = []remote.DrawnBody{{ID: 130, Position: geom.V(x+0.3, 0, 0)}, {ID: 131, Position: geom.V(5, 0, 0)}}
			b.frameDrawn(at + later)
		}
		server.list = []track.Entity{ball(130, at+tick, 5*at.Seconds(), 5), ball(131, at+tick, 3, 0)}
		history.record()
		b.compare(&history)
	}
	client.stats.Snaps = 5
	want := BodyFigures{Spread{0.3, 0.3, 0.3, 0.3}, 3}
	if got := b.figures(); got == nil || *got != want || len(b.errors) != 8 {
		t.Errorf("got %+v of %d frames, want %+v of 8", got, len(b.errors), want)
	}
}

// A tick that an overloaded server skips leaves the bodies as they were: frames after it are compared with the line to the
// next tick. Snaps add up over two connections.
func TestBodiesOverASkippedTick(t *testing.T) {
	const tick = 20 * clock.Millisecond
	server := &rolling{[]track.Entity{ball(130, tick, 0, 5)}}
	client := &painter{stats: remote.BodyStats{Snaps: 2}}
	history := bodyHistory{server: server}
	history.record()
	var b bodies
	b.begin(client, &history)
	for i, snaps := range []int{3, 4, 1, 2} { // the third is of a new connection
		at := clock.Micros(i+1)*tick + tick/2
		client.drawn, client.stats.Snaps = []remote.DrawnBody{{ID: 130, Position: geom.V(5*(at-tick).Seconds()+0.3, 0, 0)}}, snaps
		b.frameDrawn(at)
		if i != 1 {
			next := clock.Micros(i+2) * tick
			server.list = []track.Entity{ball(130, next, 5*(next-tick).Seconds(), 5)}
		}
		history.record()
		b.compare(&history)
	}
	if got, want := *b.figures(), (BodyFigures{Spread{0.3, 0.3, 0.3, 0.3}, 4}); got != want || len(b.errors) != 4 || len(b.pending) != 0 {
		t.Errorf("got %+v of %d frames, %d wait; want %+v of 4", got, len(b.errors), len(b.pending), want)
	}
}

// Where the server has no bodies, and where a client draws none, there are no figures.
func TestNoBodiesNoFigures(t *testing.T) {
	for _, c := range []struct {
		what   string
		list   []track.Entity
		client Client
	}{
		{"a server without bodies", nil, &painter{}},
		{"a client without bodies", []track.Entity{ball(130, 1, 0, 1)}, struct{ Client }{}},
	} {
		var b bodies
		history := bodyHistory{server: &rolling{c.list}}
		history.record()
		b.begin(c.client, &history)
		b.frameDrawn(1)
		b.compare(&history)
		if got := b.figures(); got != nil {
			t.Errorf("%s: got %+v, want nothing", c.what, got)
		}
	}
	var none bodyHistory
	none.record()
	if none.after != nil {
		t.Errorf("a server that knows of none: got %v", none.after)
	}
}
