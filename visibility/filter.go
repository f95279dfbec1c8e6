// Package visibility decides which entities a server sends to each client, by line of
// sight: a wallhack cannot show what is not sent [THR-26]. An entity that may come into view soon is
// revealed before it does, so nothing pops up on a screen that is a round trip behind.
// Start at [Filter].
//
// Once a tick, rays are cast through the level from the viewer's eye to points on the other's body
// (top, middle, bottom, both sides), and between the places that eye and points may reach within
// Rules.Lookahead. One free ray reveals the entity, and for Rules.Linger after it. Movers of the level
// block a ray if they block it now and at the end of Lookahead, and are not broken (Filter.Breaks);
// other characters do not block it. The body of a character is as large as its hitboxes
// ([rewind.HitboxProvider]); an entity without hitboxes is a point.
package visibility

import (
	"cmp"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Rules are the tunables of a Filter.
type Rules struct {
	// Lookahead is how long before two characters can see each other they are revealed; zero
	// means 250 ms, below zero not before. Below a viewer's round trip, two ticks and the time between two
	// tests of a pair (50 ms), others come into view late.
	Lookahead clock.Micros
	// Speed is how fast a character may move within Lookahead in a direction in which it does not
	// move yet, in m/s; zero means 6.
	Speed float64
	// Linger is how long an entity stays revealed after it was seen; zero means 500 ms,
	// below zero not longer.
	Linger clock.Micros
	// Rays is about how many rays are cast a tick; zero means 2,048, which takes a few
	// tenths of a millisecond. New pairs are tested first, then each in its turn. A pair that has
	// waited for longer than Lookahead, and than the time between two tests, is revealed untested.
	Rays int
	// Reveal reports whether a viewer is sent an entity wherever it is, such as a player of its own
	// team, or everybody for a spectator. It is called for each pair in each tick; a pair
	// that it reveals costs no ray. Nil reveals none.
	Reveal func(viewer, entity track.ID) bool
}

// retest is the time between two tests of a pair that is hidden.
const retest = 50 * clock.Millisecond

// Filter applies Rules to the characters and entities of one match. In each tick call Begin,
// AddViewer for each player and Update; then call Visible. It serves one goroutine.
type Filter struct {
	// Breaks is the kind of entities that stand for movers that can be broken (rewind.Blockers): a broken one
	// hides nothing. Zero is none. Set it before the first Begin.
	Breaks track.Kind

	rules      Rules
	now, later collide.WorldAt
	broken     collide.MoverSet
	left       int // rays left in this tick
	outlines   outlines

	// All storage below is reused: a tick allocates nothing once every pair has been there.
	viewers []viewer
	targets []target
	pairs   [][]pair // by viewer − 1, then by entity
	tick    uint32
	before  uint32 // the tick of the snapshot before, which is not tick − 1 where the server skipped some
	turn    int    // of the next pair to be tested

	eyes, parts [places]geom.Vec3 // scratch
	// What blocked the last line: of the pair that is tested, it mostly blocks the next one too.
	blocker collide.BlockedCache
}

// viewer is a player that looks in this tick.
type viewer struct {
	id       track.ID
	life     lifeMark
	eye      geom.Vec3
	velocity geom.Vec3
	up       geom.Vec3
}

// target is an entity that can be looked at in this tick.
type target struct {
	id               track.ID
	life             lifeMark
	point            bool // it has no extent
	top, middle, low geom.Vec3
	side             float64 // metres from middle to either side
	velocity, up     geom.Vec3
}

// pair is the state of one viewer and one target.
type pair struct {
	seen, tested clock.Micros // match time; 0: never
	tick         uint32       // newest tick with both in it
	lives        [2]lifeMark
	blocker      collide.BlockedCache
}

// lifeMark tells two lives of one id apart, and the time before a teleport from that after it.
type lifeMark uint16

func lifeOf(s *track.Sample) lifeMark { return lifeMark(s.Life)<<8 | lifeMark(s.Teleport) }

// New returns a Filter for a match in a world. Nil hitboxes are those of rig.DefaultRig.
func New(rules Rules, w *collide.World, hitboxes rewind.HitboxProvider) *Filter {
	rules.Lookahead = cmp.Or(rules.Lookahead, 250*clock.Millisecond)
	rules.Linger = cmp.Or(rules.Linger, 500*clock.Millisecond)
	rules.Lookahead, rules.Linger = max(rules.Lookahead, 0), max(rules.Linger, 0)
	rules.Rays = cmp.Or(rules.Rays, 2048)
	rules.Speed = cmp.Or(rules.Speed, 6)
	if hitboxes == nil {
		hitboxes = &rewind.Upright{Rig: rig.DefaultRig()}
	}
	f := &Filter{rules: rules, outlines: outlines{hitboxes: hitboxes}}
	f.now.World, f.later.World = w, w
	return f
}

// Begin starts the tick of a snapshot, which holds every entity of the match.
func (f *Filter) Begin(snapshot *track.Snapshot) {
	// Two worlds, now and at the end of Lookahead, since a mover hides only if it does in both.
	f.before, f.tick = f.tick, snapshot.Tick
	f.now.At, f.later.At = snapshot.At, snapshot.At+f.rules.Lookahead
	f.left = f.rules.Rays
	f.viewers, f.targets = f.viewers[:0], f.targets[:0]
	f.broken = collide.MoverSet{}
	s := &f.outlines.sample
	for i := range snapshot.Len() {
		snapshot.Load(i, s)
		if f.Breaks != 0 && s.Kind == f.Breaks && s.Dead {
			f.broken.Add(collide.MoverID(s.UserData))
		}
		*s = s.ToWorld(f.now.World, snapshot.At)
		up, feet := s.UpVector(), s.Position
		t := target{id: snapshot.ID(i), life: lifeOf(s), velocity: s.Velocity, up: up, top: feet, middle: feet, low: feet}
		// The points lie on the middle line of the body. The widest part is tested at the middle
		// height alone.
		if o := f.outlines.of(); o.height > 0 {
			t.top, t.middle = feet.MulAdd(up, float64(topAt*o.height)), feet.MulAdd(up, float64(middleAt*o.height))
			t.low, t.side = feet.MulAdd(up, float64(lowAt*o.height)), o.side
		} else {
			t.point = true
		}
		f.targets = append(f.targets, t)
	}
	// A set that is nil is not looked up at all, which is the case in nearly every level.
	if f.now.Exclude, f.later.Exclude = nil, nil; !f.broken.Empty() {
		f.now.Exclude, f.later.Exclude = &f.broken, &f.broken
	}
}

// AddViewer adds a player that looks from an eye; the snapshot of this tick must hold it.
func (f *Filter) AddViewer(id track.ID, eye geom.Vec3) {
	for i := range f.targets {
		if t := &f.targets[i]; t.id == id {
			f.viewers = append(f.viewers, viewer{id, t.life, eye, t.velocity, t.up})
		}
	}
	// Players join in any order; the table grows to the largest id.
	for int(id) > len(f.pairs) {
		f.pairs = append(f.pairs, nil)
	}
	// A row has room for the largest id there is, and for as many more: one that grows with each
	// entity would allocate in every tick.
	largest := 0
	if n := len(f.targets); n > 0 {
		largest = int(f.targets[n-1].id)
	}
	if row := &f.pairs[id-1]; largest >= len(*row) {
		n := min(2*largest, int(track.MaxID)+1)
		*row = append(make([]pair, 0, n), *row...)[:n]
	}
}

// Update tests the pairs that are new, then those that are due, as far as the rays last.
func (f *Filter) Update() {
	for i := range f.viewers {
		for j := range f.targets {
			f.open(&f.viewers[i], &f.targets[j])
		}
	}
	// Round robin from where the last tick ended, so that no pair starves where rays are short.
	n := len(f.viewers) * len(f.targets)
	for i := 0; i < n && f.left > 0; i++ {
		f.turn = (f.turn + 1) % n
		v, t := &f.viewers[f.turn/len(f.targets)], &f.targets[f.turn%len(f.targets)]
		p := &f.pairs[v.id-1][t.id]
		wait := retest
		// One that was seen stays revealed for Linger, so it need not be tested as often as one that
		// may come into view any moment. Without Linger it is tested in every tick.
		if f.lingers(p) {
			wait = f.rules.Linger / 4
		}
		// A player's own character needs no ray: its client gets it from verdicts.
		if v.id != t.id && f.now.At-p.tested >= wait {
			f.test(v, t, p)
		}
	}
}

// open begins a pair that did not exist in the tick before, or not in these lives. A respawn or a
// teleport must not stay revealed by what was seen at the old place.
func (f *Filter) open(v *viewer, t *target) {
	p := &f.pairs[v.id-1][t.id]
	before, lives := p.tick, [2]lifeMark{v.life, t.life}
	p.tick = f.tick
	if f.rules.Reveal != nil && f.rules.Reveal(v.id, t.id) {
		*p = pair{seen: max(f.now.At, 1), tested: f.now.At, tick: f.tick, lives: lives}
		return
	}
	if before != 0 && before == f.before && p.lives == lives || v.id == t.id {
		return
	}
	// Tested now, also if no ray is left: Lookahead counts from here, after which it is revealed.
	*p = pair{tested: f.now.At, tick: f.tick, lives: lives}
	// The budget bounds a tick in which all players join or respawn at once.
	if f.left > 0 {
		f.test(v, t, p)
	} else {
		p.tested -= retest // due at once when its turn comes
	}
}

// test casts the rays of one pair.
func (f *Filter) test(v *viewer, t *target, p *pair) {
	p.tested = f.now.At
	f.blocker = p.blocker
	if f.sees(v, t) {
		p.seen = max(f.now.At, 1)
	}
	p.blocker = f.blocker
}

// Visible reports whether a viewer may be sent an entity in this tick. A player that is not in the
// world sees nothing.
func (f *Filter) Visible(viewer, entity track.ID) bool {
	if int(viewer) > len(f.pairs) || int(entity) >= len(f.pairs[viewer-1]) {
		return false
	}
	p := &f.pairs[viewer-1][entity]
	// A pair that was not renewed in this tick has a viewer or an entity that is gone.
	return p.tick == f.tick && f.revealed(p)
}

// revealed reports whether a pair was seen within Linger, or has waited too long for its test: without
// rays left the filter fails open, since a player that cannot see its opponent is worse off than a
// wallhack for a moment. Every pair waits for retest, also where Lookahead is shorter.
func (f *Filter) revealed(p *pair) bool {
	return f.lingers(p) || f.now.At-p.tested > max(f.rules.Lookahead, retest)
}

// lingers reports whether a pair was seen within Linger, or in its last test: an opponent in the open must not be
// hidden between two tests because Linger is shorter than the time between them.
func (f *Filter) lingers(p *pair) bool {
	return p.seen != 0 && (p.seen >= p.tested || f.now.At-p.seen <= f.rules.Linger)
}
