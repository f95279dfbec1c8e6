package movement

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

// Each field of a Model is a tunable by its name in snake_case, and setting it
// sets that field alone.
func TestEveryFieldIsATunable(t *testing.T) {
	of := reflect.TypeFor[Model]()
	numbers := 0 // the tables, which are no tunables, come last
	for numbers < of.NumField() && of.Field(numbers).Type.Comparable() && of.Field(numbers).Type.Kind() != reflect.Pointer {
		numbers++
	}
	if got := len(TunableNames()); got != numbers {
		t.Errorf("%d names for %d fields", got, numbers)
	}
	for i := range numbers {
		name := snake(of.Field(i).Name)
		var m Model
		if err := m.Set(name, 3); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		v := reflect.ValueOf(m)
		for k := range of.NumField() {
			if changed := !v.Field(k).IsZero(); changed != (k == i) {
				t.Errorf("Set(%q) changed %s: %v", name, of.Field(k).Name, changed)
			}
		}
		if TunableNames()[i] != name {
			t.Errorf("name %d: got %q, want %q", i, TunableNames()[i], name)
		}
	}
}

func TestTunablesThatMakeNoSense(t *testing.T) {
	m := DefaultModel()
	if err := m.Set("jump", 1); !errors.Is(err, ErrNoTunable) {
		t.Errorf("got %v, want ErrNoTunable", err)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1), 1e300} {
		m := DefaultModel()
		if err := m.Set("max_jumps", bad); err != nil || m.Check() == nil {
			t.Errorf("max_jumps %v: Set %v, Check %v; want Check to complain", bad, err, m.Check())
		}
	}
}

func TestModesHaveNames(t *testing.T) {
	for m, want := range map[Mode]string{None: "none", Walking: "walking", Falling: "falling", Custom + 2: "custom_2", 9: "unknown"} {
		if got := m.String(); got != want {
			t.Errorf("mode %d: got %q, want %q", uint8(m), got, want)
		}
	}
}

// snake writes a field's name as files do.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
