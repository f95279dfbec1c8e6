package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/backstep-net/backstep/lab"
)

// maxPairs is the largest number of players with a curve for every observer and target; with more
// there is one for each observer. It is also the number of players shown at first.
const maxPairs = 8

// source is a result prepared for drawing.
type source struct {
	r      *lab.Result
	names  []string
	series []*lab.PlayerSeries // of each; never nil
	grid   grid
}

func drawingOf(r *lab.Result) *drawing {
	s := &source{r: r, names: r.Order}
	for _, n := range s.names {
		own := &lab.PlayerSeries{}
		if r.Series != nil && r.Series.Players[n] != nil {
			own = r.Series.Players[n]
		}
		s.series = append(s.series, own)
	}
	n := len(s.names)
	curves := 5*n + min(n*n, maxPairs*maxPairs)
	s.grid = gridFor(r.Duration, curves)
	d := &drawing{
		Duration: Number(r.Duration), FirstShown: maxPairs, Times: s.grid.times(),
		Players: []player{}, Events: s.events(), Charts: s.charts(),
	}
	for i := range s.names {
		d.Players = append(d.Players, s.player(i))
	}
	d.Shots, d.ShotsNote = shotsOf(r)
	return d
}

func (s *source) player(i int) player {
	p := player{Name: s.names[i], Corrections: [][2]Number{}}
	most := pointsOf(len(s.names))
	truth := s.r.Players[s.names[i]].Trajectory
	covered := distances(truth)
	p.Path = pathOf(len(truth), most, func(k int) (float64, [3]float64, float64) {
		return truth[k].T, truth[k].P, covered[k]
	})
	frames := s.series[i].Frames
	along := project(truth, covered, frames)
	p.Drawn = pathOf(len(frames), most, func(k int) (float64, [3]float64, float64) {
		return frames[k].T, frames[k].Drawn, along[k]
	})
	for _, c := range s.series[i].Corrections {
		if !c.Teleport {
			p.Corrections = append(p.Corrections, [2]Number{Number(c.T), Number(c.Distance)})
		}
	}
	return p
}

// jump is the step, in metres, at which a path is interrupted.
const jump = 3

// pathOf keeps about most of the n points of a path.
func pathOf(n, most int, at func(int) (t float64, p [3]float64, s float64)) path {
	out := path{T: []Number{}, X: []Number{}, Y: []Number{}, Z: []Number{}, S: []Number{}, Cut: []int{}}
	step, cut := stride(n, most), false
	var last [3]float64
	for i := range n {
		t, p, s := at(i)
		cut = cut || i > 0 && distance(p, last) > jump
		last = p
		if i%step != 0 && i != n-1 {
			continue
		}
		if cut {
			out.Cut = append(out.Cut, len(out.T))
			cut = false
		}
		out.T = append(out.T, Number(t))
		out.X, out.Y, out.Z = append(out.X, Number(p[0])), append(out.Y, Number(p[1])), append(out.Z, Number(p[2]))
		out.S = append(out.S, Number(s))
	}
	return out
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// flat returns the horizontal distance.
func flat(a, b [3]float64) float64 {
	return math.Hypot(a[0]-b[0], a[2]-b[2])
}

// distances returns the horizontal distance covered at each point, without jumps.
func distances(truth []lab.Point) []float64 {
	out := make([]float64, len(truth))
	for i := 1; i < len(truth); i++ {
		out[i] = out[i-1]
		if d := flat(truth[i].P, truth[i-1].P); d <= jump {
			out[i] += d
		}
	}
	return out
}

// reach is the largest time, in seconds, between a drawn frame and the true point next to it.
const reach = 0.6

// project returns the distance along the true path of the point nearest to each drawn frame, so that
// both have the same axis.
func project(truth []lab.Point, covered []float64, frames []lab.FrameSample) []float64 {
	out := make([]float64, len(frames))
	low := 0
	for i, f := range frames {
		for low < len(truth) && truth[low].T < f.T-reach {
			low++
		}
		best := math.Inf(1)
		for k := low; k+1 < len(truth) && truth[k].T <= f.T+reach; k += 2 {
			next := min(k+2, len(truth)-1)
			d, along := beside(truth[k].P, truth[next].P, f.Drawn)
			if d < best {
				best = d
				out[i] = covered[k] + along*(covered[next]-covered[k])
			}
		}
	}
	return out
}

// beside returns the horizontal distance of p from the line a b, and the share of the line before
// the nearest point.
func beside(a, b, p [3]float64) (far, along float64) {
	dx, dz := b[0]-a[0], b[2]-a[2]
	if n := dx*dx + dz*dz; n > 0 {
		along = min(max(((p[0]-a[0])*dx+(p[2]-a[2])*dz)/n, 0), 1)
	}
	return math.Hypot(p[0]-a[0]-along*dx, p[2]-a[2]-along*dz), along
}

// events returns the events of all players in order of time.
func (s *source) events() []event {
	out := []event{}
	for i, n := range s.names {
		for _, e := range s.r.Players[n].Events {
			out = append(out, event{Number(e.T), i, e.Kind, more(e)})
		}
	}
	slices.SortStableFunc(out, func(a, b event) int { return cmp.Or(cmp.Compare(a.T, b.T), a.P-b.P) })
	return out
}

func more(e lab.Event) string {
	switch {
	case e.Speed != 0:
		return fmt.Sprintf("%.2f m/s", e.Speed)
	case e.Distance != 0:
		return fmt.Sprintf("%.3f m", e.Distance)
	}
	return ""
}
