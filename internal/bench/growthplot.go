package bench

import (
	"fmt"
	"math"
	"strings"
)

// plotStyle colours the plot in light and dark, on a ground of its own.
const plotStyle = `<style>
svg { --ground: #ffffff; --ink: #30343b; --grid: #d7dae0; --a: #2563eb; --b: #15803d; --c: #c2570c; --d: #9333ea; --e: #c81e1e; }
@media (prefers-color-scheme: dark) {
svg { --ground: #1b1b1f; --ink: #e3e4e8; --grid: #3a3d45; --a: #7aa2ff; --b: #56d364; --c: #ffa657; --d: #d2a8ff; --e: #ff7b72; } }
text { font: 13px system-ui, sans-serif; fill: var(--ink); } line { stroke: var(--grid); } polyline { fill: none; stroke-width: 2; }
</style>`

// The plot: its size, and that of its axes, which have the same length for a factor of two.
const (
	plotWidth, plotHeight = 700, 460
	plotLeft, plotBottom  = 60, 400
	plotDoubling          = 50 // of either axis
	plotAcross, plotUp    = 7, 7
)

// GrowthPlot returns the growths as an SVG: each cost over what it grows by, both as multiples of the first point on
// logarithmic axes of one scale, so that the slope of a line is its exponent.
func GrowthPlot(all []Growth) string {
	var b strings.Builder
	put := func(format string, values ...any) { fmt.Fprintf(&b, format+"\n", values...) }
	put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, plotWidth, plotHeight, plotWidth, plotHeight)
	put("<title>Growth of costs on logarithmic axes: the slope of a line is its exponent</title>\n%s", plotStyle)
	put(`<rect width="%d" height="%d" rx="8" style="fill: var(--ground)"/>`, plotWidth, plotHeight)
	right, top := plotLeft+plotAcross*plotDoubling, plotBottom-plotUp*plotDoubling
	for i := range plotAcross + 1 {
		x := plotLeft + i*plotDoubling
		put(`<line x1="%d" y1="%d" x2="%d" y2="%d"/>`, x, plotBottom, x, top)
		put(`<text x="%d" y="%d" text-anchor="middle">× %d</text>`, x, plotBottom+30, 1<<i)
	}
	for i := range plotUp + 1 {
		y := plotBottom - i*plotDoubling
		put(`<line x1="%d" y1="%d" x2="%d" y2="%d"/>`, plotLeft, y, right, y)
		put(`<text x="%d" y="%d" text-anchor="end">× %d</text>`, plotLeft-6, y+4, 1<<i)
	}
	put(`<text x="%d" y="%d" text-anchor="middle">what it grows by; legend: exponents</text><text x="%d" y="%d">cost</text>`, (plotLeft+right)/2, plotBottom+50, plotLeft-44, top-18)
	for i := range all {
		g, colour := &all[i], "abcde"[i%5]
		var points []string
		for _, p := range g.Points {
			x := plotLeft + plotDoubling*math.Log2(p.X/g.Points[0].X)
			y := plotBottom - plotDoubling*math.Log2(p.Cost/g.Points[0].Cost)
			points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
			put(`<circle cx="%.1f" cy="%.1f" r="3.5" style="fill: var(--%c)"/>`, x, y, colour)
		}
		put(`<polyline points="%s" style="stroke: var(--%c)"/>`, strings.Join(points, " "), colour)
		y := top + 10 + 60*i
		put(`<circle cx="%d" cy="%d" r="5" style="fill: var(--%c)"/>`, right+20, y-4, colour)
		put(`<text x="%d" y="%d">%s</text>`, right+32, y, g.What)
		put(`<text x="%d" y="%d">by %s: %.2f</text>`, right+32, y+18, g.By, g.Exponent())
	}
	return b.String() + "</svg>\n"
}
