package rootmotion

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// How many sources a character has at most [RMS-09].
const (
	MaxActive  = 4
	MaxPending = 2
)

// Group is the sources of one character: part of its state, plain data, compared
// with ==. The zero Group is none and ready. Change it through its methods, which
// keep the places without a source zero and last.
type Group struct {
	// Active sources, in the order in which they were applied.
	Active [MaxActive]Source
	// Pending sources become active in the next Prepare [RMS-02].
	Pending [MaxPending]Source
	// Added is how much of the character's velocity in m/s is the additive
	// sources' and not its own [RMS-04].
	Added geom.Vec3
	// Carried is the velocity in m/s of a mover that the character left while
	// sources were busy: in the air it goes on under an override, and finish
	// policies count from it [RMS-04]. A MoveTo, which knows its place, has none.
	Carried geom.Vec3
	// LastID is the id given last; zero while none ever was.
	LastID uint16
}

// Busy reports whether a source is active or pending, or left something in the
// velocity: whether the next move needs Drive. Two moves may be
// combined only where neither is busy [CMB-02].
func (g *Group) Busy() bool {
	return g.LastID != 0 && (g.Active[0].ID != 0 || g.Pending[0].ID != 0 || !g.Added.IsZero())
}

// Apply adds a source, which acts from the next Prepare on. For an ability of the owner
// both ends call it before the move of the same command [RMS-21]. stamp is the time stamp
// of the command, the same at both ends; it becomes the source's Start unless that is set.
// Apply returns the id that it gave the source. It returns 0 and false if two sources are
// pending or four alive already, and for an invalid source: without a kind, with numbers
// that are not finite, or a MoveTo or JumpTo without duration.
func (g *Group) Apply(s Source, stamp clock.Micros) (id uint16, ok bool) {
	if s.Start == 0 {
		s.Start = stamp
	}
	s.Flags &^= ended
	if !s.valid() {
		return 0, false
	}
	pending := count(g.Pending[:])
	alive := pending
	for i := range g.Active {
		if g.Active[i].ID != 0 && g.Active[i].Flags&ended == 0 {
			alive++
		}
	}
	if pending == MaxPending || alive >= MaxActive {
		return 0, false
	}
	g.LastID++
	if g.LastID == 0 {
		g.LastID = 1
	}
	s.ID = g.LastID
	g.Pending[pending] = s.snapped()
	return s.ID, true
}

// count returns how many sources are in list.
func count(list []Source) int {
	for i := range list {
		if list[i].ID == 0 {
			return i
		}
	}
	return len(list)
}

// find returns the source of that id, unless it has ended, or nil.
func (g *Group) find(id uint16) *Source {
	for i := range g.Active {
		if s := &g.Active[i]; id != 0 && s.ID == id && s.Flags&ended == 0 {
			return s
		}
	}
	for i := range g.Pending {
		if s := &g.Pending[i]; id != 0 && s.ID == id {
			return s
		}
	}
	return nil
}

// Remove ends the source of that id: the next Finish takes it away and applies
// its finish policy; a pending one never begins. It reports whether there was
// one.
func (g *Group) Remove(id uint16) bool {
	for i := range g.Pending {
		if id != 0 && g.Pending[i].ID == id {
			remove(g.Pending[:], i)
			return true
		}
	}
	s := g.find(id)
	if s == nil {
		return false
	}
	s.Flags |= ended
	return true
}

// Clear ends every source without its finish policy: for death and respawns. Added
// keeps what additive sources left in the velocity.
func (g *Group) Clear() {
	g.Active, g.Pending, g.Carried = [MaxActive]Source{}, [MaxPending]Source{}, geom.Vec3{}
}

// remove closes the gap.
func remove(list []Source, i int) {
	copy(list[i:], list[i+1:])
	list[len(list)-1] = Source{}
}

