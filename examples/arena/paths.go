package arena

import (
	"sync"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
)

// How coarse the map is. A way narrower than pathCell and a body may be missed.
const (
	pathCell = 1.25   // metres between neighbouring places
	maxPlace = 20_000 // of one map; further ground is left out
	nowhere  = -1     // no place
)

// Paths is a coarse map of where feet can go, for bots: places on a grid, each
// joined to those of its eight neighbours that a walker reached and came back
// from, by the very movement that players have, crouched where it must be. Ways
// that need a jump, or lead down a drop, are not on it.
//
// The zero Paths is empty; Explore fills it, once. After that it is only read, so
// any number of bots may share it. It is no navigation mesh: it knows nothing of
// widths, and of nothing smaller than its cells.
type Paths struct {
	once   sync.Once
	places []place
	top    map[[2]int32]int32 // the first place of each column
}

// place is one spot of the map.
type place struct {
	at    geom.Vec3 // of the feet
	cell  [2]int32
	next  int32    // another place of the same column, above or below
	ways  [8]int32 // neighbours by compass, nowhere where there is no way
	low   uint8    // bit by bit, the ways that must be crouched
	tried uint8    // bit by bit, the ways that have been tried
}

// compass lists the neighbours: straight ones first, so that routes prefer them;
// direction i leads back by opposite[i].
var (
	compass  = [8][2]int32{{0, -1}, {1, 0}, {0, 1}, {-1, 0}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}}
	opposite = [8]int{2, 3, 0, 1, 6, 7, 4, 5}
)

// Explore maps what can be reached from these feet in the world. Only the first
// call does; a match's level takes some tenths of a second.
func (p *Paths) Explore(world *collide.World, from ...geom.Vec3) {
	p.once.Do(func() {
		p.top = map[[2]int32]int32{}
		s := surveyor{Paths: p, view: collide.View{World: world}, model: movement.DefaultModel()}
		for _, feet := range from {
			s.enter(feet)
		}
		for i := int32(0); int(i) < len(p.places); i++ {
			for way := range compass {
				s.try(i, way)
			}
		}
	})
}

// Places is how many places the map has.
func (p *Paths) Places() int { return len(p.places) }

// At is where the feet are at a place.
func (p *Paths) At(i int32) geom.Vec3 { return p.places[i].at }

// Low reports whether the way from one place to its neighbour must be crouched.
func (p *Paths) Low(i, j int32) bool {
	for way, n := range p.places[i].ways {
		if n == j {
			return p.places[i].low>>way&1 != 0
		}
	}
	return false
}

// Nearest returns the place nearest to the feet, of those within about a cell and
// a step's height, or nowhere.
func (p *Paths) Nearest(feet geom.Vec3) int32 {
	best, reach := int32(nowhere), 1.5*pathCell
	cell := cellOf(feet)
	for dz := int32(-1); dz <= 1; dz++ {
		for dx := int32(-1); dx <= 1; dx++ {
			i, ok := p.top[[2]int32{cell[0] + dx, cell[1] + dz}]
			for ; ok && i != nowhere; i = p.places[i].next {
				d := p.places[i].at.Sub(feet)
				d.Y *= 2 // a place beside is better than one above
				if l := d.Len(); l < reach {
					best, reach = i, l
				}
			}
		}
	}
	return best
}

// Field fills into with the way to a place from everywhere: into[i] is the next
// place from i on, nowhere at the goal and where there is no way. queue is
// scratch. It returns both, grown where they were too short.
func (p *Paths) Field(goal int32, into, queue []int32) ([]int32, []int32) {
	into = into[:0]
	for range p.places {
		into = append(into, nowhere)
	}
	queue = append(queue[:0], goal)
	for k := 0; k < len(queue); k++ {
		for _, n := range p.places[queue[k]].ways {
			if n != nowhere && n != goal && into[n] == nowhere {
				into[n] = queue[k]
				queue = append(queue, n)
			}
		}
	}
	return into, queue
}

