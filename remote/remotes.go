package remote

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// Remotes holds the frames a client has received and says where everything in
// them stands. Make one with New.
type Remotes struct {
	frames *track.Frames
	seen   track.Received
	delay  delay
	tick   clock.Micros
	now    clock.Micros // of the last View
	at     clock.Micros // its view time
	begun  bool
}

// New returns an empty Remotes for a match whose ticks are tick µs apart.
func New(tick clock.Micros) *Remotes {
	if tick <= 0 {
		panic("remote: New needs a positive tick")
	}
	r := &Remotes{frames: track.NewFrames(3 * track.Reach), tick: tick}
	r.delay.begin(tick)
	return r
}

// Push takes in a snapshot that has come whole, at match time now by this
// client's estimate. It reports false, and keeps nothing, where the tick had come
// before or is more than track.Reach ticks older than the newest. The frame is
// copied. Entities must be quantised, as they are when they come from the wire.
func (r *Remotes) Push(f *track.Frame, now clock.Micros) bool {
	newest := r.frames.Frame(r.seen.Newest)
	if !r.seen.Mark(f.Tick) {
		return false
	}
	if f.Tick == r.seen.Newest && newest != nil {
		r.delay.space(clock.Micros(f.Tick-newest.Tick) * r.tick)
		r.measure(newest, f, now)
	}
	own := r.frames.Record(f.Tick, f.At)
	own.Entities = append(own.Entities, f.Entities...)
	own.Kinks = append(own.Kinks, f.Kinks...)
	own.Gone = append(own.Gone, f.Gone...)
	own.Whole = f.Whole
	return true
}

// Frames is the frames themselves, to be read.
func (r *Remotes) Frames() *track.Frames { return r.frames }

// Seen returns which frames have come so far: what a client acknowledges.
func (r *Remotes) Seen() track.Received { return r.seen }

// Delay returns how far behind the match the view is meant to be.
func (r *Remotes) Delay() clock.Micros { return r.delay.wanted }

// View advances the view to match time now, by this client's estimate of the
// server's clock, and returns it: once a drawn frame. What is drawn and tested in
// that frame takes this View, whatever arrives meanwhile, and a shot names it.
//
// The view time never runs backwards and its rate stays within 10 % of now's: a
// change of Delay is slewed. Where it is more than half a second off, because of a
// freeze or a step of the clock, it jumps forward or stands still. It is never
// before the match, which is 0. Its Platform is now: whoever makes commands puts the
// newest one's stamp there.
func (r *Remotes) View(now clock.Micros) track.View {
	r.advance(now)
	at := max(r.at, 0)
	return track.View{At: at, Platform: max(now, at), Seen: r.seen}
}

// At returns where the thing is in the view, in the frame of the world w (nil: one
// without moving bodies); track.Missing where it is not in the view.
func (r *Remotes) At(id track.ID, v track.View, w *collide.World) (track.Sample, track.Fit) {
	return track.Picture{Frames: r.frames, World: w}.At(id, v)
}

// Targets appends to into everything in the view, by ascending id: what a shot
// is cast against. The server's rewind.History gives the same list for the same
// view, bit for bit.
func (r *Remotes) Targets(v track.View, w *collide.World, into []track.Entity) []track.Entity {
	return track.Picture{Frames: r.frames, World: w}.Entities(v, 0, into)
}

// Newest returns the thing's sample in the newest frame that has come, a rider's in
// its base's frame. Its age at
// match time now is now − At: the way from the owner to the server and from there
// to here (GAP-36).
func (r *Remotes) Newest(id track.ID) (track.Sample, bool) {
	if f := r.frames.Frame(r.seen.Newest); f != nil {
		if s := f.Find(id); s != nil {
			return *s, true
		}
	}
	return track.Sample{}, false
}