// SetTarget moves the target of a MoveTo, or the centre of a Radial [RMS-13]. A
// MoveTo goes on from where its path has got to, evenly, and still arrives on
// time. It reports whether there is such a source and the place is finite.
func (g *Group) SetTarget(l *Library, id uint16, target geom.Vec3) bool {
	s := g.find(id)
	if s == nil || !bounded(target) {
		return false
	}
	target = snapVec(target)
	switch s.Kind {
	case KindRadial:
		s.Point = target
	case KindMoveTo:
		x := s.progress(l, s.Elapsed.Seconds())
		if s.Duration > 0 && x < maxProgress {
			now := s.Point.Lerp(s.Vector, x)
			s.Point = snapVec(now.Sub(target.Mul(x)).Div(1 - x))
		}
		s.Vector = target
	default:
		return false
	}
	return true
}

// maxProgress of a path beyond which a new target is not reached evenly any more
// but at once: the rest of the path would have to be stretched too far.
const maxProgress = 0.999

// Finish removes the sources that have ended when left seconds of the move remain (zero
// between moves). It returns the character's own velocity v after their finish policies
// [RMS-03, RMS-18]. up is the unit vector against gravity.
func (g *Group) Finish(l *Library, left float64, v, up geom.Vec3) geom.Vec3 {
	for i := 0; i < MaxActive && g.Active[i].ID != 0; {
		s := &g.Active[i]
		if !s.finished(l, left) {
			i++
			continue
		}
		v = s.finish(v.Sub(g.Carried), up).Add(g.Carried)
		remove(g.Active[:], i)
	}
	return v
}

// finish applies the finish policy.
func (s *Source) finish(v, up geom.Vec3) geom.Vec3 {
	out := v
	switch s.Finish {
	case Set:
		out = s.FinishVelocity
	case Clamp:
		out = v.ClampLen(s.FinishVelocity.Len())
	}
	if s.Flags&IgnoreVertical != 0 {
		return out.Flat(up).MulAdd(up, v.Dot(up))
	}
	return out
}

// Prepare begins a move of d: the pending sources become active, and the time of every
// source advances to the end of the move. Call Finish before.
func (g *Group) Prepare(d clock.Micros) {
	n := count(g.Active[:])
	for i := range g.Pending {
		if g.Pending[i].ID != 0 && n < MaxActive {
			g.Active[n] = g.Pending[i]
			n++
		}
	}
	g.Pending = [MaxPending]Source{}
	d = min(max(d, 0), maxTime)
	for i := range g.Active[:n] {
		g.Active[i].Elapsed = min(g.Active[i].Elapsed+d, maxTime)
	}
}

// Until returns how many seconds of the left ones pass before the next source
// ends, at most left: where to end a slice.
func (g *Group) Until(l *Library, left float64) float64 {
	until := left
	for i := 0; i < MaxActive && g.Active[i].ID != 0; i++ {
		s := &g.Active[i]
		end, ends := s.end(l)
		if t := end - s.time(left); ends && t > endSlack {
			until = min(until, t)
		}
	}
	return until
}

// Landed ends every leap that may end on the ground [RMS-14], when left seconds
// of the move remain: its finish policy acts in the next Finish.
func (g *Group) Landed(left float64) {
	for i := 0; i < MaxActive && g.Active[i].ID != 0; i++ {
		s := &g.Active[i]
		if s.Kind == KindJumpTo && s.time(left) >= float64(s.LandAfter)/1000 {
			s.Flags |= ended
		}
	}
}

// Digest returns a checksum of which sources there are, for predict.Rules: the digests of
// owner and authority differ as soon as one of them applied or removed a source. Zero
// for none.
func (g *Group) Digest() uint16 {
	sum := uint16(0)
	for i := range g.Active {
		sum = sum*31 + g.Active[i].ID
		if g.Active[i].Flags&ended != 0 {
			sum++
		}
	}
	for i := range g.Pending {
		sum = sum*31 + g.Pending[i].ID
	}
	return sum
}
