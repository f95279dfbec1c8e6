package rewind

import (
	"math/bits"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// past is where a server's scene comes from; the zero past is nowhere.
type past struct {
	history *History
	picture track.Interpolator
	view    track.View
	except  track.ID

	gathered bool
	ticks    tellings
	spans    []span // of everybody who may be in the view, by ascending id
	rows     []*row // of those ticks that matter of most things
	older    []*row // likewise of another
	rides    []ride
	grow     float64 // by how much everybody may be beside their spans
	broad    broad
	fan      fan
	haunts   haunts
}

// span is where somebody is in the view, whatever it is drawn from: the places of all samples
// that it may be drawn from, and what they would be after track.MaxExtrapolation.
type span struct {
	swath
	id    track.ID
	index int32 // in Scene.targets, from 1; 0: not rebuilt; −1: not there
}

// Rebuild makes the scene that of a view of a client who was told so much (nil: everything),
// in the world w (nil: none): for every question the same, bit for bit, as if the scene were
// shown the whole list that View has, without the shooter except (GAP-44, GAP-49). But only
// those are rebuilt and posed, once, who may be near what is asked. ErrForgotten is as with
// View; the scene is then an empty one. Neither w nor the history may change until the next
// Show.
func (h *History) Rebuild(s *Scene, v track.View, told *track.SentLog, w *collide.World, except track.ID) error {
	s.past.history = nil
	world := collide.WorldAt{World: w, At: v.Platform}
	if !h.Covers(v) {
		s.Set(world, nil)
		return ErrForgotten
	}
	p := &s.past
	p.picture = h.picture(told, w)
	p.view, p.except = v, except
	now := h.Snapshots.Snapshot(h.Snapshots.Newest()).At
	if !h.swept.covers(v) {
		s.rebuilt = p.picture.Entities(v, except, s.rebuilt[:0])
		s.show(world, now, s.rebuilt)
		return nil
	}
	p.history, p.gathered = h, false
	p.spans = p.spans[:0]
	s.list(s.rebuilt[:0])
	s.setWorld(world, now)
	if s.Blockers.Breaks != 0 {
		s.breakAll()
	}
	s.finishWorld()
	return nil
}

// covers reports whether the boxes know all that a view may be drawn from.
func (w *swept) covers(v track.View) bool {
	return w.to != 0 && oldest(v) > w.blind
}

// oldest is the oldest tick whose samples a view may be drawn from: those that it names go
// back by Reach, and kinks that lead to one of them by Reach again.
func oldest(v track.View) uint32 {
	return max(v.Seen.Newest, 2*track.ReceivedWindow+1) - 2*track.ReceivedWindow
}

// breakAll takes the bodies out of the world whose things are dead in the view.
func (s *Scene) breakAll() {
	w := &s.past.history.swept
	for k := range w.slots {
		slot := &w.slots[k]
		if slot.id == 0 || slot.id == s.past.except || !slot.kinds.has(s.Blockers.Breaks) {
			continue
		}
		if i := s.find(slot.id); i >= 0 {
			if t := &s.targets[i]; s.breaks(t.Kind) && t.Dead {
				s.blocks.without.Add(collide.BodyID(t.UserData))
			}
		}
	}
}

// tellings are the ticks, from the newest back, of the frames of a view that are not after
// its time.
type tellings struct {
	told   *track.SentLog
	frames *track.SnapshotHistory
	at     clock.Micros
	seen   track.Received
	mask   uint64
	list   [track.ReceivedWindow + 1]uint32
	n      int
	oldest uint32
	boxed  uint32 // the newest tick of which is known whether stamps are early
}

func (t *tellings) begin(p *past) {
	t.told, t.frames, t.at = p.picture.Sent, p.picture.History, p.view.At
	t.seen, t.mask, t.n = p.view.Seen, p.view.Seen.Mask, 0
	t.oldest, t.boxed = oldest(p.view), p.history.swept.to
	t.add(t.seen.Newest)
}

// add takes in a tick of the view.
func (t *tellings) add(tick uint32) {
	f := t.frames.Snapshot(tick)
	switch {
	case f == nil:
	case f.At+track.StampGrid <= t.at && tick <= t.boxed:
		t.list[t.n] = tick
		t.n++
	case t.told == nil && f.HasKeyframes():
		t.mask = 0 // which may come from before the next tick
	}
}

// tick returns number i of the list, 0 where there are no more.
func (t *tellings) tick(i int) uint32 {
	for i >= t.n {
		if t.mask == 0 {
			return 0
		}
		back := uint32(bits.TrailingZeros64(t.mask)) + 1
		t.mask &= t.mask - 1
		if back >= t.seen.Newest {
			t.mask = 0
			return 0
		}
		t.add(t.seen.Newest - back)
	}
	return t.list[i]
}

// since returns a tick before which nothing of a thing is in the view: the newest, not after
// the view's time, in which the client was told where the thing is, or that it is gone. The
// view goes back from its newest frame until it comes to a sample that is not after its
// time, and no further, and a sample that is stamped no later than its tick is such a one.
// What leads to a later sample by kinks begins where the client was told before that.
func (t *tellings) since(id track.ID) uint32 {
	for i := 0; ; i++ {
		tick := t.tick(i)
		if tick == 0 {
			return t.oldest
		}
		if t.told == nil || t.told.Has(tick, id) || t.told.Gone(tick, id) {
			return tick
		}
	}
}

// gather makes the spans of a view: of what may be of kinds that are met. For a small question
// it leaves those out whose haunts that does not come near, and is to be called again for
// the next.
func (s *Scene) gather(q *question) {
	p := &s.past
	w := &p.history.swept
	p.ticks.begin(p)
	p.gathered, p.rides, p.fan.asked = !q.small(), p.rides[:0], false
	p.spans = slices.Grow(p.spans[:0], len(w.slots))
	p.grow = p.growth()
	newest, most := p.view.Seen.Newest, p.ticks.tick(0)
	p.rows = w.between(max(most, p.ticks.oldest), newest, p.rows[:0])
	if !p.gathered {
		p.haunts.update(p.history, p.ticks.oldest, &s.meets)
		p.broad.begin(q, p, s.side, s.top)
	}
	for k := range w.slots {
		if w.slots[k].id != p.except && w.met(k, &s.meets) && p.mayHave(&w.slots[k]) && (p.gathered || p.broad.near(&p.haunts.swaths[k])) {
			p.span(k)
		}
	}
	if newest > w.to {
		p.gatherNewest(&s.meets)
	}
}

// mayHave reports whether what is in a slot may be in the view: whether it was recorded and,
// to a client, mentioned since the oldest snapshot that may say that it is there.
func (p *past) mayHave(s *slot) bool {
	oldest := max(p.view.Seen.Newest, track.ReceivedWindow+1) - track.ReceivedWindow
	return s.last >= oldest && (p.picture.Sent == nil || p.picture.Sent.Last(s.id) >= oldest)
}

// span makes the span of a slot, and returns whether there is one.
func (p *past) span(k int) bool {
	w, n := &p.history.swept, len(p.spans)
	if n == cap(p.spans) {
		p.spans = slices.Grow(p.spans, 1)
	}
	p.spans = p.spans[:n+1]
	s, rows, newest := &p.spans[n], p.rows, p.view.Seen.Newest
	s.id, s.index = w.slots[k].id, 0
	if t := &p.ticks; t.n > 0 && t.told != nil && !t.told.Has(t.list[0], s.id) { // seldom
		p.older = w.between(t.since(s.id), newest, p.older[:0])
		rows = p.older
	}
	s.join(rows, k)
	if s.flags&early != 0 {
		p.older = w.between(p.ticks.oldest, newest, p.older[:0])
		s.join(p.older, k)
	}
	if s.flags == 0 {
		p.spans = p.spans[:n]
		return false
	}
	if s.base != collide.Static {
		p.place(s)
	}
	p.sort(n)
	return true
}

// place brings a rider's span into the world's frame.
func (p *past) place(s *span) {
	if p.picture.World == nil || p.picture.World.Body(s.base) == nil {
		s.base = collide.Static // as Sample.ToWorld takes it
		return
	}
	for i := range p.rides {
		if p.rides[i].base == s.base {
			s.swath.place(p.rides[i].pose)
			return
		}
	}
	r := ride{s.base, p.picture.World.Body(s.base).Path.Pose(p.view.Platform)}
	p.rides = append(p.rides, r)
	s.swath.place(r.pose)
}

// ride is where a body is that somebody rides on.
type ride struct {
	base collide.BodyID
	pose geom.Transform
}

// gatherNewest adds the frame that is not among the boxes yet.
func (p *past) gatherNewest(meets *kindSet) {
	w := &p.history.swept
	f := p.picture.History.Snapshot(p.view.Seen.Newest)
	var e track.Sample
	at := 0
	for i := range f.Len() {
		id := f.ID(i)
		if id == p.except {
			continue
		}
		for at < len(p.spans) && p.spans[at].id < id {
			at++
		}
		if at == len(p.spans) || p.spans[at].id != id {
			k := int(w.of[id]) - 1
			if !meets.has(f.Kind(i)) && (k < 0 || !w.met(k, meets)) {
				continue
			}
			if k < 0 || !p.span(k) { // its slot was left out so far, if it has one
				p.spans = append(p.spans, span{nowhere, id, 0})
				p.sort(len(p.spans) - 1)
			}
		}
		f.Load(i, &e)
		if e.Base != collide.Static || e.BaseChangedAt != 0 {
			p.spans[at].flags |= there | moves
			continue
		}
		p.spans[at].add(&e, f.At)
	}
}

// sort puts a span in its place among those before it.
func (p *past) sort(i int) {
	for ; i > 0 && p.spans[i-1].id > p.spans[i].id; i-- {
		p.spans[i], p.spans[i-1] = p.spans[i-1], p.spans[i]
	}
}

// spanMargin is added to every box, in metres, for what is rounded on the way.
const spanMargin = 0.002

// growth returns by how much everybody may be beside where the samples say, in metres:
// rounding, and what healing, smoothing and steps add.
func (p *past) growth() float64 {
	v := &p.view
	switch {
	case v.Mode.Extrapolates():
		return spanMargin + p.picture.Extrapolation.MaxOffset(v)
	case !v.Blending():
		return spanMargin
	}
	t := float64(v.At-v.BlendAt) / float64(track.BlendTime)
	return spanMargin + float64(track.MaxBlendDistance*(1-float64(float64(t*t)*(3-float64(2*t)))))
}

// candidates returns those whom a question may meet, rebuilt.
func (s *Scene) candidates(q *question) []int32 {
	p := &s.past
	if !p.gathered {
		s.gather(q)
	}
	s.near = s.near[:0]
	fan := p.fan.of(q, p, s.side, s.top)
	p.broad.begin(q, p, s.side, s.top)
	if fan == nil {
		for k := range p.spans {
			s.consider(&p.spans[k])
		}
	}
	for _, k := range fan {
		s.consider(&p.spans[k])
	}
	return s.near
}

// consider takes who is in a span among the candidates, if the question may come near.
func (s *Scene) consider(n *span) {
	if n.index < 0 || !s.past.broad.near(&n.swath) {
		return
	}
	if i := s.remake(n); i >= 0 {
		s.near = append(s.near, int32(i))
	}
}

// remake returns the index of a span's target, rebuilt if it was not: −1 where it is not in
// the view.
func (s *Scene) remake(n *span) int {
	if n.index > 0 {
		return int(n.index - 1)
	}
	if n.index == 0 {
		n.index = int32(s.restore(n.id)) + 1
		if n.index == 0 {
			n.index = -1
		}
	}
	return max(int(n.index)-1, -1)
}

// restore adds a target as the view has it, and returns its index, −1 for none.
func (s *Scene) restore(id track.ID) int {
	p := &s.past
	for i := range s.targets { // whom somebody asked for by id
		if s.targets[i].ID == id {
			return i
		}
	}
	sample, fit := p.picture.At(id, p.view)
	if fit == track.Missing {
		return -1
	}
	s.rebuilt = append(s.rebuilt[:len(s.targets)], track.Entity{ID: id, Sample: sample})
	s.targets = s.rebuilt
	s.states = append(s.states, state{})
	return len(s.targets) - 1
}

// rebuild returns the index of a target that was not asked for so far, −1 for none.
func (s *Scene) rebuild(id track.ID) int {
	if s.past.history == nil || id == s.past.except || id == 0 || id > track.MaxID {
		return -1
	}
	return s.restore(id)
}
