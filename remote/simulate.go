package remote

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// body is one thing in a smoothing mode: what carries it on, and what is left to be seen
// of its corrections.
type body struct {
	id      track.ID
	mode    Mode
	picture uint32         // in which it was last
	seen    track.Received // frames of that picture
	at      clock.Micros   // its instant
	newest  track.Sample   // that it is carried on from
	ran     track.Sample   // and where Step brought it
	place   place          // of the body, in that picture
	glide   glide
}

// simulated is everything in a smoothing mode.
type simulated struct {
	list    []body
	index   []uint16 // by id: place in list + 1, 0 for none
	picture uint32   // that it was brought up to
	ids     []track.Entity
}

// Simulate hands in what carries things on in the smoothing modes, in place of straight on
// by their velocity (SIM-03, RMS-07): step moves s by what it does in d by itself, with the
// game's own rules: along the ground, against walls, through a motion that plays. It is
// called for what does not ride on a body, each picture once for the time since the picture
// before and, where a new sample came, once from that sample's instant to the picture's, for
// at most track.CarryMost in all from a sample. A sample holds all there is to know, mode
// and gravity with it, so those of the newest one count from the next step on and those in
// between never did (SIM-02, SIM-05, RMS-07). What the step makes of it is error as far as
// shots go: a server carries on straight. Nil is straight on.
func (r *Remotes) Simulate(step func(s *track.Sample, d clock.Micros)) { r.step = step }

// smooth brings everything in a smoothing mode up to the last picture: first the body, then
// what is seen of it (SIM-01).
func (r *Remotes) smooth(v track.View, w *collide.World) {
	b := &r.bodies
	if b.picture == r.pictures {
		return
	}
	b.picture = r.pictures
	if b.index == nil {
		b.index = make([]uint16, track.MaxID+1)
	}
	p := r.picture(w)
	b.ids = p.Entities(track.View{At: v.At, Platform: v.Platform, Seen: v.Seen, Drawn: track.DrawNewest}, 0, b.ids[:0])
	for i := range b.ids {
		id := b.ids[i].ID
		if m := r.Mode(id); m.smooth() {
			r.follow(b.of(id), m, r.viewOf(m, v), p)
		}
	}
}

// find returns what is known of a thing, nil where it was never in a smoothing mode.
func (b *simulated) find(id track.ID) *body {
	if b.index == nil || b.index[id] == 0 {
		return nil
	}
	return &b.list[b.index[id]-1]
}

// of returns the thing's place in the list, of the things that have left the one that left
// first.
func (b *simulated) of(id track.ID) *body {
	if known := b.find(id); known != nil {
		return known
	}
	n := 0
	for n < len(b.list) && b.picture-b.list[n].picture <= 1 {
		n++
	}
	if n == len(b.list) {
		b.list = append(b.list, body{})
	} else {
		b.index[b.list[n].id] = 0
	}
	b.index[id] = uint16(n + 1)
	b.list[n] = body{id: id}
	return &b.list[n]
}

// follow brings one thing from the picture before to this one.
func (r *Remotes) follow(b *body, m Mode, v track.View, p track.Picture) {
	s, fit := p.At(b.id, v)
	if fit == track.Missing {
		return
	}
	var sample track.Sample
	if r.newest(b.id, v.Seen, &sample) == nil {
		return
	}
	d := max(v.At-b.at, 0)
	was := b.picture != 0 && r.pictures-b.picture == 1 && b.mode == m && b.newest.Continues(&sample)
	news := !was || b.newest.At != sample.At
	var old place
	if was && news {
		old = r.carried(b, &s, v, d, p)
	}
	if news {
		b.newest, b.ran = sample, sample
	}
	b.place = r.run(b, &s, v)
	switch {
	case !was:
		b.glide.drop(b.place, sample.At)
	case news:
		b.glide.correct(m, &r.smoothing, old, r.flat(&s, old, b.place), sample.At)
	}
	b.glide.tick(m, &r.smoothing, d, s.Velocity.Len() < speedNone, b.place.turn)
	b.mode, b.picture, b.seen, b.at = m, r.pictures, v.Seen, v.At
}

// flat returns new with the height of old where the ground makes the difference (SMO-01).
func (r *Remotes) flat(s *track.Sample, old, new place) place {
	if r.smoothing.Flat != 0 && s.Mode == r.smoothing.Flat {
		if dz := old.at.Y - new.at.Y; dz < flatHeight && dz > -flatHeight {
			new.at.Y = old.at.Y
		}
	}
	return new
}

// carried returns where the thing would be in this picture had nothing come.
func (r *Remotes) carried(b *body, s *track.Sample, v track.View, d clock.Micros, p track.Picture) place {
	if r.stepped(&b.newest) {
		r.carry(b, v.At)
		return placeOf(&b.ran)
	}
	v.Seen = b.seen
	if old, fit := p.At(b.id, v); fit != track.Missing {
		return placeOf(&old)
	}
	return placeOf(s)
}

// run carries the body on to the picture, and s with it where a step is handed in.
func (r *Remotes) run(b *body, s *track.Sample, v track.View) place {
	if r.stepped(&b.newest) {
		r.carry(b, v.At)
		*s = b.ran
		s.At = v.At
	}
	return placeOf(s)
}

// stepped reports whether a sample is carried on by the step that was handed in.
func (r *Remotes) stepped(s *track.Sample) bool {
	return r.step != nil && s.Base == collide.Static && !s.Dead
}

// carry steps a body on to an instant, as far as it may go.
func (r *Remotes) carry(b *body, at clock.Micros) {
	if d := min(at, b.newest.At+track.CarryMost) - b.ran.At; d > 0 {
		stamp := b.ran.At
		r.step(&b.ran, d)
		b.ran.At = stamp + d
	}
}

// dress makes of the body's pose what is drawn.
func (b *simulated) dress(id track.ID, m Mode, s *track.Sample) {
	body := b.find(id)
	if body == nil {
		return
	}
	if body.ran.At != body.newest.At { // a step was handed in
		at := s.At
		*s = body.ran
		s.At = at
	}
	drawn := body.glide.place(m, placeOf(s))
	s.Position = drawn.at
	switch {
	case drawn.turn == turnOf(s):
	case turned(s):
		s.Turn = drawn.turn
	default:
		s.Yaw = geom.WrapAngle(float64(2 * geom.Atan2(drawn.turn.Y, drawn.turn.W)))
	}
}

// placeOf is where a sample is.
func placeOf(s *track.Sample) place { return place{s.Position, turnOf(s)} }

// turned reports whether a sample is of a body, whose rotation is its Turn.
func turned(s *track.Sample) bool { return s.Turn != geom.Quat{} }

// turnOf is how a sample is turned: a body's whole rotation, a character's facing.
func turnOf(s *track.Sample) geom.Quat {
	if turned(s) {
		return s.Turn
	}
	return geom.YawQuat(s.Yaw)
}
