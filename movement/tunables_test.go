package movement

import (
	"errors"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/backstep-net/backstep/geom"
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

// A number that no character can have is refused for every tunable, by its name, and
// the step with what Check lets through never fails (bad input at construction).
func TestEveryTunableIsChecked(t *testing.T) {
	for i, tun := range new(Model).tunables() {
		field := reflect.TypeFor[Model]().Field(i).Name
		if _, ok := tun.field.(*float64); !ok {
			continue
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e-3, 1e300} {
			m := DefaultModel()
			*m.tunables()[i].field.(*float64) = bad
			var e *BadTunable
			if err := m.Check(); !errors.As(err, &e) || e.Name != field && field != "Radius" && field != "HalfHeight" {
				t.Errorf("%s = %v: got %v, want it refused by its name", field, bad, err)
			}
		}
	}
	for _, facing := range []FacingPolicy{-1, 3} {
		m := DefaultModel()
		if m.Facing = facing; m.Check() == nil {
			t.Errorf("facing %v passes", facing)
		}
	}
	m := DefaultModel()
	if m.StepHeight = m.HalfHeight + .01; m.Check() == nil {
		t.Error("a step above half the body passes")
	}
}

// At either end of what each tunable may be, a body walks, jumps, swims and flies about
// and stays finite.
func TestTunablesAtTheirEnds(t *testing.T) {
	w := level()
	lake(w)
	var view = inOnly(t, 60, geom.Vec3{}, w).w
	for i, tun := range new(Model).tunables() {
		for _, end := range []float64{0, .01, .34, 1, 1e3, 1e4} {
			b := inOnly(t, 60, geom.V(13, 2, 0), level())
			b.w = view
			if b.m.Set(snake(tun.name), end); b.m.Check() != nil {
				continue
			}
			r := rand.New(rand.NewSource(int64(i)))
			for range 150 {
				wander(r, &b.c)
				b.c.Right, b.c.Up = -1, r.Float64()-.5
				if r.Intn(60) == 0 {
					b.s.Mode = []Mode{Walking, Falling, Flying, Swimming}[r.Intn(4)]
				}
				if b.step(); b.f.Queries > mostQueries {
					t.Fatalf("%s = %v: %v queries in a move", tun.name, end, b.f.Queries)
				}
			}
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
