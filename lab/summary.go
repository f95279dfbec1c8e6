package lab

import "math"

// PathSummary summarises a trajectory, for expectations about movement.
type PathSummary struct {
	Highest float64 `json:"highest"` // feet, metres
	Lowest  float64 `json:"lowest"`  // feet, metres
	Fastest float64 `json:"fastest"` // horizontally, m/s
	End     End     `json:"end"`     // where the player stood last
}

// End is the last point of a trajectory.
type End struct {
	// X, Y and Z are the position of the feet, in metres.
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Z     float64 `json:"z"`
	Speed float64 `json:"speed"` // horizontally, m/s
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
