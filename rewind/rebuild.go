package rewind

import (
	"slices"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// viewSource is what a server rebuilds its scene from. The zero viewSource is none.
type viewSource struct {
	history      *History
	interpolator track.Interpolator
	view         track.View
	except       track.ID
	side         float64 // how far a query's target may be beside its bounds, metres
	top          float64 // and above them
	first        uint32  // the newest snapshot not after the view's time, 0: none
	oldest       uint32  // the oldest tick that the view may be drawn from
	extrapolates bool    // whether it shows the newest samples, extrapolated
	hidden       bool    // whether it also has what the client was not sent

	gathered bool
	spans    []span // of everything that may be in the view
}

// Rebuild makes the scene that of a client's view in the world w (nil: none); sent is that
// client's log (nil: it was sent everything). For every query the scene is the same, bit for
// bit, as if it were Set to the list that Entities returns, without the shooter except [GAP-44,
// GAP-49]. But only entities near a query are rebuilt and posed, once each. The error is
// ErrForgotten as with Entities; the scene is then empty. Neither w nor the history may change
// until the next Set or Rebuild. Triggers that the shooter could not know of are not in the scene
// (collide.World.KnownBy).
func (h *History) Rebuild(s *Scene, v track.View, sent *track.SentLog, w *collide.World, except track.ID) error {
	return h.rebuild(s, v, sent, w, except, false)
}

// RebuildWithHidden is Rebuild, and an entity that the client was not sent is where it was at the view's time: for a
// projectile, which also meets what its shooter does not see. Such an entity is not among Scene.Targets.
func (h *History) RebuildWithHidden(s *Scene, v track.View, sent *track.SentLog, w *collide.World, except track.ID) error {
	return h.rebuild(s, v, sent, w, except, sent != nil)
}

// rebuild is Rebuild, with what the client was not sent if hidden is set.
func (h *History) rebuild(s *Scene, v track.View, sent *track.SentLog, w *collide.World, except track.ID, hidden bool) error {
	// First, so that a scene after an error is empty and not half of the view before.
	s.source.history = nil
	world := collide.WorldAt{World: s.knownWorld(w, v.Seen.Newest, except), At: v.Platform}
	if !h.Covers(v) {
		s.Set(world, nil)
		return ErrForgotten
	}
	// Nothing is rebuilt yet: a shot that hits nothing near costs no more than this.
	p := &s.source
	p.history, p.gathered, p.interpolator, p.view, p.except, p.hidden = h, false, h.interpolator(sent, world.World), v, except, hidden
	s.setTargets(s.rebuilt[:0])
	s.setWorld(world, h.Snapshots.Snapshot(h.Snapshots.Newest()).At)
	s.movers.truth = w
	if s.Blockers.Breaks != 0 {
		s.removeBroken()
	}
	s.finishWorld()
	return nil
}

// knownWorld returns the world with the triggers that a shooter knew of: those that a snapshot up
// to the newest of its view can have brought, and its own. It opens its own doors at once, and
// another's when it learns of them.
func (s *Scene) knownWorld(w *collide.World, newest uint32, shooter track.ID) *collide.World {
	if w == nil {
		return nil
	}
	return w.KnownBy(uint16(shooter), newest, &s.movers.known)
}

// removeBroken removes a mover from the world if its entity is dead in the view.
func (s *Scene) removeBroken() {
	slots := s.source.history.bounds.slots
	for k := range slots {
		slot := &slots[k]
		if slot.id == s.source.except || !slot.kinds.has(s.Blockers.Breaks) {
			continue
		}
		if i := s.find(slot.id); i >= 0 {
			if t := &s.targets[i]; s.breaks(t.Kind) && t.Dead {
				s.movers.without.Add(collide.MoverID(t.UserData))
			}
		}
	}
}

// gather makes the spans of a view.
func (s *Scene) gather() {
	p, h := &s.source, &s.source.history.bounds
	p.gathered, p.spans = true, p.spans[:0]
	p.begin(s.side, s.top)
	newest := p.view.Seen.Newest
	// The newest snapshot is added to the bounds by the next Record. A client on a fast link draws
	// from it already.
	latest := (*track.Snapshot)(nil) // one that is not among the bounds yet
	if newest > h.newest {
		latest = p.interpolator.History.Snapshot(newest)
	}
	var b bounds
	for k := range h.slots {
		slot := &h.slots[k]
		if !p.mayHold(slot, &s.hittable) {
			continue
		}
		h.between(slot, p.since(slot.id), newest, &b)
		// A sample that is stamped after its tick is used for views before that tick, so how far
		// back the view goes is not known from the tick: take all of it.
		if b.flags&early != 0 {
			h.between(slot, p.oldest, newest, &b)
		}
		if latest != nil {
			var e track.Sample
			if latest.Find(slot.id, &e) {
				b.add(&e, latest.At)
			}
		}
		if b.flags != 0 {
			p.add(slot.id, &b)
		}
	}
	// What is in that snapshot alone has no bounds yet.
	for i := 0; latest != nil && i < latest.Len(); i++ {
		id := latest.ID(i)
		if k := h.slotOf[id]; id != p.except && s.hittable.has(latest.Kind(i)) && (k == 0 || !p.mayHold(&h.slots[k-1], &s.hittable)) {
			p.add(id, &bounds{flags: anywhere})
		}
	}
	s.makeRoom(len(p.spans))
}

// usualFigures is how many figures are made at once, before a shot needs them.
const usualFigures = 16

// makeRoom allocates what n candidates may need, so that no later shot among as many does.
func (s *Scene) makeRoom(n int) {
	s.near = slices.Grow(s.near[:0], n)
	s.rebuilt = slices.Grow(s.rebuilt[:len(s.targets)], n)
	s.targets = s.rebuilt
	s.states = slices.Grow(s.states, n)
	for len(s.figures) < min(n, usualFigures) {
		s.figures = append(s.figures, new(posedFigure))
	}
}

// begin computes what is the same for all spans of a view.
func (p *viewSource) begin(side, top float64) {
	v, h := &p.view, &p.history.bounds
	margin := boundsMargin
	if p.extrapolates = v.Mode.Extrapolates(); p.extrapolates {
		margin += p.interpolator.Extrapolation.MaxOffset(v)
		// Blending moves an entity by less and less. The weight is that of track's blending, so the
		// margin shrinks with it.
	} else if v.Blending() {
		t := float64(v.At-v.BlendAt) / float64(track.BlendTime)
		margin += float64(track.MaxBlendDistance * (1 - float64(float64(t*t)*(3-float64(2*t)))))
	}
	p.side, p.top = side+margin, top+margin
	// Ticks count from 1 and are unsigned: the difference must not wrap at the beginning of a
	// match.
	p.oldest = max(v.Seen.Newest, 2*track.ReceivedWindow+1) - 2*track.ReceivedWindow
	for p.first = v.Seen.Newest; p.first != 0; p.first = v.Seen.Before(p.first) {
		f := p.interpolator.History.Snapshot(p.first)
		switch {
		case f == nil:
		case f.At+track.StampGrid <= v.At && p.first <= h.newest:
			return
		// Without a log it is not known which keyframes the client had.
		case p.interpolator.Sent == nil && f.HasKeyframes():
			p.first = 0 // which may come from before the next tick
			return
		}
	}
}

// mayHold reports whether an entity may be in the view and be hit: whether it was recorded, and
// sent or removed by the client's log, within ReceivedWindow of the view's newest snapshot.
// Before that no snapshot of the view mentions it, which makes it Missing.
func (p *viewSource) mayHold(s *slot, hittable *kindSet) bool {
	return s.id != p.except && s.kinds.intersects(hittable) && s.last >= p.oldestSeen() && (p.hidden || p.mentioned(s.id))
}

// oldestSeen returns the oldest tick that the view may name.
func (p *viewSource) oldestSeen() uint32 {
	return max(p.view.Seen.Newest, track.ReceivedWindow+1) - track.ReceivedWindow
}

// mentioned reports whether snapshots of the client that the view may name have the entity, or remove it.
func (p *viewSource) mentioned(id track.ID) bool {
	sent := p.interpolator.Sent
	return sent == nil || sent.LastMention(id) >= p.oldestSeen()
}

// since returns a tick before which no sample of an entity matters to the view: the newest
// snapshot, not after the view's time, that has or removes the entity. The view goes back from
// its newest snapshot to the first sample that is not after its time, and no further; a sample
// that is stamped no later than its tick is such a one. Keyframes before a later sample begin
// after the sample that the client was sent before.
func (p *viewSource) since(id track.ID) uint32 {
	sent, tick := p.interpolator.Sent, p.first
	// What the client was not sent is drawn from all snapshots, and there may be thousands of such entities.
	if !p.mentioned(id) {
		sent = nil
	}
	// A snapshot that does not mention the entity left it unchanged or waiting: the sample that
	// counts is an older one.
	for sent != nil && tick != 0 && !sent.Has(tick, id) && !sent.Removed(tick, id) {
		tick = p.view.Seen.Before(tick)
	}
	return max(tick, p.oldest)
}

// rebuiltCandidates returns the targets that a query may hit, rebuilt.
func (s *Scene) rebuiltCandidates(q *query) []int32 {
	p := &s.source
	if !p.gathered {
		s.gather()
	}
	s.near = s.near[:0]
	for k := range p.spans {
		if n := &p.spans[k]; n.index >= 0 && n.near(q) {
			s.consider(n)
		}
	}
	return s.near
}

// consider adds the entity of a span to the candidates, which ascend by ID, if it is in the
// view.
func (s *Scene) consider(n *span) {
	if n.index == 0 {
		// Once for a view: the next query finds the index, or that it is not there.
		if n.index = int32(s.rebuild(n.id)) + 1; n.index == 0 {
			n.index = -1
			return
		}
	}
	// Insertion into a short list that is nearly in order.
	s.near = append(s.near, n.index-1)
	for k := len(s.near) - 1; k > 0 && s.targets[s.near[k]].ID < s.targets[s.near[k-1]].ID; k-- {
		s.near[k], s.near[k-1] = s.near[k-1], s.near[k]
	}
}

// rebuild adds a target as the view has it, and returns its index, −1 for none.
func (s *Scene) rebuild(id track.ID) int {
	p := &s.source
	// A scene has few rebuilt targets: a search is quicker than a table to clear for each shot.
	for i := range s.targets { // it may be rebuilt already, by PosedRig or removeBroken
		if s.targets[i].ID == id {
			return i
		}
	}
	sample, source := p.interpolator.At(id, p.view)
	hidden := source == track.Missing && p.hidden
	if hidden {
		all, view := p.interpolator, p.view
		all.Sent, view.Mode = nil, track.DrawInterpolated
		sample, source = all.At(id, view)
	}
	if source == track.Missing {
		return -1
	}
	// Indices of targets are kept in spans and figures, so the list only grows until the next Set.
	s.rebuilt = append(s.rebuilt[:len(s.targets)], track.Entity{ID: id, Sample: sample})
	s.targets = s.rebuilt
	s.states = append(s.states, targetState{hidden: hidden})
	return len(s.targets) - 1
}

// rebuildByID returns the index of a target that was not looked up so far, −1 for none.
func (s *Scene) rebuildByID(id track.ID) int {
	if s.source.history == nil || id == s.source.except || id == 0 || id > track.MaxID {
		return -1
	}
	return s.rebuild(id)
}
