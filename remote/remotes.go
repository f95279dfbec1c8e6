package remote

import (
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// Remotes holds the snapshots a client has received and returns where every entity in them is drawn.
// Make one with New.
type Remotes struct {
	snapshots *track.SnapshotHistory
	seen      track.Received
	tick      clock.Micros
	now       clock.Micros // of the last View

	mode        Mode
	entityModes []Mode // by id: an entity's own mode + 1, 0 for the default; nil: no entity has one

	delay         delayEstimator
	newestSamples track.ByID[newestSample]
	interpolated  slewedClock // the view time of interpolated entities
	extrapolated  slewedClock // that of extrapolated entities
	blend         blending    // the snapshots that interpolated entities are drawn from
	arrivals      arrivalLog
	arrived       arrivedSnapshots
	received      []newestSample // scratch: the samples of the snapshot that arrives, in its order
	sample        track.Sample   // scratch

	extrapolation track.Extrapolation
	smoothing     smoothingSnapshots // the snapshots that extrapolated entities are drawn from

	world    *collide.World // of the last Targets
	platform clock.Micros   // of the last Targets
}

// New returns an empty Remotes for a match whose ticks are tick µs apart.
func New(tick clock.Micros) *Remotes {
	if tick <= 0 {
		panic("remote: New needs a positive tick")
	}
	r := &Remotes{snapshots: track.NewSnapshotHistory(3 * track.ReceivedWindow), tick: tick}
	// An extrapolated entity is corrected by the same arrivals in many frames. The server has no such state: it
	// judges single views.
	r.extrapolation.Stateful = true
	r.blend.changedFrom = never
	r.delay.begin(tick)
	return r
}

// SetInterval sets how far apart snapshots are sent, if that is known before two have arrived: the
// initial delay depends on it.
func (r *Remotes) SetInterval(apart clock.Micros) { r.delay.recordInterval(apart) }

// Receive records a complete snapshot that arrived at match time now, by this client's estimate: before
// the last View, if it was handed over later. It returns false, and keeps nothing, if the tick had
// arrived before or is more than track.ReceivedWindow ticks older than the newest. The snapshot is copied.
func (r *Remotes) Receive(f *track.Snapshot, now clock.Micros) bool {
	before := r.snapshots.Snapshot(r.seen.Newest)
	if !r.seen.Mark(f.Tick) {
		return false
	}
	newest := f.Tick == r.seen.Newest
	r.received = r.received[:0]
	for i := range f.Len() {
		f.Load(i, &r.sample)
		r.received = append(r.received, newestSampleOf(f.Tick, &r.sample))
	}
	if newest && before != nil {
		apart := clock.Micros(f.Tick-before.Tick) * r.tick
		r.delay.recordInterval(apart)
		if r.stalled(now) {
			r.arrived.clear()
		} else if apart <= outageSnapshots*r.delay.interval { // an outage says nothing about the usual delay
			r.recordArrival(before, f, now)
		}
		if !r.interpolated.begun {
			r.measure()
		}
	}
	r.recordNewest(f, newest)
	r.arrivals.put(f.Tick, max(now, r.now)) // the frame at r.now was drawn without it
	r.snapshots.Record(f.Tick, f.At).Copy(f)
	return true
}

// History returns the snapshots, to be read.
func (r *Remotes) History() *track.SnapshotHistory { return r.snapshots }

// Received returns which snapshots have arrived so far: what a client acknowledges.
func (r *Remotes) Received() track.Received { return r.seen }

// Delay returns how far behind the match the view is meant to be.
func (r *Remotes) Delay() clock.Micros { return r.delayOf(r.mode) }

// delayOf returns how far behind the match a mode is meant to draw. Extrapolated entities are shown
// as of now, but for a tick that a server's clock may be behind this client's estimate of it, and
// for what would have to be extrapolated too far.
func (r *Remotes) delayOf(m Mode) clock.Micros {
	switch m {
	case Interpolate:
		return r.delay.wanted
	case Replay:
		return 0
	}
	return max(r.tick, r.delay.wanted-usualDeadReckoning)
}

// usualDeadReckoning is how long entities may have to be extrapolated as a rule.
// track.MaxDeadReckoning leaves more than that for a lost snapshot.
const usualDeadReckoning = 150 * clock.Millisecond

// View advances the view to match time now, by this client's estimate of the server's clock, and
// returns it: once per drawn frame. Everything drawn and tested in that frame uses this View,
// whatever arrives meanwhile, and a shot names it.
//
// The view time never runs backwards and its rate stays within 10 % of now's: a change of Delay is
// slewed. If it is more than half a second off, because of a freeze or a step of the clock, it
// jumps forward or stands still. It is never before the match, which begins at 0. Its Platform is
// now: code that makes commands puts the newest one's stamp there.
//
// If new snapshots change an entity that the view before had extrapolated past its last sample, the
// View has the snapshots of that view as BlendFrom, so that no entity is drawn jumping back.
func (r *Remotes) View(now clock.Micros) track.View {
	if r.stalled(now) {
		r.arrived.clear()
	}
	r.measure()
	// A caller's estimate of match time may step back; the view time does not.
	r.now = max(now, r.now)
	r.interpolated.advance(now, now-r.delay.wanted)
	r.extrapolated.advance(now, now-r.delayOf(Linear))
	r.updateSmoothing()
	v := track.View{Seen: r.seen, Mode: r.mode.drawing()}
	if v.At = r.viewTime(r.mode); r.mode == Replay {
		v.At = max(now, 0)
	}
	if r.mode == Interpolate || r.entityModes != nil {
		r.updateBlend(r.viewTime(Interpolate))
	}
	if r.mode == Interpolate {
		r.blend.applyTo(&v)
	}
	if r.mode.smooth() {
		r.smoothing.applyTo(&v)
	}
	v.Platform = max(now, v.At)
	return v
}

// stalled reports whether a frame at match time now comes too late for what has arrived since the last one to be measured.
func (r *Remotes) stalled(now clock.Micros) bool {
	return r.interpolated.begun && now-r.now > StallTime
}

// viewOf returns the view by which an entity of a mode is drawn in a frame.
func (r *Remotes) viewOf(m Mode, v track.View) track.View {
	if m == r.mode {
		return v
	}
	if r.mode != Replay {
		v.At = max(v.At+r.viewTime(m)-r.viewTime(r.mode), 0)
	}
	v.Mode, v.Platform = m.drawing(), max(v.Platform, v.At)
	v.BlendFrom, v.BlendAt = track.Received{}, 0
	v.Cut(0)
	switch {
	case m == Interpolate && r.mode != Replay:
		r.blend.applyTo(&v)
	case m.smooth():
		r.smoothing.applyTo(&v)
	// The smoothing modes take new snapshots every track.ArrivalGap only; another mode need not wait.
	case r.mode.smooth():
		v.Seen = r.seen
	}
	return v
}

// viewTime returns the view time of a mode.
func (r *Remotes) viewTime(m Mode) clock.Micros {
	if m == Interpolate {
		return max(r.interpolated.at, 0)
	}
	return max(r.extrapolated.at, 0)
}

// Interpolator returns the interpolator of this client's views, in the world w (nil: none).
func (r *Remotes) Interpolator(w *collide.World) track.Interpolator {
	return track.Interpolator{History: r.snapshots, World: w, Extrapolation: &r.extrapolation}
}

// At returns where the entity is drawn in the view, in the frame of the world w (nil: one without a
// level), and track.Missing if it does not exist.
func (r *Remotes) At(id track.ID, v track.View, w *collide.World) (track.Sample, track.SampleSource) {
	return r.Interpolator(w).At(id, r.viewOf(r.Mode(id), v))
}

// Targets appends to into every entity in the view as it is drawn, by ascending id: what a shot is
// cast against. For entities in the default mode, the server's rewind.History gives the same for
// the same view, bit for bit.
func (r *Remotes) Targets(v track.View, w *collide.World, into []track.Entity) []track.Entity {
	r.world, r.platform = w, v.Platform
	first := len(into)
	into = r.Interpolator(w).Entities(v, 0, into)
	if r.entityModes == nil {
		return into
	}
	for i := first; i < len(into); i++ {
		if e := &into[i]; r.Mode(e.ID) != r.mode {
			e.Sample, _ = r.At(e.ID, v, w)
		}
	}
	return into
}

// Newest returns the newest sample of an entity that has arrived, a rider's in its base's frame,
// and false if the entity does not exist. Its age at match time now is now − At; Age returns
// its parts (GAP-36).
func (r *Remotes) Newest(id track.ID) (track.Sample, bool) {
	var s track.Sample
	f := r.newest(id, r.seen, &s)
	return s, f != nil
}

// NewestTick returns the tick of the snapshot that has the newest sample of an entity, or that has removed the entity
// since; 0 if none has arrived.
func (r *Remotes) NewestTick(id track.ID) uint32 { return r.newestSamples.At(id).tick }

// newest sets s to the entity's newest sample in those snapshots, and returns the snapshot that has it,
// nil if the entity does not exist.
func (r *Remotes) newest(id track.ID, seen track.Received, s *track.Sample) *track.Snapshot {
	for tick, back := seen.Newest, uint32(0); tick > 0 && back <= track.ReceivedWindow; tick, back = tick-1, back+1 {
		if !seen.Has(tick) {
			continue
		}
		f := r.snapshots.Snapshot(tick)
		if f == nil {
			continue
		}
		if f.Find(id, s) {
			return f
		}
		// A snapshot without the entity says nothing of it, unless it has all entities.
		if f.Complete || slices.Contains(f.Removed, id) {
			return nil
		}
	}
	return nil
}
