package scenario

import (
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/strictyaml"
)

// units are those of time, in microseconds.
var units = []struct {
	name   string
	micros float64
}{{"ms", 1e3}, {"s", 1e6}, {"us", 1}, {"µs", 1}, {"min", 60e6}}

func unitNames() []string {
	var names []string
	for _, u := range units {
		names = append(names, u.name)
	}
	return names
}

// milliseconds are the keys whose times are usually given in them.
var milliseconds = []string{"rtt", "jitter", "max_rewind", "cap", "input_delay", "hold"}

// time reads a number with a unit, rounded to the microsecond.
func (r *reader) time(n *yaml.Node, name string, min, max clock.Micros) (clock.Micros, bool) {
	if n.Kind != yaml.ScalarNode {
		r.add(n.Line, "%s is %s, not a time such as 80ms", name, strictyaml.Describe(n))
		return 0, false
	}
	value, unit := split(n.Value)
	x, ok := decimal(value)
	shown := strictyaml.Clip(n.Value)
	switch {
	case !ok:
		r.add(n.Line, "%s is %s, not a time such as 80ms", name, strictyaml.Describe(n))
		return 0, false
	case unit == "":
		usual := "s"
		if contains(milliseconds, name) {
			usual = "ms"
		}
		r.add(n.Line, "%s is %s, a time without a unit; did you mean %q?", name, shown, shown+usual)
		return 0, false
	case !contains(unitNames(), unit):
		r.add(n.Line, "%s is %s, and %q is no unit of time%s", name, shown, unit, strictyaml.DidYouMean(unit, unitNames()))
		return 0, false
	}
	for _, u := range units {
		if u.name == unit {
			x = math.Round(x * u.micros)
		}
	}
	if !(x >= float64(min) && x <= float64(max)) {
		r.add(n.Line, "%s is %s, not within %s … %s", name, shown, Spell(min), Spell(max))
		return 0, false
	}
	return clock.Micros(x), true
}

// split cuts a time into number and unit. The e of 1e3s is the number's.
func split(s string) (value, unit string) {
	i := len(s)
	for i > 0 && !strings.ContainsRune("0123456789. ", rune(s[i-1])) {
		i--
	}
	return s[:i], s[i:]
}

// Spell writes a time as files do: 80ms, 2s, 150us.
func Spell(t clock.Micros) string {
	switch {
	case t%clock.Second == 0:
		return strconv.FormatInt(int64(t/clock.Second), 10) + "s"
	case t%clock.Millisecond == 0:
		return strconv.FormatInt(int64(t/clock.Millisecond), 10) + "ms"
	}
	return strconv.FormatInt(int64(t), 10) + "us"
}
