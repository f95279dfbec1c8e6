package strictyaml

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Value is the value of a key, or a member of a list. Its methods decode it into a variable and
// report whether they did; a value that is missing or wrong leaves the variable, which holds the
// default, as it is.
type Value struct {
	// Name is the value in errors.
	Name string

	r       *Reader
	node    *yaml.Node // nil: missing
	line    int
	in      *Mapping // nil: not the value of a key
	present bool
}

// Given reports whether there is a value.
func (v Value) Given() bool { return v.node != nil }

// Present reports whether the key is there, perhaps without a value.
func (v Value) Present() bool { return v.present }

// Line returns the line of the value, or of its mapping where it is missing.
func (v Value) Line() int { return v.line }

// IsList reports whether the value is a list.
func (v Value) IsList() bool { return v.node != nil && v.node.Kind == yaml.SequenceNode }

// IsMapping reports whether the value is a mapping.
func (v Value) IsMapping() bool { return v.node != nil && v.node.Kind == yaml.MappingNode }

// IsBool reports whether the value is true or false.
func (v Value) IsBool() bool {
	return v.unquoted() && (v.node.Value == "true" || v.node.Value == "false")
}

// Errorf reports an error in the line of the value.
func (v Value) Errorf(format string, args ...any) { v.r.Errorf(v.line, format, args...) }

// Required reports an error where the key is missing.
func (v Value) Required() Value {
	if !v.present {
		v.in.Errorf("%s is missing%s", v.Name, in(v.in.Name))
	}
	return v
}

// When reports an error where the value is there and ok is false: the name of the value, then
// the text. The value then counts as missing.
func (v Value) When(ok bool, format string, args ...any) Value {
	if !ok && v.node != nil {
		v.Errorf("%s "+format, append([]any{v.Name}, args...)...)
		v.node = nil
	}
	return v
}

// wrong reports that the value is not of the required form.
func (v Value) wrong(what string) bool {
	v.Errorf("%s is %s, not %s", v.Name, describe(v.node), what)
	return false
}

// within notes the range of the value for Reader.Keys.
func (v Value) within(bounds string) {
	if v.r.Keys == nil || v.in == nil {
		return
	}
	key := v.Name
	if v.in.path != "" {
		key = v.in.path + "." + key
	}
	v.r.Keys[key] = bounds
}

// scalar reports whether the value is one word, number or text.
func (v Value) scalar() bool { return v.node != nil && v.node.Kind == yaml.ScalarNode }

// unquoted reports whether the value is a scalar without quotes, as numbers and truths are.
func (v Value) unquoted() bool { return v.scalar() && v.node.Style == 0 }

// Number decodes a number within a range; the unit is for errors and documents.
func (v Value) Number(into *float64, least, most float64, unit string) bool {
	within := bounds(least, most, unit)
	v.within(within)
	if v.node == nil {
		return false
	}
	x, ok := Decimal(v.node.Value)
	switch {
	case !ok || !v.unquoted():
		return v.wrong("a number")
	case !(x >= least && x <= most):
		v.Errorf("%s is %s, not within %s", v.Name, Clip(v.node.Value), within)
		return false
	}
	*into = x
	return true
}

func bounds(least, most float64, unit string) string {
	return strings.TrimSpace(decimals(least) + " … " + decimals(most) + " " + unit)
}

