package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/backstep-net/backstep/internal/benchscene"
)

// Growth is how a cost grows with what is varied.
type Growth struct {
	// What costs, and By what it grows.
	What, By string
	// Goal is what the exponent should be at most.
	Goal float64
	// Points are measured, by ascending X.
	Points []Point
}

// Point is a measured cost.
type Point struct {
	X    float64 // what it grows by
	Cost float64 // in microseconds
}

// Exponent returns k of the power law cost ~ x^k that fits the points best: least squares of the logarithms.
func (g *Growth) Exponent() float64 {
	var n, x, y, xx, xy float64
	for _, p := range g.Points {
		lx, ly := math.Log(p.X), math.Log(p.Cost)
		n, x, y, xx, xy = n+1, x+lx, y+ly, xx+float64(lx*lx), xy+float64(lx*ly)
	}
	return (float64(n*xy) - float64(x*y)) / (float64(n*xx) - float64(x*x))
}

// MeasureGrowth measures all growths. Of the options, Only and Profiles mean nothing.
func MeasureGrowth(ctx context.Context, o Options) ([]Growth, error) {
	m := newMeter(o)
	var all []Growth
	for _, g := range []struct {
		Growth
		x       []float64
		measure func(m *Meter, x float64) (Work, error)
	}{
		{Growth{What: "a tick at 30 Hz, all players in view", By: "players", Goal: 2}, doubled(8, 5), matchOf(false)},
		{Growth{What: "a tick at 30 Hz, players spread out", By: "players", Goal: 1.1}, doubled(8, 5), matchOf(true)},
		{Growth{What: "a character's step", By: "triangles", Goal: .5}, []float64{5000, 20000, 80000, 320000}, stepOn},
		{Growth{What: "a client's snapshot", By: "others in view", Goal: 1}, doubled(8, 5), snapshotOf},
		{Growth{What: "a shot at one of 100", By: "age of the view in ms", Goal: .1}, doubled(50, 4), shotAt},
	} {
		for _, x := range g.x[:m.Fewer(len(g.x))] {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			m.Progress(fmt.Sprintf("%s, %s: %g", g.What, g.By, x))
			w, err := g.measure(m, x)
			if err != nil {
				return nil, fmt.Errorf("bench: %s, %s: %g: %w", g.What, g.By, x, err)
			}
			samples, _ := m.runs(&w)
			g.Points = append(g.Points, Point{x, median(means(samples, 1000))})
		}
		all = append(all, g.Growth)
	}
	return all, nil
}

// doubled returns n numbers, each twice the one before.
func doubled(first float64, n int) (list []float64) {
	for range n {
		list, first = append(list, first), 2*first
	}
	return list
}

// matchOf returns the work of a tick of a match.
func matchOf(spread bool) func(*Meter, float64) (Work, error) {
	return func(m *Meter, players float64) (Work, error) {
		load := Load{Players: int(players), TickRate: 30, Seconds: m.Fewer(4), Spread: spread}
		world, err := m.world(load.scene())
		if err != nil {
			return Work{}, err
		}
		recording, err := Record(load, world)
		if err != nil {
			return Work{}, err
		}
		r := &Replay{Recording: recording}
		return Work{Calls: r.Ticks(), Batch: 1, Begin: r.Rewind, Call: func(int) { r.Tick() }}, nil
	}
}

// stepOn returns the work of a step on the terrain of scene A in so many triangles.
func stepOn(m *Meter, triangles float64) (Work, error) {
	scene := benchscene.A
	scene.Cells = int(math.Sqrt(triangles / 2))
	scene.Name = fmt.Sprint("A in ", triangles)
	world, err := m.world(scene)
	if err != nil {
		return Work{}, err
	}
	warm, crowd := NewCrowd(scene, world), NewCrowd(scene, world)
	warm.WarmUp()
	return Work{Calls: steps / 4 * crowdSize, Begin: func() { crowd.Copy(warm) }, Call: func(int) { crowd.Step() }}, nil
}

// snapshotOf returns the work of the snapshot of one client.
func snapshotOf(m *Meter, others float64) (Work, error) {
	s, err := newStage(m, int(others)+1)
	if err != nil {
		return Work{}, err
	}
	clients := len(s.clients)
	return Work{
		Calls: snapshotTicks / 2 * clients, Batch: clients,
		Between: s.advance,
		Call:    func(i int) { s.send(i % clients) },
	}, nil
}

// shotAt returns the work of a shot into a view of that age.
func shotAt(_ *Meter, age float64) (Work, error) {
	s, err := NewShooting(100)
	if err != nil {
		return Work{}, err
	}
	if err := s.look(s.History.Snapshots.Newest() - uint32(age*rewindRate/1000)); err != nil {
		return Work{}, err
	}
	if s.Ray().Target != 1 {
		return Work{}, errors.New("the shot misses")
	}
	hits := 0
	return Work{Calls: 10000, Call: func(int) { hits += int(s.Ray().Target) }}, nil
}

// GrowthTable returns the growths as a table in Markdown.
func GrowthTable(all []Growth) string {
	var b strings.Builder
	b.WriteString("| cost | by | measured | exponent | goal |\n|---|---|---|---:|---:|\n")
	for i := range all {
		g := &all[i]
		var points []string
		for _, p := range g.Points {
			points = append(points, fmt.Sprintf("%g: %s µs", p.X, threeDigits(p.Cost)))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.2f | ≤ %g |\n", g.What, g.By, strings.Join(points, ", "), g.Exponent(), g.Goal)
	}
	return b.String()
}
