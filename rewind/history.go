package rewind

import (
	"errors"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// DefaultWindow is how long the past is remembered unless said otherwise, and MostWindow
// how long at most (HIS-04, GAP-43).
const (
	DefaultWindow = 500 * clock.Millisecond
	MaxWindow     = 1550 * clock.Millisecond
)

// ErrForgotten is a view whose newest frame is not in the history: older than
// the window, or never recorded (HIS-06, GAP-42).
var ErrForgotten = errors.New("rewind: the view is not in the history")

// History is the server's record of every tick, and the views of it. Record each
// tick after all its moves and before the snapshots that carry it (GAP-60).
type History struct {
	// Snapshots is the record. Snapshots are packed from the same frames, so what
	// was sent is what is remembered.
	Snapshots *track.SnapshotHistory
	// Extrapolation is how clients carry characters on in views that say so; nil is the zero
	// one. Set it once, before the first view.
	Extrapolation *track.Extrapolation
	window        clock.Micros
	bounds        boundsHistory
}

// NewHistory returns a history of a match of rate ticks a second that remembers
// views of the last window µs; zero means DefaultWindow. It panics where rate is
// not positive or the window longer than MostWindow.
func NewHistory(rate int, window clock.Micros) *History {
	if rate <= 0 {
		panic("rewind: NewHistory needs a positive rate")
	}
	if window > MaxWindow {
		panic("rewind: NewHistory remembers 1,550 ms at most")
	}
	if window <= 0 {
		window = DefaultWindow
	}
	ticks := int((int64(window)*int64(rate) + int64(clock.Second) - 1) / int64(clock.Second))
	ticks += 2*track.ReceivedWindow + 1
	return &History{Snapshots: track.NewSnapshotHistory(ticks), window: window, bounds: newBoundsHistory(rate, ticks)}
}

// Record returns the frame of a tick to be filled with track.Snapshot.Add: of everything
// there is. The one before is then closed: from then on shots find who may be near them
// without looking at everybody.
func (h *History) Record(tick uint32, at clock.Micros) *track.Snapshot {
	if f := h.Snapshots.Snapshot(h.Snapshots.Newest()); f != nil {
		h.bounds.add(f)
	}
	f := h.Snapshots.Record(tick, at)
	f.Complete = true
	return f
}

// Entities appends to into what a client who was told so much (nil: everything) drew at the
// view in the world w (nil: one without moving bodies), by ascending id, without the
// shooter except (GAP-44, GAP-49): the same list, bit for bit, as that
// client's remote.Remotes.Targets. It is ErrForgotten where the view's newest
// frame was never recorded or is more than the window older than the newest tick.
// It does not ask whether the client may have this view: shot.Judge does.
func (h *History) Entities(v track.View, told *track.SentLog, w *collide.World, except track.ID, into []track.Entity) ([]track.Entity, error) {
	if !h.Covers(v) {
		return into, ErrForgotten
	}
	return h.interpolator(told, w).Entities(v, except, into), nil
}

// interpolator is where the views of a client are looked up who was told so much.
func (h *History) interpolator(told *track.SentLog, w *collide.World) track.Interpolator {
	return track.Interpolator{History: h.Snapshots, Sent: told, World: w, Extrapolation: h.Extrapolation}
}

// Covers reports whether View would answer.
func (h *History) Covers(v track.View) bool {
	f, newest := h.Snapshots.Snapshot(v.Seen.Newest), h.Snapshots.Snapshot(h.Snapshots.Newest())
	return f != nil && newest.At-f.At <= h.window
}
