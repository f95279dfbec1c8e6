package report

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/backstep-net/backstep/lab"
)

// The layout of the fairness curves, in pixels.
const (
	panelWide, panelHigh = 400, 200
	margin, gutter       = 46, 34
)

// curveColours are distinct on light and dark backgrounds.
var curveColours = []string{"#2f7ed8", "#d9822b", "#3a9d5d", "#a855c7"}

// Curves writes the curves of fairness as an SVG: for each comparison the hits kept, and the time of
// targets behind cover. Errors are those of w.
func Curves(w io.Writer, list []lab.Fairness) error {
	var b strings.Builder
	wide, high := 2*(panelWide+margin)+gutter, len(list)*(panelHigh+2*gutter)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12" fill="#777" role="img">`+"\n", wide, high)
	for i := range list {
		top := i*(panelHigh+2*gutter) + gutter
		f := &list[i]
		panel(&b, margin, top, f, "hits kept, %", 100, func(p *lab.FairnessPoint) float64 { return 100 * p.Kept })
		panel(&b, 2*margin+panelWide+gutter/2, top, f, "behind cover, p99, ms", 500, func(p *lab.FairnessPoint) float64 { return p.Hidden })
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// panel draws the curves of one comparison, with values from 0 to most.
func panel(b *strings.Builder, left, top int, f *lab.Fairness, unit string, most float64, of func(*lab.FairnessPoint) float64) {
	last := 1.0
	for i := range f.Curves {
		for _, p := range f.Curves[i].Points {
			last = max(last, p.At)
		}
	}
	x := func(at float64) float64 { return float64(left) + at/last*panelWide }
	y := func(v float64) float64 { return float64(top+panelHigh) - min(v/most, 1.02)*panelHigh }
	fmt.Fprintf(b, `<text x="%d" y="%d" fill="#555" font-weight="600">%s</text>`+"\n", left, top-18, html.EscapeString(f.Title))
	fmt.Fprintf(b, `<text x="%d" y="%d">%s, over %s in ms</text>`+"\n", left, top-4, html.EscapeString(unit), html.EscapeString(f.Over))
	for k := range 5 {
		v := most * float64(k) / 4
		fmt.Fprintf(b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#9995" stroke-width="1"/><text x="%d" y="%.1f" text-anchor="end">%.0f</text>`+"\n",
			left, left+panelWide, y(v), y(v), left-6, y(v)+4, v)
		at := last * float64(k) / 4
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%.0f</text>`+"\n", x(at), top+panelHigh+15, at)
	}
	for i := range f.Curves {
		c, colour := &f.Curves[i], curveColours[i%len(curveColours)]
		var points []string
		for n := range c.Points {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(c.Points[n].At), y(of(&c.Points[n]))))
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "), colour)
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", left+8, top+panelHigh-10-14*(len(f.Curves)-1-i), colour, html.EscapeString(c.Name))
	}
}
