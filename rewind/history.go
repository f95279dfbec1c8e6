package rewind

import (
	"errors"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// DefaultWindow is how far back the history reaches unless said otherwise, and MaxWindow the
// most [HIS-04, GAP-43].
const (
	DefaultWindow = 500 * clock.Millisecond
	MaxWindow     = 1550 * clock.Millisecond
)

// ErrForgotten is returned for a view whose newest snapshot is not in the history: older than
// the window, or never recorded [HIS-06, GAP-42].
var ErrForgotten = errors.New("rewind: the view is not in the history")

// History is the server's record of every tick, from which it rebuilds views. Record each tick
// after all its moves and before the snapshots that carry it [GAP-60].
type History struct {
	// Snapshots is the record. What clients are sent is packed from the same snapshots, so what
	// was sent is what is recorded.
	Snapshots *track.SnapshotHistory
	// Extrapolation is how clients extrapolate entities in views whose mode asks for it; nil is
	// the zero one. Set it once, before the first view.
	Extrapolation *track.Extrapolation
	window        clock.Micros
	bounds        boundsHistory
}

// NewHistory returns a history of a match of rate ticks a second that holds views of the last
// window µs; zero means DefaultWindow. It panics if rate is not positive or the window is longer
// than MaxWindow.
func NewHistory(rate int, window clock.Micros) *History {
	if rate <= 0 {
		panic("rewind: NewHistory needs a positive rate")
	}
	if window > MaxWindow {
		panic("rewind: NewHistory holds 1,550 ms at most")
	}
	if window <= 0 {
		window = DefaultWindow
	}
	ticks := int((int64(window)*int64(rate) + int64(clock.Second) - 1) / int64(clock.Second))
	// A view at the end of the window may be drawn from the 64 ticks before its newest snapshot,
	// and blend from a view that was drawn from the 64 before those.
	ticks += 2*track.ReceivedWindow + 1
	return &History{Snapshots: track.NewSnapshotHistory(ticks), window: window, bounds: newBoundsHistory(rate, ticks)}
}

// Record returns the snapshot of a tick, to be filled by track.Snapshot.Add with every entity.
// It adds the snapshot of the tick before, which is then complete, to the broad phase.
func (h *History) Record(tick uint32, at clock.Micros) *track.Snapshot {
	// The caller fills the snapshot after Record has returned it, so only the one before is
	// complete.
	if f := h.Snapshots.Snapshot(h.Snapshots.Newest()); f != nil {
		h.bounds.add(f)
	}
	f := h.Snapshots.Record(tick, at)
	// The record has everything, so an entity that is not in it does not exist. In a client's
	// snapshots it may be one that was not sent.
	f.Complete = true
	return f
}

// Entities appends to into what a client with that log (nil: it was sent everything) drew at the
// view in the world w (nil: one without movers), in ascending order of ID and without the
// shooter except [GAP-44, GAP-49]: the same list, bit for bit, as that client's
// remote.Remotes.Targets. The error is ErrForgotten if the view's newest snapshot was never
// recorded or is more than the window older than the newest tick. Entities does not check
// whether the client may have this view: shot.Judge does.
func (h *History) Entities(v track.View, sent *track.SentLog, w *collide.World, except track.ID, into []track.Entity) ([]track.Entity, error) {
	if !h.Covers(v) {
		return into, ErrForgotten
	}
	return h.interpolator(sent, w).Entities(v, except, into), nil
}

// interpolator returns what the views of a client with that log are rebuilt by.
func (h *History) interpolator(sent *track.SentLog, w *collide.World) track.Interpolator {
	return track.Interpolator{History: h.Snapshots, Sent: sent, World: w, Extrapolation: h.Extrapolation}
}

// Covers reports whether the history holds a view.
func (h *History) Covers(v track.View) bool {
	// Both come from the record: a claim may name a tick that was skipped or is still to come.
	f, newest := h.Snapshots.Snapshot(v.Seen.Newest), h.Snapshots.Snapshot(h.Snapshots.Newest())
	return f != nil && newest.At-f.At <= h.window
}
