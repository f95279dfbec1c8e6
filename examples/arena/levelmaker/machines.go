package levelmaker

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// Movers and jump pads. The pose of every mover is a periodic function of match time,
// the same for both teams.

// The names of the movers, for tests and bots; each team has one lift.
const (
	RedLift  = "red lift"
	BlueLift = "blue lift"
	Bridge   = "turning bridge"
	Train    = "train"
)

// The lifts stand at the towers and go up to their decks.
const (
	// LiftFloor is the height of the lowered platform, in metres; raised it is level with
	// the deck.
	LiftFloor = 0.1
	liftX     = towerX - 2
	liftZ     = 5.25
	liftHalf  = 1.2
)

// lift is a platform beside the tower: it waits 4 s at each end and moves for 2.5 s.
func lift(s side) *part {
	const rise = towerTop - LiftFloor
	p := structure(s.name+" lift", geom.V(liftX, LiftFloor, liftZ))
	p.marks.Mover = &mover{Name: s.name + " lift", Loop: true, Smooth: true, Path: []key{
		keyAt(0, geom.Vec3{}, 0), keyAt(4, geom.Vec3{}, 0),
		keyAt(6.5, geom.V(0, rise, 0), 0), keyAt(10.5, geom.V(0, rise, 0), 0),
		keyAt(13, geom.Vec3{}, 0),
	}}
	p.block(metal, charcoal, geom.V(-liftHalf, -0.25, -liftHalf), geom.V(liftHalf, 0, liftHalf))
	p.decoration(satin, amber, geom.V(-liftHalf+0.12, -0.2, -liftHalf+0.12), geom.V(liftHalf-0.12, 0.012, liftHalf-0.12))
	p.decoration(metal, slate, geom.V(-liftHalf+0.3, -0.2, -liftHalf+0.3), geom.V(liftHalf-0.3, 0.022, liftHalf-0.3))
	p.decoration(s.glow, limestone, geom.V(-liftHalf-0.02, -0.16, -0.9), geom.V(liftHalf+0.02, -0.08, 0.9))
	p.decoration(s.glow, limestone, geom.V(-0.5, -0.1, -0.06), geom.V(0.5, 0.034, 0.06))
	p.decoration(s.glow, limestone, geom.V(-0.06, -0.1, -0.5), geom.V(0.06, 0.034, 0.5))
	frame := structure(s.name+" lift frame", geom.V(liftX, 0, liftZ))
	for _, x := range []float64{-liftHalf - 0.3, liftHalf + 0.08} {
		frame.block(metal, charcoal, geom.V(x, -root, -liftHalf+0.1), geom.V(x+0.22, 6.4, -liftHalf+0.32))
		frame.decoration(s.glow, limestone, geom.V(x+0.06, 0.4, -liftHalf+0.3), geom.V(x+0.16, 4.1, -liftHalf+0.34))
	}
	frame.decoration(metal, charcoal, geom.V(-liftHalf-0.3, 6.2, -liftHalf+0.12), geom.V(liftHalf+0.3, 6.4, -liftHalf+0.3))
	both := &part{name: s.name + " lift well"}
	both.add(p, frame)
	return both
}

// pad is the jump pad before the base: it launches onto the roof.
func pad(s side) *part {
	const half = 0.9
	p := structure(s.name+" pad", PadAt)
	p.shape.patches[metal].prism(charcoal, -half, half, [][2]float64{
		{half, -0.3}, {-half, -0.3}, {-half, 0.06}, {-half + 0.14, 0.14}, {half - 0.14, 0.14}, {half, 0.06},
	})
	p.solid(geom.V(-half, -0.3, -half+0.07), geom.V(half, 0.14, half-0.07))
	p.decoration(glowCyan, limestone, geom.V(-0.66, 0, -0.66), geom.V(0.66, 0.16, 0.66))
	p.decoration(metal, charcoal, geom.V(-0.5, 0, -0.5), geom.V(0.5, 0.172, 0.5))
	for i := range 2 { // two chevrons that point to the roof
		z := float64(float64(i)*0.34) - 0.3
		for _, x := range []float64{-0.3, 0.02} {
			p.decoration(glowCyan, limestone, geom.V(x, 0.1, z), geom.V(x+0.28, 0.18, z+0.12))
		}
	}
	launch := [3]float64{0, 12, 4}
	p.add(&part{name: s.name + " pad air", at: geom.V(0, 0.5, 0), scale: geom.V(0.7, 0.45, 0.7),
		marks: extras{Volume: &volume{Launch: &launch}}})
	return p
}