func decimals(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Decimal parses 12, -0.5 and 1e-3, and none of the other ways of Go and YAML to write a number.
func Decimal(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && geom.Finite(x)
}

// Angle decodes degrees within a range to radians.
func (v Value) Angle(into *float64, least, most float64) bool {
	x := 0.0
	if !v.Number(&x, least, most, "degrees") {
		return false
	}
	*into = x * math.Pi / 180
	return true
}

// Whole decodes an integer within a range.
func Whole[T ~int | ~uint8 | ~uint16](v Value, into *T, least, most int) bool {
	x := 0.0
	if !v.Number(&x, float64(least), float64(most), "") {
		return false
	}
	if x != math.Trunc(x) {
		v.Errorf("%s is %s, not a whole number", v.Name, Clip(v.node.Value))
		return false
	}
	*into = T(x)
	return true
}

// Uint64 decodes any integer of 64 bits from 0 on.
func (v Value) Uint64(into *uint64) bool {
	if v.node == nil {
		return false
	}
	x, err := strconv.ParseUint(v.node.Value, 10, 64)
	if err != nil || !v.unquoted() {
		return v.wrong("a whole number within 0 … 18446744073709551615")
	}
	*into = x
	return true
}

// Bool decodes true or false.
func (v Value) Bool(into *bool) bool {
	v.within("true, false")
	if v.node == nil {
		return false
	}
	if !v.IsBool() {
		return v.wrong("true or false")
	}
	*into = v.node.Value == "true"
	return true
}

// Word decodes one of some words; nil allows any.
func (v Value) Word(into *string, words []string) bool {
	v.within(strings.Join(words, ", "))
	switch {
	case v.node == nil:
		return false
	case !v.scalar() || v.node.Value == "":
		return v.wrong("a word")
	case words != nil && !slices.Contains(words, v.node.Value):
		v.Errorf("unknown %s %q%s", v.Name, Clip(v.node.Value), DidYouMean(v.node.Value, words))
		return false
	}
	*into = v.node.Value
	return true
}

// Index decodes one of some words to its place in the list.
func Index[E ~uint8](v Value, into *E, words []string) bool {
	word := ""
	if !v.Word(&word, words) {
		return false
	}
	*into = E(slices.Index(words, word))
	return true
}

// Text decodes a text for which ok holds; what says in errors what it must be: "a file's name".
func (v Value) Text(into *string, what string, ok func(string) bool) bool {
	if v.node == nil {
		return false
	}
	if !v.scalar() || !ok(v.node.Value) {
		return v.wrong(what)
	}
	*into = v.node.Value
	return true
}

// Vector decodes [x, y, z] with coordinates of at most so many metres.
func (v Value) Vector(into *geom.Vec3, reach float64) bool {
	var x [3]float64
	if v.node == nil || !v.Numbers(x[:], -reach, reach, "three numbers such as [0, 1, 0]") {
		return false
	}
	*into = geom.V(x[0], x[1], x[2])
	return true
}

// Numbers decodes a list of as many numbers as there is room for; what says in errors what it
// must be. Where one is wrong all keep what they held.
func (v Value) Numbers(into []float64, least, most float64, what string) bool {
	if v.node == nil {
		return false
	}
	if v.node.Kind != yaml.SequenceNode || len(v.node.Content) != len(into) {
		return v.wrong(what)
	}
	x := make([]float64, len(into))
	for i, n := range v.node.Content {
		member := Value{Name: v.Name + "." + "xyz"[i:i+1], r: v.r, node: n, line: n.Line}
		if !member.Number(&x[i], least, most, "") {
			return false
		}
	}
	copy(into, x)
	return true
}

// List decodes a list of least to most members, each with a function; it returns false where
// there is none of that length.
func (v Value) List(least, most int, each func(i int, v Value)) bool {
	if v.node == nil {
		return false
	}
	n := len(v.node.Content)
	switch {
	case v.node.Kind != yaml.SequenceNode:
		return v.wrong("a list")
	case n < least || n > most:
		v.Errorf("%s has %d members, not %s", v.Name, n, span(least, most))
		return false
	}
	for i, member := range v.node.Content {
		if v.r.full() {
			return false
		}
		each(i, Value{Name: v.Name, r: v.r, node: member, line: member.Line})
	}
	return true
}

func span(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return bounds(float64(least), float64(most), "")
}

// units are those of time, in microseconds.
var units = []struct {
	name   string
	micros float64
}{{"ms", 1e3}, {"s", 1e6}, {"us", 1}, {"µs", 1}, {"min", 60e6}}

// Time decodes a number with a unit (us, µs, ms, s, min), rounded to the microsecond, within a
// range.
func (v Value) Time(into *clock.Micros, least, most clock.Micros) bool {
	v.within(FormatTime(least) + " … " + FormatTime(most))
	if v.node == nil {
		return false
	}
	end := strings.LastIndexAny(v.node.Value, "0123456789. ") + 1
	x, ok := Decimal(v.node.Value[:end])
	unit, shown := v.node.Value[end:], Clip(v.node.Value)
	var names []string
	factor := 0.0
	for _, u := range units {
		if names = append(names, u.name); u.name == unit {
			factor = u.micros
		}
	}
	switch {
	case !v.scalar() || !ok:
		return v.wrong("a time such as 80ms")
	case unit == "":
		v.Errorf("%s is %s, a time without a unit; did you mean %q?", v.Name, shown, shown+usualUnit(most))
	case factor == 0:
		v.Errorf("%s is %s, and %q is no unit of time%s", v.Name, shown, unit, DidYouMean(unit, names))
	default:
		if x = math.Round(x * factor); x >= float64(least) && x <= float64(most) {
			*into = clock.Micros(x)
			return true
		}
		v.Errorf("%s is %s, not within %s … %s", v.Name, shown, FormatTime(least), FormatTime(most))
	}
	return false
}

// usualUnit returns the unit in which times of at most so long are usually given, for the advice in
// an error: 80 of at most a second was meant as 80ms, 80 of at most a day as 80s.
func usualUnit(most clock.Micros) string {
	if most <= 60*clock.Second {
		return "ms"
	}
	return "s"
}

// FormatTime writes a time as files do: 80ms, 2s, 150us.
func FormatTime(t clock.Micros) string {
	switch {
	case t%clock.Second == 0:
		return strconv.FormatInt(int64(t/clock.Second), 10) + "s"
	case t%clock.Millisecond == 0:
		return strconv.FormatInt(int64(t/clock.Millisecond), 10) + "ms"
	}
	return strconv.FormatInt(int64(t), 10) + "us"
}
