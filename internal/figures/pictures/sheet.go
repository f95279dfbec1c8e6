package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/backstep-net/backstep/clock"
)

// style colours a picture in light and dark. It has a ground of its own, so a page that follows another
// setting than the system's shows it readable all the same.
const style = `<style>
svg { --ground: #ffffff; --ink: #30343b; --dim: #6b7280; --grid: #d7dae0; --blue: #2563eb; --orange: #c2570c; --green: #15803d; --red: #c81e1e; }
@media (prefers-color-scheme: dark) {
svg { --ground: #1b1b1f; --ink: #e3e4e8; --dim: #a0a5b1; --grid: #3a3d45; --blue: #7aa2ff; --orange: #ffa657; --green: #56d364; --red: #ff7b72; } }
@media (prefers-reduced-motion: reduce) { .moving { display: none; } }
text { font: 13px system-ui, sans-serif; fill: var(--ink); }
text.dim { fill: var(--dim); font-size: 12px; } text.head { font-weight: 600; }
.blue { stroke: var(--blue); } .orange { stroke: var(--orange); } .green { stroke: var(--green); } .red { stroke: var(--red); } .dimmed { stroke: var(--dim); } .grid { stroke: var(--grid); }
text.blue { fill: var(--blue); stroke: none; } text.orange { fill: var(--orange); stroke: none; } text.green { fill: var(--green); stroke: none; } text.red { fill: var(--red); stroke: none; }
.fill.blue { fill: var(--blue); } .fill.orange { fill: var(--orange); } .fill.green { fill: var(--green); } .fill.red { fill: var(--red); } .fill.dimmed { fill: var(--dim); } .fill.grid { fill: var(--grid); }
polyline, path { fill: none; } .bold { stroke-width: 2.5; } .thin { stroke-width: 1.2; } .dashes { stroke-dasharray: 5 4; }
.ground { fill: var(--ground); } .hollow { fill: var(--ground); stroke-width: 1.5; }
</style>`

// wide is the width of a picture: that of a column of text.
const wide = 700

// sheet is a picture that is being drawn.
type sheet struct {
	strings.Builder
}

// newSheet returns a sheet of a height, with a title for screen readers.
func newSheet(high int, title string) *sheet {
	s := &sheet{}
	s.put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, wide, high, wide, high)
	s.put("<title>%s</title>", title)
	s.put("%s", style)
	s.put(`<rect class="ground" width="%d" height="%d" rx="8"/>`, wide, high)
	return s
}

// put appends a line.
func (s *sheet) put(format string, values ...any) { fmt.Fprintf(s, format+"\n", values...) }

// text puts words at a place. The classes are colours and an anchor: start, middle or end.
func (s *sheet) text(x, y float64, classes, anchor, format string, values ...any) {
	s.put(`<text x="%s" y="%s" class="%s" text-anchor="%s">%s</text>`, n(x), n(y), classes, anchor, fmt.Sprintf(format, values...))
}

