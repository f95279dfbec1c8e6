package remote

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// debugSpan is how far back Debug tells.
const debugSpan = clock.Second

// arrivalLog is when frames came, by tick.
type arrivalLog struct {
	tick [2 * track.ReceivedWindow]uint32
	at   [2 * track.ReceivedWindow]clock.Micros
}

func (a *arrivalLog) put(tick uint32, at clock.Micros) {
	i := tick % uint32(len(a.tick))
	a.tick[i], a.at[i] = tick, at
}

// get returns when the frame of a tick came.
func (a *arrivalLog) get(tick uint32) clock.Micros {
	if i := tick % uint32(len(a.tick)); a.tick[i] == tick {
		return a.at[i]
	}
	return 0
}

// Age is how old the newest sample of a thing is, and of what that is made (GAP-36).
type Age struct {
	// Total is match time now less the sample's stamp: the sum of the others.
	Total clock.Micros
	// Server is from the stamp, at which the owner was there, to the tick that told of it:
	// the way from the owner to the server, and the waiting there. It is negative for an
	// owner at the server's own machine who was ahead of the tick.
	Server clock.Micros
	// Network is from that tick to the snapshot's arrival here.
	Network clock.Micros
	// Client is how long that was ago.
	Client clock.Micros
}

// Age returns how old the newest sample of a thing is at match time now, and false where
// the thing is not there.
func (r *Remotes) Age(id track.ID, now clock.Micros) (Age, bool) {
	var s track.Sample
	f := r.newest(id, r.seen, &s)
	if f == nil {
		return Age{}, false
	}
	came := r.arrivals.get(f.Tick)
	return Age{Total: now - s.At, Server: f.At - s.At, Network: came - f.At, Client: now - came}, true
}

// State is a sample as it came.
type State struct {
	Tick     uint32
	Received clock.Micros // by match time, as this client had it then
	Keyframe bool         // a bend of the path between two samples
	track.Sample
}

// Debug is what there is to be shown of how one thing is drawn.
type Debug struct {
	Mode   Mode
	Drawn  track.Sample // in the view
	Source track.SampleSource
	Age    Age
	// Delay is how far behind the match it is drawn.
	Delay clock.Micros
	// Blending is how much of a recovery is still to come, 1 … 0.
	Blending float64
	// Offset is how far what is drawn is from the body, in the smoothing modes, in metres.
	Offset float64
	// States is what came within the last second, newest first; riders in their base's
	// frame. It reuses the room of the Debug that was handed in.
	States []State
}

// Debug fills into with how a thing is drawn in the view, by match time now; false where
// it is not there. It is for a page's debug layer.
func (r *Remotes) Debug(id track.ID, v track.View, now clock.Micros, into *Debug) bool {
	*into = Debug{States: into.States[:0]}
	s, fit := r.At(id, v, r.world)
	into.Drawn, into.Source, into.Mode = s, fit, r.Mode(id)
	if fit == track.Missing {
		return false
	}
	into.Age, _ = r.Age(id, now)
	own := r.viewOf(into.Mode, v)
	into.Delay = now - own.At
	if left := own.BlendAt + track.BlendTime - own.At; own.BlendAt != 0 && left > 0 {
		into.Blending = left.Seconds() / track.BlendTime.Seconds()
	}
	if own.NeedsArrivals() {
		own.Cut(0)
		body, _ := r.Interpolator(r.world).At(id, own)
		into.Offset = body.Position.Dist(s.Position)
	}
	for tick, back := r.seen.Newest, uint32(0); tick > 0 && back <= track.ReceivedWindow; tick, back = tick-1, back+1 {
		f := r.frames.Snapshot(tick)
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

// add adds what a frame has of a thing.
func (d *Debug) add(f *track.Snapshot, id track.ID, came clock.Micros) {
	var s track.Sample
	if f.Find(id, &s) {
		d.States = append(d.States, State{f.Tick, came, false, s})
	}
	var room [track.MaxKeyframes]track.Entity
	kinks := f.KeyframesOf(id, room[:0])
	for i := len(kinks) - 1; i >= 0; i-- {
		d.States = append(d.States, State{f.Tick, came, true, kinks[i].Sample})
	}
}
