package remote

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// debugSpan is how far back Debug lists states.
const debugSpan = clock.Second

// arrivalLog records when snapshots arrived, by tick.
type arrivalLog struct {
	tick [2 * track.ReceivedWindow]uint32
	at   [2 * track.ReceivedWindow]clock.Micros
}

func (a *arrivalLog) put(tick uint32, at clock.Micros) {
	i := tick % uint32(len(a.tick))
	a.tick[i], a.at[i] = tick, at
}

// get returns when the snapshot of a tick arrived; 0, the beginning of the match, if that is not known any
// more. That is longer ago than maxSilence, so the view then jumps and blends nothing.
func (a *arrivalLog) get(tick uint32) clock.Micros {
	if i := tick % uint32(len(a.tick)); a.tick[i] == tick {
		return a.at[i]
	}
	return 0
}

// Age is how old the newest sample of an entity is, and the parts of that age (GAP-36).
type Age struct {
	// Total is match time now less the sample's stamp: the sum of the others.
	Total clock.Micros
	// Server is the time from the stamp, at which the owner was there, to the tick whose snapshot
	// has the sample: the delay from the owner to the server, and the wait there. It is negative
	// for an owner on the server's own machine that was ahead of the tick.
	Server clock.Micros
	// Network is the time from that tick to the arrival of the snapshot here.
	Network clock.Micros
	// Client is the time since that arrival.
	Client clock.Micros
}

// Age returns how old the newest sample of an entity is at match time now, and false if the entity
// does not exist.
func (r *Remotes) Age(id track.ID, now clock.Micros) (Age, bool) {
	var s track.Sample
	f := r.newest(id, r.seen, &s)
	if f == nil {
		return Age{}, false
	}
	received := r.arrivals.get(f.Tick)
	return Age{Total: now - s.At, Server: f.At - s.At, Network: received - f.At, Client: now - received}, true
}

// State is a sample as it was received.
type State struct {
	Tick     uint32       // of the snapshot that brought it
	Received clock.Micros // match time, by this client's estimate at that time
	Keyframe bool         // a keyframe of the path between two samples
	track.Sample
}

// Debug describes how one entity is drawn.
type Debug struct {
	Mode   Mode               // the drawing mode in use
	Drawn  track.Sample       // in the view
	Source track.SampleSource // which samples Drawn was made from
	Age    Age                // of the newest sample
	// Delay is how far behind the match the entity is drawn.
	Delay clock.Micros
	// Blending is how much of a blend is still to come, 1 … 0.
	Blending float64
	// Offset is the distance in metres between the drawn entity and its uncorrected extrapolation,
	// in the smoothing modes.
	Offset float64
	// States is what arrived within the last second, newest first; riders in their base's frame. It
	// reuses the memory of the Debug that the caller passed.
	States []State
}

// Debug sets into to a description of how an entity is drawn in the view at match time now. It returns false if
// the entity does not exist. It is for a page's debug layer.
func (r *Remotes) Debug(id track.ID, v track.View, now clock.Micros, into *Debug) bool {
	*into = Debug{States: into.States[:0]}
	s, source := r.At(id, v, r.world)
	into.Drawn, into.Source, into.Mode = s, source, r.Mode(id)
	if source == track.Missing {
		return false
	}
	into.Age, _ = r.Age(id, now)
	own := r.viewOf(into.Mode, v)
	into.Delay = now - own.At
	if left := own.BlendAt + track.BlendTime - own.At; own.BlendAt != 0 && left > 0 {
		into.Blending = left.Seconds() / track.BlendTime.Seconds()
	}
	if own.NeedsArrivals() {
		// Without arrivals there are no corrections: that is the extrapolation of the newest sample alone.
		own.Cut(0)
		body, _ := r.Interpolator(r.world).At(id, own)
		into.Offset = body.Position.Dist(s.Position)
	}
	for tick, back := r.seen.Newest, uint32(0); tick > 0 && back <= track.ReceivedWindow; tick, back = tick-1, back+1 {
		f := r.snapshots.Snapshot(tick)
		if !r.seen.Has(tick) || f == nil {
			continue
		}
		if f.At < now-debugSpan {
			break
		}
		into.add(f, id, r.arrivals.get(tick))
	}
	return true
}

// add appends a snapshot's samples of an entity.
func (d *Debug) add(f *track.Snapshot, id track.ID, received clock.Micros) {
	var s track.Sample
	if f.Find(id, &s) {
		d.States = append(d.States, State{f.Tick, received, false, s})
	}
	var buf [track.MaxKeyframes]track.Entity
	keyframes := f.KeyframesOf(id, buf[:0])
	for i := len(keyframes) - 1; i >= 0; i-- {
		d.States = append(d.States, State{f.Tick, received, true, keyframes[i].Sample})
	}
}