// Straight reports whether one can walk from a to b upright and straight, from
// place to place.
func (p *Paths) Straight(a, b int32) bool {
	to := p.places[b].cell
	from := p.places[a].cell
	dx, dz := to[0]-from[0], to[1]-from[1]
	n := max(dx, -dx, dz, -dz)
	for k := int32(1); k <= n; k++ {
		here := p.places[a].cell
		x, z := from[0]+round(dx*k, n), from[1]+round(dz*k, n)
		way := wayOf(x-here[0], z-here[1])
		if p.places[a].low>>way&1 != 0 {
			return false
		}
		if a = p.places[a].ways[way]; a == nowhere {
			return false
		}
	}
	return a == b
}

// round returns a/n to the nearest whole number, for n above 0.
func round(a, n int32) int32 {
	if a < 0 {
		return -((-2*a + n) / (2 * n))
	}
	return (2*a + n) / (2 * n)
}

// Open reports whether there is a way from the place upright in about that
// direction.
func (p *Paths) Open(i int32, dir geom.Vec3) bool {
	way := wayOf(sign(dir.X), sign(dir.Z))
	return p.places[i].ways[way] != nowhere && p.places[i].low>>way&1 == 0
}

// sign leaves out what is less than a third of the way to the side.
func sign(x float64) int32 {
	switch {
	case x > 0.38:
		return 1
	case x < -0.38:
		return -1
	}
	return 0
}

// wayOf returns the number of the direction; of none, the first.
func wayOf(x, z int32) int {
	for i, c := range compass {
		if c[0] == x && c[1] == z {
			return i
		}
	}
	return 0
}

func cellOf(feet geom.Vec3) [2]int32 {
	return [2]int32{nearestCell(feet.X), nearestCell(feet.Z)}
}

func nearestCell(x float64) int32 {
	n := geom.Clamp(x/pathCell, -1e6, 1e6)
	if n < 0 {
		return -int32(0.5 - n)
	}
	return int32(n + 0.5)
}

// surveyor draws the map by walking.
type surveyor struct {
	*Paths
	model movement.Model
	view  collide.View
	frame movement.Frame
}

// enter walks from somewhere to the places around it.
func (s *surveyor) enter(feet geom.Vec3) {
	cell := cellOf(feet)
	if at, ok := s.walk(feet, centre(cell, feet.Y), false); ok {
		s.placeAt(cell, at)
	}
	for _, c := range compass {
		next := [2]int32{cell[0] + c[0], cell[1] + c[1]}
		if at, ok := s.walk(feet, centre(next, feet.Y), false); ok {
			s.placeAt(next, at)
		}
	}
}

func centre(cell [2]int32, y float64) geom.Vec3 {
	return geom.V(float64(float64(cell[0])*pathCell), y, float64(float64(cell[1])*pathCell))
}

// try walks from place i to its neighbour and back, upright or else crouched, and
// joins the two if it came through.
func (s *surveyor) try(i int32, way int) {
	from := s.places[i]
	if from.tried>>way&1 != 0 {
		return
	}
	cell := [2]int32{from.cell[0] + compass[way][0], from.cell[1] + compass[way][1]}
	goal := centre(cell, from.at.Y)
	if at, ok := s.glide(from.at, goal); ok {
		if j := s.placeAt(cell, at); j != nowhere {
			s.join(i, j, way, false)
		}
		return
	}
	for _, crouch := range [2]bool{false, true} {
		if crouch && !s.ducks(from.at, goal) {
			return
		}
		at, ok := s.walk(from.at, goal, crouch)
		if !ok {
			continue
		}
		if _, ok = s.walk(at, from.at, crouch); !ok {
			continue
		}
		if j := s.placeAt(cell, at); j != nowhere {
			s.join(i, j, way, crouch)
		}
		return
	}
}

// join makes the way between two places.
func (s *surveyor) join(i, j int32, way int, crouch bool) {
	back := opposite[way]
	a, b := &s.places[i], &s.places[j]
	a.ways[way], b.ways[back] = j, i
	a.tried |= 1 << way
	b.tried |= 1 << back
	if crouch {
		a.low |= 1 << way
		b.low |= 1 << back
	}
}

