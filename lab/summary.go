package lab

import "math"

// PathSummary summarises a trajectory, for expectations about movement.
type PathSummary struct {
	Highest float64 `json:"highest"` // feet, metres
	Lowest  float64 `json:"lowest"`
	Fastest float64 `json:"fastest"` // horizontally, m/s
	End     End     `json:"end"`
}

// End is the position at the end, and the horizontal speed then in m/s.
type End struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Z     float64 `json:"z"`
	Speed float64 `json:"speed"`
}

// wayOf returns the summary of a trajectory, zero for an empty one.
func wayOf(points []Point) (w PathSummary) {
	for i := range points {
		p := &points[i]
		speed := round(math.Sqrt(float64(p.V[0]*p.V[0]) + float64(p.V[2]*p.V[2])))
		if i == 0 {
			w.Highest, w.Lowest = p.P[1], p.P[1]
		}
		w.Highest, w.Lowest = max(w.Highest, p.P[1]), min(w.Lowest, p.P[1])
		w.Fastest = max(w.Fastest, speed)
		w.End = End{p.P[0], p.P[1], p.P[2], speed}
	}
	return w
}
