package lab

import "math"

// ofWay are figures of where a player went, read off the trajectory: what a
// scenario about movement expects.
func ofWay() []figure[Figures] {
	return []figure[Figures]{
		{path: "highest", get: func(f *Figures) float64 { return f.extreme(math.Max, func(p *Point) float64 { return p.P[1] }) }, more: true},
		{path: "lowest", get: func(f *Figures) float64 { return f.extreme(math.Min, func(p *Point) float64 { return p.P[1] }) }, more: true},
		{path: "fastest", get: func(f *Figures) float64 { return f.extreme(math.Max, pace) }, more: true},
		{path: "end.x", get: func(f *Figures) float64 { return f.end().P[0] }, more: true},
		{path: "end.y", get: func(f *Figures) float64 { return f.end().P[1] }, more: true},
		{path: "end.z", get: func(f *Figures) float64 { return f.end().P[2] }, more: true},
		{path: "end.speed", get: func(f *Figures) float64 { return pace(f.end()) }, more: true},
	}
}

// pace is a point's horizontal speed, m/s.
func pace(p *Point) float64 { return round(math.Sqrt(float64(p.V[0]*p.V[0]) + float64(p.V[2]*p.V[2]))) }

// extreme is the largest or smallest of something along the trajectory, 0 where
// there is none.
func (f *Figures) extreme(pick func(a, b float64) float64, of func(*Point) float64) float64 {
	if len(f.Trajectory) == 0 {
		return 0
	}
	best := of(&f.Trajectory[0])
	for i := range f.Trajectory {
		best = pick(best, of(&f.Trajectory[i]))
	}
	return best
}

// end is the trajectory's last point.
func (f *Figures) end() *Point {
	if len(f.Trajectory) == 0 {
		return &Point{}
	}
	return &f.Trajectory[len(f.Trajectory)-1]
}
