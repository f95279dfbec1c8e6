package lab

import (
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// rough is what an experiment showed, from time zero on.
type rough struct {
	Players []roughFigures
}

// roughFigures are one player's. Distances are in metres, times in seconds.
type roughFigures struct {
	// RemoteError is the distance between where this client drew every other
	// player and where that player truly was at the view time.
	RemoteError roughSpread
	// ViewDelay is the server's time less the view time, over drawn frames.
	ViewDelay roughSpread
	// Reversals counts drawn frames in which another player moved by more than
	// 1 mm against its true velocity, that having kept its direction throughout
	// the view time ± 50 ms; Snaps those in which one moved more than 0.5 m
	// beyond what its speed allows.
	Reversals, Snaps int
	// Corrections the client applied because its prediction was wrong, and the
	// largest distance of one that it could measure since it joined. Placed counts
	// how often the server put the player somewhere, which is neither.
	Corrections   int
	CorrectionMax float64
	Placed        int
	// Confirmed and Contradicted are shots whose verdict was, or was not, what
	// this client's screen showed.
	Confirmed, Contradicted uint64
	// Up and Down are bytes a second of datagram payload.
	Up, Down float64

	begin session.Stats
	began clock.Micros
	drawn []drawn
}

// drawn is one other player in one picture.
type drawn struct {
	id       session.PlayerID
	view     clock.Micros
	position geom.Vec3
}

func newRough(players int) *rough { return &rough{Players: make([]roughFigures, players)} }

// begin notes a client's totals at time zero.
func (r *rough) begin(i int, c Client) { r.Players[i].begin = c.Stats() }

// see notes what a client shows at a true time.
func (r *rough) see(i int, c Client, at clock.Micros) {
	f := &r.Players[i]
	if f.began == 0 {
		f.began = at
	}
	view := c.View().At
	f.ViewDelay.add((at - view).Seconds())
	for _, e := range c.Remotes() {
		f.drawn = append(f.drawn, drawn{e.ID, view, e.Position})
	}
	s := c.Stats()
	f.Corrections = s.Moves.Corrections - f.begin.Moves.Corrections
	f.CorrectionMax = s.Moves.Farthest
	f.Placed = s.Moves.Placed - f.begin.Moves.Placed
	f.Confirmed = s.Confirmed - f.begin.Confirmed
	f.Contradicted = s.Contradicted - f.begin.Contradicted
	if past := (at - f.began).Seconds(); past > 0 {
		f.Up = float64(s.Out.Bytes-f.begin.Out.Bytes) / past
		f.Down = float64(s.In.Bytes-f.begin.In.Bytes) / past
	}
}

// judge compares what was drawn with the truth, once that is whole.
func (r *rough) judge(t *Truth) {
	for i := range r.Players {
		f := &r.Players[i]
		if t != nil {
			f.compare(t)
		}
		f.RemoteError.sort()
		f.ViewDelay.sort()
	}
}

func (f *roughFigures) compare(t *Truth) {
	last := map[session.PlayerID]drawn{}
	for _, d := range f.drawn {
		if s, ok := t.At(d.id, d.view); ok {
			f.RemoteError.add(s.Position.Dist(d.position))
			f.follow(t, last[d.id], d, &s)
		}
		last[d.id] = d
	}
}

// follow looks for steps backwards and jumps between two pictures.
func (f *roughFigures) follow(t *Truth, a, b drawn, s *track.Sample) {
	if a.view == 0 || b.view <= a.view {
		return
	}
	move := b.position.Sub(a.position)
	if dir, ok := t.Steady(b.id, b.view, 50*clock.Millisecond); ok && move.Dot(dir) < -0.001 {
		f.Reversals++
	}
	if move.Len() > s.Velocity.Len()*(b.view-a.view).Seconds()+0.5 {
		f.Snaps++
	}
}

// roughSpread is a distribution.
type roughSpread struct {
	values []float64
}

func (s *roughSpread) add(v float64) { s.values = append(s.values, v) }

func (s *roughSpread) sort() { slices.Sort(s.values) }

// Count is how many values there are.
func (s *roughSpread) Count() int { return len(s.values) }

// Mean is their mean, 0 for none.
func (s *roughSpread) Mean() float64 {
	if len(s.values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range s.values {
		sum += v
	}
	return sum / float64(len(s.values))
}

// Percentile is the nearest rank, p of 0 … 100; 0 for none.
func (s *roughSpread) Percentile(p float64) float64 {
	if len(s.values) == 0 {
		return 0
	}
	i := int(p/100*float64(len(s.values))+0.999999) - 1
	return s.values[min(max(i, 0), len(s.values)-1)]
}

// Max is the largest value.
func (s *roughSpread) Max() float64 { return s.Percentile(100) }