// PadAt is the middle of red's jump pad, on the ground; blue's is rotated by half a turn.
// It launches about 7.5 m further south, onto the base's roof.
var PadAt = geom.Vec3{X: 5.5, Y: 0, Z: 24.3}

// water is the pool's water volume.
func water() *part {
	lo, hi := geom.V(-poolX, poolFloor-0.3, -poolZ), geom.V(poolX, PoolSurface, poolZ)
	return &part{name: "pool water", at: lo.Add(hi).Mul(0.5), scale: hi.Sub(lo).Mul(0.5),
		marks: extras{Volume: &volume{Water: true}}}
}

// The turning bridge: the height of its deck, and half its length.
const (
	turnTop   = 1.2
	turnReach = 5.1
)

// turningBridge rotates about the column in the pool: it rests 5 s from landing to landing,
// then across the pool, and takes 4 s for a quarter turn.
func turningBridge() *part {
	const wide, low = 1.15, turnTop - 0.24
	p := structure(Bridge, geom.V(0, turnTop, 0))
	m := &mover{Name: Bridge, Loop: true, Smooth: true}
	for i := range 4 {
		m.Path = append(m.Path, keyAt(float64(9*i), geom.Vec3{}, float64(90*i)), keyAt(float64(9*i+5), geom.Vec3{}, float64(90*i)))
	}
	m.Path = append(m.Path, keyAt(36, geom.Vec3{}, 360))
	p.marks.Mover = m
	under := low - turnTop
	for _, s := range []float64{-1, 1} {
		near, far := geom.V(-wide, under, s*0.72), geom.V(wide, 0, s*turnReach)
		p.solid(near.Min(far), near.Max(far))
		for i := range 5 {
			a, b := geom.V(-wide+0.02, -0.12, s*(0.75+float64(0.87*float64(i)))), geom.V(wide-0.02, 0, s*(1.58+float64(0.87*float64(i))))
			p.decoration(matte, speckle(oak, 0.1, i, int(s)+7), a.Min(b), a.Max(b))
		}
		for _, x := range []float64{-wide, wide - 0.2} {
			a, b := geom.V(x, under, s*0.74), geom.V(x+0.2, -0.05, s*(turnReach-0.05))
			p.decoration(metal, charcoal, a.Min(b), a.Max(b))
			a, b = geom.V(x+0.06, -0.06, s*2), geom.V(x+0.14, 0.03, s*(turnReach-0.4))
			p.decoration(glowWarm, limestone, a.Min(b), a.Max(b))
		}
		a, b := geom.V(s*0.72, under, -1.8), geom.V(s*1.8, 0, 1.8)
		p.block(metal, slate, a.Min(b), a.Max(b))
	}
	return p
}

// landing is where the turning bridge meets the south side: at its height, with steps down
// away from the pool.
func landing() *part {
	const wide = 1.6
	p := structure("pool landing", geom.V(0, 0, turnReach+0.22))
	p.block(matte, sandstone, geom.V(-wide, -root, 0), geom.V(wide, turnTop, 2))
	p.decoration(matte, slate, geom.V(-wide-0.07, -root, 0.02), geom.V(wide+0.07, 0.24, 2))
	p.decoration(glowWarm, limestone, geom.V(-wide+0.2, turnTop-0.24, -0.02), geom.V(wide-0.2, turnTop-0.14, 0.1))
	p.add(stairs("landing steps", geom.V(0, 0, 2+8*0.3), 0, 2*wide-0.4, 8, turnTop/8, 0.3, 0.2, limestone))
	return p
}

