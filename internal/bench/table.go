package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table shows a report.
type Table struct {
	// Report has the figures.
	Report *Report
	// Earlier is the report to compare with; nil means there is none.
	Earlier *Report
	// Yardstick are the same figures of the yardstick; nil means it was not run.
	Yardstick map[string]float64
}

// Text returns the table in columns, for a terminal.
func (t *Table) Text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range t.rows() {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush() // into a Builder, which takes everything
	return t.machine() + "\n\n" + b.String() + lineAfter(t.alone())
}

// Markdown returns the table for a page.
func (t *Table) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", t.machine())
	for i, row := range t.rows() {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|---|---|" + strings.Repeat("---:|", len(row)-2) + "\n")
		}
	}
	b.WriteString(lineAfter(t.alone()))
	if missed := t.missed(); len(missed) > 0 {
		fmt.Fprintf(&b, "\nGoals that are missed: %s.\n", strings.Join(missed, ", "))
	}
	return b.String()
}

// lineAfter returns a text as a paragraph after a table, and nothing for an empty one.
func lineAfter(text string) string {
	if text == "" {
		return ""
	}
	return "\n" + text + "\n"
}

// alone says which samples count.
func (t *Table) alone() string {
	least, most, figures, busy := 1.0, 0.0, 0, []string(nil)
	for _, f := range Figures {
		share, ok := t.Report.Alone[f.Name]
		switch {
		case !ok:
		case share < fewestAlone:
			busy = append(busy, f.Name)
		default:
			least, most, figures = min(least, share), max(most, share), figures+1
		}
	}
	var text []string
	if figures > 0 {
		text = append(text, fmt.Sprintf("Of the samples, %.0f to %.0f %% count: those during which the other thread of the core was idle.", 100*least, 100*most))
	}
	if len(busy) > 0 {
		text = append(text, fmt.Sprintf("It was busy, and all samples count, for %s.", strings.Join(busy, ", ")))
	}
	return strings.Join(text, " ")
}

// missed lists the figures above their goals, and by how much.
func (t *Table) missed() (list []string) {
	for _, f := range Figures {
		v, ok := t.Report.Figures[f.Name]
		goal, _ := f.goal(t.Report)
		switch tail := t.Report.Figures[f.Name+P99]; {
		case !ok || goal < 0 || goal == 0 && f.Of != "":
		case v > goal && goal == 0:
			list = append(list, fmt.Sprintf("%s is %s", f.Name, f.show(v)))
		case v > goal:
			list = append(list, fmt.Sprintf("%s by %.0f %%", f.Name, 100*(v/goal-1)))
		case f.Tail > 0 && tail > f.Tail:
			list = append(list, fmt.Sprintf("the p99 of %s by %.0f %%", f.Name, 100*(tail/f.Tail-1)))
		}
	}
	return list
}

// Machine returns a line about this machine and the program.
func Machine() string { r := newReport(); return r.machine() }

func (r *Report) machine() string { return fmt.Sprintf("Commit %s, Go %s, %s.", r.Commit, r.Go, r.CPU) }

// machine returns a line about the machine and the commits.
func (t *Table) machine() string {
	text := t.Report.machine()
	if t.Earlier != nil {
		text += fmt.Sprintf("\nCompared with commit %s, Go %s, %s.", t.Earlier.Commit, t.Earlier.Go, t.Earlier.CPU)
		if t.Earlier.CPU != t.Report.CPU {
			text += "\nThat is another machine: the ratios say nothing about the code."
		}
	}
	return text
}

// rows are the head and a row for each figure that was measured.
func (t *Table) rows() [][]string {
	head := []string{"figure", "what", "median", "p99", "goal", "of the goal"}
	if t.Yardstick != nil {
		head = append(head, "× yardstick")
	}
	if t.Earlier != nil {
		head = append(head, "earlier", "× earlier")
	}
	rows := [][]string{head}
	for _, f := range Figures {
		v, ok := t.Report.Figures[f.Name]
		if !ok {
			continue
		}
		goal, shown := f.goal(t.Report)
		row := []string{f.Name, f.What, f.show(v), f.tail(t.Report), shown, ratio(v, goal)}
		if t.Yardstick != nil {
			row = append(row, f.yard(v, t.Yardstick[f.Name]))
		}
		if t.Earlier != nil {
			before, ok := t.Earlier.Figures[f.Name]
			if !ok {
				row = append(row, "–", "–")
			} else {
				row = append(row, f.show(before), ratio(v, before))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// yard shows the ratio to the yardstick, and its goal.
func (f *Figure) yard(v, yardstick float64) string {
	shown := ratio(v, yardstick)
	if f.Yard > 0 {
		shown += fmt.Sprintf(" (≤ %.1f)", f.Yard)
	}
	return shown
}

// goal returns the goal of a figure, 0 if it is unknown, and its text in the table.
func (f *Figure) goal(r *Report) (goal float64, shown string) {
	if f.Goal == NoGoal {
		return NoGoal, "–"
	}
	if f.Of == "" {
		shown = f.show(f.Goal)
		if f.Tail > 0 {
			shown += ", p99 " + f.show(f.Tail)
		}
		return f.Goal, "≤ " + shown
	}
	of := r.Figures[f.Of] // 0 if it was not measured
	return f.Goal * of, fmt.Sprintf("≤ %g × %s", f.Goal, f.Of)
}

// tail shows the 99th percentile.
func (f *Figure) tail(r *Report) string {
	v, ok := r.Figures[f.Name+P99]
	if !ok {
		return "–"
	}
	return f.show(v)
}

// show returns a value of the figure with its unit, to three digits.
func (f *Figure) show(v float64) string {
	return strings.TrimSpace(threeDigits(v) + " " + unitName(f.Name))
}

// ratio shows v / to.
func ratio(v, to float64) string {
	if to <= 0 {
		return "–"
	}
	return threeDigits(v / to)
}

// threeDigits shows three digits, and whole numbers in full.
func threeDigits(v float64) string {
	if v == 0 {
		return "0"
	}
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return strconv.FormatFloat(v, 'f', min(max(decimals, 0), 4), 64)
}