// placeAt returns the place of the column at about that height, a new one where
// there is none yet, or nowhere where the map is full.
func (s *surveyor) placeAt(cell [2]int32, at geom.Vec3) int32 {
	first, ok := s.top[cell]
	if !ok {
		first = nowhere
	}
	for i := first; i != nowhere; i = s.places[i].next {
		if d := s.places[i].at.Y - at.Y; d < 0.6 && d > -0.6 {
			return i
		}
	}
	if len(s.places) == maxPlace {
		return nowhere
	}
	n := place{at: at, cell: cell, next: first}
	for way := range n.ways {
		n.ways[way] = nowhere
	}
	s.top[cell] = int32(len(s.places))
	s.places = append(s.places, n)
	return s.top[cell]
}

// glide is the quick yes: where the floor is even from the feet to the goal and
// nothing stands on it, nobody needs to walk there to know.
func (s *surveyor) glide(feet, goal geom.Vec3) (geom.Vec3, bool) {
	end, ok := s.floor(goal)
	if !ok {
		return feet, false
	}
	way := end.Sub(feet)
	for _, part := range [2]float64{1.0 / 3, 2.0 / 3} {
		at := feet.MulAdd(way, part)
		floor, ok := s.floor(at)
		if off := floor.Y - at.Y; !ok || off > 0.05 || off < -0.05 {
			return feet, false
		}
	}
	body := movement.Spawn(feet.MulAdd(geom.Up, 0.12), 0)
	upright := s.model.Capsule(&body)
	if _, hit := s.view.SweepCapsule(upright, way); hit || s.view.Overlaps(upright) {
		return feet, false
	}
	return end, true
}

// floor returns where feet would stand at a place, up to a hand above or below it.
func (s *surveyor) floor(at geom.Vec3) (geom.Vec3, bool) {
	const hover, reach = 0.021, 0.4
	hit, ok := s.view.Ray(at.MulAdd(geom.Up, reach), geom.V(0, -2*reach, 0))
	return hit.Point.MulAdd(geom.Up, hover), ok && hit.Face.Y > 0.9
}

// ducks reports whether whoever crouches might get through where nobody upright
// does: not where a wall is in the way of both.
func (s *surveyor) ducks(feet, goal geom.Vec3) bool {
	low := movement.Spawn(feet.MulAdd(geom.Up, 0.12), 0)
	high := low
	low.Crouched = true
	way := goal.Sub(feet).Flat(geom.Up)
	_, lowHit := s.view.SweepCapsule(s.model.Capsule(&low), way)
	_, highHit := s.view.SweepCapsule(s.model.Capsule(&high), way)
	return highHit && !lowHit
}

// walk walks straight from the feet until it is beside the goal, and reports
// where that is and whether it came there without leaving the floor.
func (s *surveyor) walk(feet, goal geom.Vec3, crouch bool) (geom.Vec3, bool) {
	const step = 40 * clock.Millisecond
	way := goal.Sub(feet).Flat(geom.Up)
	body := movement.Spawn(feet, geom.Atan2(-way.X, -way.Z))
	body.Crouched = crouch
	body.Velocity = way.Unit().Mul(s.model.MaxSpeed(&body))
	c := movement.Command{Forward: 1, Yaw: body.Yaw, Crouch: crouch}
	c.Quantise()
	if !crouch && s.view.Overlaps(s.model.Capsule(&body)) {
		return feet, false
	}
	for range 16 {
		left := goal.Sub(body.Position).Flat(geom.Up)
		if left.Dot(way) <= float64(0.15*way.Len()) {
			return body.Position, left.Len() < 0.35
		}
		before := body.Position
		movement.Step(&s.model, &body, &c, step, &s.view, &s.frame)
		if body.Mode != movement.Walking || body.Position.Dist(before) < 0.03 {
			return feet, false
		}
	}
	return feet, false
}