// platform joins the tower's deck with the train, west of the tower.
func platform(s side) *part {
	const in, out, wide = -3.98, -6.98, 2.6
	p := structure(s.name+" station", geom.V(towerX, 0, 0))
	p.block(matte, limestone, geom.V(out, 3.75, -wide), geom.V(in, towerTop, wide))
	p.decoration(matte, slate, geom.V(out+0.2, 3.6, -wide+0.2), geom.V(in, 3.8, wide-0.2))
	p.decoration(satin, amber, geom.V(out, towerTop-0.1, -wide+0.1), geom.V(out+0.3, towerTop+0.02, wide-0.1))
	p.decoration(s.glow, limestone, geom.V(out-0.03, 3.9, -wide+0.3), geom.V(out+0.05, 4, wide-0.3))
	p.rail(out+0.1, in, towerTop, -wide+0.12)
	p.rail(out+0.1, in, towerTop, wide-0.12)
	for _, z := range []float64{-1.9, 1.5} {
		p.block(matte, sandstone, geom.V(out+0.4, -root, z), geom.V(out+0.9, 3.8, z+0.5))
		p.decoration(matte, slate, geom.V(out+0.3, -root, z-0.1), geom.V(out+1, 0.35, z+0.6))
	}
	for _, z := range []float64{-wide + 0.1, wide - 0.24} {
		p.decoration(metal, charcoal, geom.V(out+0.8, towerTop, z), geom.V(out+0.94, 6.9, z+0.14))
	}
	p.block(satin, s.hue, geom.V(out+0.3, 6.8, -wide), geom.V(in-0.3, 6.98, wide))
	p.decoration(glowWarm, limestone, geom.V(out+1.2, 6.74, -1.2), geom.V(out+1.5, 6.84, 1.2))
	return p
}

// The track: a rounded rectangle around the arena, high above the paths.
const (
	lineX     = 23.5
	lineZ     = 21.8
	lineRound = 8.0
	lineTop   = 3.6 // of the beam
	trainTop  = towerTop
	trainFast = 7.0 // m/s
	trainRush = 1.6 // m/s², starting and stopping
	trainRest = 6.0 // seconds at a station
)

// lineLength is the length of the track, in metres.
func lineLength() float64 {
	return 4*(lineX+lineZ-2*lineRound) + float64(2*math.Pi*lineRound)
}

// lineAt returns the point that many metres along the track from red's platform, going
// south, and the heading there in radians, not wrapped.
func lineAt(s float64) (at geom.Vec3, yaw float64) {
	const longZ, longX = lineZ - lineRound, lineX - lineRound
	quarter := float64(math.Pi / 2 * lineRound)
	half := lineLength() / 2
	laps := math.Floor(s / half)
	s -= float64(laps * half)
	turn := math.Pi // the train looks along −Z at rest
	bend := func(cx, cz, from, s float64) geom.Vec3 {
		sin, cos := geom.SinCos(from + float64(s/lineRound))
		return geom.V(cx-float64(lineRound*cos), 0, cz+float64(lineRound*sin))
	}
	switch {
	case s < longZ:
		at = geom.V(-lineX, 0, s)
	case s < longZ+quarter:
		at = bend(-longX, longZ, 0, s-longZ)
		turn += float64((s - longZ) / lineRound)
	case s < longZ+quarter+2*longX:
		at = geom.V(-longX+(s-longZ-quarter), 0, lineZ)
		turn += math.Pi / 2
	case s < longZ+2*quarter+2*longX:
		at = bend(longX, longZ, math.Pi/2, s-longZ-quarter-2*longX)
		turn += math.Pi/2 + float64((s-longZ-quarter-2*longX)/lineRound)
	default:
		at = geom.V(lineX, 0, longZ-(s-longZ-2*quarter-2*longX))
		turn += math.Pi
	}
	if int(laps)&1 == 1 {
		at.X, at.Z = -at.X, -at.Z
	}
	return at, turn + float64(laps*math.Pi)
}

// train is an open car that drives around forever and stops at both platforms.
func train() *part {
	start, _ := lineAt(0)
	p := structure(Train, start.Add(geom.V(0, trainTop, 0)))
	p.marks.Mover = &mover{Name: Train, Loop: true, Smooth: true, Path: timetable()}
	const w, l = 1.3, 3.4
	p.block(satin, limestone, geom.V(-w, -0.25, -l), geom.V(w, 0, l))
	p.block(metal, charcoal, geom.V(-w+0.25, -0.55, -l+0.3), geom.V(w-0.25, -0.2, l-0.3))
	p.decoration(satin, slate, geom.V(-w+0.1, -0.1, -l+0.1), geom.V(w-0.1, 0.012, l-0.1))
	p.decoration(satin, amber, geom.V(-w-0.02, -0.2, -l-0.02), geom.V(w+0.02, -0.08, l+0.02))
	for _, z := range []float64{-l, l - 0.14} { // the ends
		p.block(satin, limestone, geom.V(-w, -0.1, z), geom.V(w, 1.02, z+0.14))
		p.decoration(satin, amber, geom.V(-w-0.01, 0.7, z-0.02), geom.V(w+0.01, 0.84, z+0.16))
		p.decoration(glowWarm, limestone, geom.V(-0.8, 0.35, z-0.03), geom.V(0.8, 0.5, z+0.17))
	}
	p.block(satin, limestone, geom.V(w-0.12, -0.1, -l+0.1), geom.V(w, 1.02, l-0.1)) // the side away from the stations
	p.decoration(satin, amber, geom.V(w-0.13, 0.7, -l+0.1), geom.V(w+0.01, 0.84, l-0.1))
	for _, z := range []float64{-l + 0.1, 1.5} { // the side with the door
		p.block(satin, limestone, geom.V(-w, -0.1, z), geom.V(-w+0.12, 1.02, z+l-1.6))
		p.decoration(satin, amber, geom.V(-w-0.01, 0.7, z), geom.V(-w+0.13, 0.84, z+l-1.6))
	}
	for _, c := range [][2]float64{{-w, -l}, {w - 0.14, -l}, {-w, l - 0.14}, {w - 0.14, l - 0.14}} {
		p.block(metal, charcoal, geom.V(c[0], 0, c[1]), geom.V(c[0]+0.14, 2.5, c[1]+0.14))
	}
	p.block(satin, teal, geom.V(-w-0.1, 2.45, -l-0.1), geom.V(w+0.1, 2.62, l+0.1))
	p.decoration(glowWarm, limestone, geom.V(-0.15, 2.38, -2), geom.V(0.15, 2.47, 2))
	return p
}

