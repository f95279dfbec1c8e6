package lab

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Number is a figure of a result.
type Number struct {
	Path  string  // the keys that lead to it in the JSON, joined by dots: ann.owner_error.max
	Value float64 // in the unit of the figure; true is 1 and false is 0
}

// numbersOf returns the numbers of a struct by their paths in the JSON, in its order: those of
// nested structs too, but none of lists, maps and nil pointers.
func numbersOf(prefix string, v reflect.Value) (out []Number) {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		f := v.Field(i)
		if f.Kind() == reflect.Pointer {
			f = f.Elem() // invalid where it is nil
		}
		switch f.Kind() {
		case reflect.Int:
			out = append(out, Number{prefix + name, float64(f.Int())})
		case reflect.Float64:
			out = append(out, Number{prefix + name, f.Float()})
		case reflect.Bool:
			out = append(out, Number{prefix + name, float64(count(f.Bool()))})
		case reflect.Struct:
			inner := prefix + name + "."
			if name == "" { // embedded
				inner = prefix
			}
			out = append(out, numbersOf(inner, f)...)
		}
	}
	return out
}

// numbers returns the figures of the player.
func (f *Figures) numbers(prefix string) []Number { return numbersOf(prefix, reflect.ValueOf(*f)) }

// numbers returns the figures of the shots with the weapon.
func (w *WeaponFigures) numbers(prefix string) []Number {
	return numbersOf(prefix, reflect.ValueOf(*w))
}

// matchNumbers returns the figures of the match, without those of single weapons.
func (r *Result) matchNumbers() []Number {
	return append([]Number{{"ticks", float64(r.Ticks)}}, numbersOf("shots.", reflect.ValueOf(r.Shots))...)
}

// everyFigure has all figures that a player can have.
var everyFigure = Figures{Recorded: &Spread{}, Bodies: &BodyFigures{}}

// neverFired has the figures of a weapon that was never fired.
var neverFired = WeaponFigures{Agreement: 1, Kept: 1, SwingAgreement: 1}

// figureNames returns the paths of all figures; "*" stands for every player.
func figureNames(weapons []string) (out []string) {
	all := append((&Result{}).matchNumbers(), everyFigure.numbers("*.")...)
	for _, w := range weapons {
		all = append(all, neverFired.numbers("shots.weapons."+w+".")...)
	}
	for _, n := range all {
		out = append(out, n.Path)
	}
	for _, kind := range eventKinds {
		out = append(out, "*.events."+kind)
	}
	return out
}

// eventKinds are the values of Event.Kind; the count of each is a figure.
var eventKinds = []string{
	"jumped", "landed", "stepped", "walked_off", "stuck", "crushed", "entered_water", "left_water",
	"boosted", "spawned", "died", "pushed", "mode", "root_motion", "corrected",
	"frozen", "hidden", "cut", "network", "clock_step", "disconnected", "garbage", "bit_flips", "replays", "wild_stamps",
}

// happened counts the events of one kind.
func (f *Figures) happened(kind string) int {
	n := 0
	for i := range f.Events {
		n += count(f.Events[i].Kind == kind)
	}
	return n
}

// Lookup returns the figure at a path, such as ann, owner_error, max; true is 1 and false is 0. It
// reports false where there is no such figure.
func (r *Result) Lookup(path []string) (float64, bool) {
	var list []Number
	p := &Figures{}
	switch {
	case len(path) > 3 && path[0] == "shots" && path[1] == "weapons":
		w := r.Shots.Weapons[path[2]]
		if w == nil {
			w = &neverFired
		}
		list = w.numbers("shots.weapons." + path[2] + ".")
	case len(path) > 0 && path[0] != "shots" && r.Players[path[0]] != nil:
		p = r.Players[path[0]]
		list = p.numbers(path[0] + ".")
	default:
		list = r.matchNumbers()
	}
	if len(path) == 3 && path[1] == "events" && slices.Contains(eventKinds, path[2]) && r.Players[path[0]] != nil {
		return float64(p.happened(path[2])), true
	}
	i := slices.IndexFunc(list, func(n Number) bool { return n.Path == strings.Join(path, ".") })
	if i < 0 {
		return 0, false
	}
	return list[i].Value, true
}

// Numbers returns all figures: those of the players in their order, of the match, and of each weapon
// that was fired.
func (r *Result) Numbers() []Number {
	var out []Number
	for _, name := range r.Order {
		out = append(out, r.Players[name].numbers(name+".")...)
	}
	out = append(out, r.matchNumbers()...)
	for _, name := range slices.Sorted(maps.Keys(r.Shots.Weapons)) {
		out = append(out, r.Shots.Weapons[name].numbers("shots.weapons."+name+".")...)
	}
	return out
}

// unmeasured reports whether the figure at a path has no value: nothing happened that it is about. An expectation of
// it does not hold, whatever stands in for the value.
func (r *Result) unmeasured(path []string) bool {
	for end := len(path); end > 1; end-- {
		if n, ok := r.values[strings.Join(path[:end], ".")]; ok {
			return n == 0
		}
	}
	return false
}

// countValues counts the values of a player's figures.
func (p *playerRecord) countValues(name string, f *Figures, into map[string]int) {
	into[name+".owner_error"], into[name+".view_delay"] = f.View.Known, f.View.Frames
	into[name+".remote_error"], into[name+".remote_speed_error"] = len(p.errors), len(p.speeds)
	into[name+".bodies.error"] = len(p.bodies.errors)
}

// countValues counts the values of the figures of shots; a prefix such as "shots." names them.
func (t *tally) countValues(prefix string, into map[string]int) {
	into[prefix+"agreement"], into[prefix+"kept"] = t.out.Claimed-t.out.Undecided, t.hitsShown
	into[prefix+"behind_cover"], into[prefix+"end_error"] = len(t.hidden), len(t.endErrors)
	into[prefix+"swing_agreement"] = t.out.Swings
}