// line puts a straight line.
func (s *sheet) line(x1, y1, x2, y2 float64, classes string) {
	s.put(`<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, n(x1), n(y1), n(x2), n(y2), classes)
}

// arrow puts a line with a head at its end.
func (s *sheet) arrow(x1, y1, x2, y2 float64, class string) {
	s.line(x1, y1, x2, y2, class+" thin")
	length := math.Hypot(x2-x1, y2-y1)
	ux, uy := (x2-x1)/length, (y2-y1)/length
	s.put(`<polygon class="fill %s" points="%s,%s %s,%s %s,%s" stroke="none"/>`, class, n(x2), n(y2),
		n(x2-7*ux+3.5*uy), n(y2-7*uy-3.5*ux), n(x2-7*ux-3.5*uy), n(y2-7*uy+3.5*ux))
}

// dot puts a filled circle.
func (s *sheet) dot(x, y, radius float64, class string) {
	s.put(`<circle cx="%s" cy="%s" r="%s" class="fill %s" stroke="none"/>`, n(x), n(y), n(radius), class)
}

// end returns the picture.
func (s *sheet) end() string { return s.String() + "</svg>\n" }

// n formats a number of a picture.
func n(v float64) string {
	t := fmt.Sprintf("%.1f", v)
	return strings.TrimSuffix(t, ".0")
}

// point is a value at a time since time zero.
type point struct {
	t clock.Micros
	v float64
}

// plot is a place for curves: times from left to right, values upwards.
type plot struct {
	x, y, w, h float64 // the upper left corner, and its size
	from, to   clock.Micros
	low, top   float64
}

// px and py return where a time and a value are.
func (p *plot) px(t clock.Micros) float64 {
	return p.x + p.w*(t-p.from).Seconds()/(p.to-p.from).Seconds()
}
func (p *plot) py(v float64) float64 { return p.y + p.h*(p.top-v)/(p.top-p.low) }

// axes draws a line at each of some values, with its label, and a time every so often; 0 labels no times.
func (p *plot) axes(s *sheet, values []float64, label string, every clock.Micros) {
	for _, v := range values {
		s.line(p.x, p.py(v), p.x+p.w, p.py(v), "grid")
		s.text(p.x-6, p.py(v)+4, "dim", "end", label, v)
	}
	for t := p.from; t <= p.to && every > 0; t += every {
		s.text(p.px(t), p.y+p.h+18, "dim", anchorAt(t, p.to), "%g ms", float64(t-p.from)/1000)
	}
}

// curve draws points within the plot's times as a line.
func (p *plot) curve(s *sheet, points []point, classes string) {
	var b strings.Builder
	for _, q := range p.thin(points) {
		fmt.Fprintf(&b, "%s,%s ", n(p.px(q.t)), n(p.py(q.v)))
	}
	s.put(`<polyline points="%s" class="%s"/>`, strings.TrimSuffix(b.String(), " "), classes)
}

// thin returns the points within the plot, without those on the line of their neighbours.
func (p *plot) thin(points []point) []point {
	var kept []point
	for _, q := range p.within(points) {
		if k := len(kept); k >= 2 && math.Abs(p.py(kept[k-1].v)-p.py(between(kept[k-2], q, kept[k-1].t))) < 0.05 {
			kept[k-1] = q
			continue
		}
		kept = append(kept, q)
	}
	return kept
}

// between returns the value at a time on the line of two points.
func between(a, b point, t clock.Micros) float64 {
	if a.t == b.t {
		return b.v
	}
	return a.v + (b.v-a.v)*float64(t-a.t)/float64(b.t-a.t)
}

// valueAt returns the value of points, in order of time, at a time.
func valueAt(points []point, t clock.Micros) float64 {
	for i := 1; i < len(points); i++ {
		if points[i].t >= t {
			return between(points[i-1], points[i], max(t, points[i-1].t))
		}
	}
	return points[len(points)-1].v
}

// seconds is how long a sweep over a plot lasts on the screen.
const seconds = 8

// sweep draws a line that moves over the plot as time passes, and on each curve a dot with it.
func (p *plot) sweep(s *sheet, curves map[string][]point, order ...string) {
	const steps = 80
	s.put(`<g class="moving"><line x1="0" y1="%s" x2="0" y2="%s" class="dimmed thin"><animateTransform attributeName="transform" type="translate" from="%s 0" to="%s 0" dur="%ds" repeatCount="indefinite"/></line>`,
		n(p.y-4), n(p.y+p.h+4), n(p.x), n(p.x+p.w), seconds)
	for _, class := range order {
		ys := make([]string, steps+1)
		for i := range ys {
			ys[i] = n(p.py(valueAt(curves[class], p.from+(p.to-p.from)*clock.Micros(i)/steps)))
		}
		s.put(`<circle r="6" class="fill %s" stroke="none"><animate attributeName="cx" from="%s" to="%s" dur="%ds" repeatCount="indefinite"/><animate attributeName="cy" values="%s" dur="%ds" repeatCount="indefinite"/></circle>`,
			class, n(p.x), n(p.x+p.w), seconds, strings.Join(ys, ";"), seconds)
	}
	s.put("</g>")
}

// n3 formats a share of a time.
func n3(v float64) string { return fmt.Sprintf("%.3f", min(max(v, 0), 1)) }

// anchorAt returns how the label of a time lies: the last one must not leave the picture.
func anchorAt(t, to clock.Micros) string {
	if t == to {
		return "end"
	}
	return "middle"
}