// timetable is the train's path, relative to red's platform: half around to the other
// platform, and back. Its angle is the heading, so that the car's −Z leads.
func timetable() []key {
	first, _ := lineAt(0)
	half := lineLength() / 2
	ramp := float64(trainFast*trainFast) / (2 * trainRush) // acceleration distance in metres
	up := trainFast / trainRush
	whole := trainRest + 2*up + (half-2*ramp)/trainFast
	add := func(keys []key, t, s float64) []key {
		at, yaw := lineAt(s)
		return append(keys, keyAt(t, at.Sub(first), float64(yaw*180)/math.Pi))
	}
	var keys []key
	for lap := range 2 {
		t0, s0 := float64(whole*float64(lap)), float64(half*float64(lap))
		keys = add(keys, t0, s0)
		const n = 28
		for i := range n {
			s := float64(half*float64(i)) / n
			t := trainRest
			switch {
			case s < ramp:
				t += math.Sqrt(2 * s / trainRush)
			case s < half-ramp:
				t += up + (s-ramp)/trainFast
			default:
				t = whole - math.Sqrt(2*(half-s)/trainRush)
			}
			keys = add(keys, t0+t, s0+s)
		}
	}
	return add(keys, 2*whole, 2*half)
}

// line is the train's track and its pillars.
func line() *part {
	p := &part{name: "line", shape: &shape{}, marks: extras{Collide: "mesh"}}
	const n, w, thick = 168, 0.45, 0.34
	rib := func(i int) [4]geom.Vec3 {
		at, yaw := lineAt(float64(lineLength()*float64(i%n)) / n)
		right := geom.Right(yaw).Mul(w)
		top, low := at.Add(geom.V(0, lineTop, 0)), at.Add(geom.V(0, lineTop-thick, 0))
		return [4]geom.Vec3{top.Sub(right), top.Add(right), low.Add(right), low.Sub(right)}
	}
	m := &p.shape.patches[matte]
	for i := range n {
		a, b := rib(i), rib(i+1)
		for k, c := range []colour{limestone, sandstone, limestone, sandstone} {
			j := (k + 1) % 4
			m.flat(speckle(c, 0.03, i/2, k), a[k], a[j], b[j], b[k])
		}
	}
	pillars := structure("line pillars", geom.Vec3{})
	for _, turn := range []float64{1, -1} {
		for _, c := range [][2]float64{{-15.6, lineZ}, {8.4, lineZ}, {17.6, 21.5}, {lineX, 8}, {-lineX, 8.6}} {
			x, z := float64(turn*c[0]), float64(turn*c[1])
			y := rise(x, z)
			pillars.block(matte, sandstone, geom.V(x-0.3, y-root, z-0.3), geom.V(x+0.3, lineTop-thick+0.04, z+0.3))
			pillars.decoration(matte, slate, geom.V(x-0.4, y-root, z-0.4), geom.V(x+0.4, y+0.3, z+0.4))
			pillars.decoration(matte, slate, geom.V(x-0.42, lineTop-thick-0.18, z-0.42), geom.V(x+0.42, lineTop-thick+0.03, z+0.42))
		}
	}
	both := &part{name: "line and pillars"}
	both.add(p, pillars)
	return both
}
