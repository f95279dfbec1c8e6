package layout

import (
	"flag"
	"math/rand"
	"reflect"
	"strconv"
	"testing"
	"testing/quick"
	"unsafe"

	"github.com/backstep-net/backstep/clock"
)

var update = flag.Bool("update", false, "rewrite testdata")

// page reads values as a page's code does: from the memory at an address, by the layout alone.
type page struct{ types []Type }

// read returns the value of a type: a number as float64, a list as []any, a struct as a map.
func (p *page) read(at unsafe.Pointer, index int) any {
	t := &p.types[index]
	switch t.Kind {
	case Struct:
		all := map[string]any{}
		for _, f := range t.Fields {
			all[f.Name] = p.read(unsafe.Add(at, f.Offset), f.Type)
		}
		return all
	case Enum:
		if n := int(*(*uint8)(at)); n < len(t.Names) {
			return t.Names[n]
		}
		return strconv.Itoa(int(*(*uint8)(at)))
	case String:
		return string(unsafe.Slice(*(**byte)(at), *(*int)(unsafe.Add(at, 8))))
	case Slice:
		return p.list(*(*unsafe.Pointer)(at), t.Element, *(*int)(unsafe.Add(at, 8)))
	case Array:
		return p.list(at, t.Element, t.Count)
	case Pointer:
		if to := *(*unsafe.Pointer)(at); to != nil {
			return p.read(to, t.Element)
		}
		return nil
	case Bool:
		return *(*byte)(at) != 0
	}
	return number64(at, t.Kind)
}

func (p *page) list(at unsafe.Pointer, element, count int) any {
	all := []any{}
	for i := range count {
		all = append(all, p.read(unsafe.Add(at, i*p.types[element].Size), element))
	}
	return all
}

func number64(at unsafe.Pointer, kind Kind) float64 {
	switch kind {
	case Int8:
		return float64(*(*int8)(at))
	case Int16:
		return float64(*(*int16)(at))
	case Int32:
		return float64(*(*int32)(at))
	case Int64:
		return float64(*(*int64)(at))
	case Uint8:
		return float64(*(*uint8)(at))
	case Uint16:
		return float64(*(*uint16)(at))
	case Uint32:
		return float64(*(*uint32)(at))
	case Uint64:
		return float64(*(*uint64)(at))
	case Float32:
		return float64(*(*float32)(at))
	case Seconds:
		return float64(*(*int64)(at)) / 1e6
	}
	return *(*float64)(at)
}

// truth returns what a page must read of a Go value.
func truth(v reflect.Value) any {
	switch {
	case v.Type() == reflect.TypeFor[clock.Micros]():
		return float64(v.Int()) / 1e6
	case v.Type() == reflect.TypeFor[colour]():
		if v.Uint() > 2 {
			return strconv.Itoa(int(v.Uint()))
		}
		return colour(v.Uint()).String()
	}
	switch v.Kind() {
	case reflect.Struct:
		all := map[string]any{}
		for _, f := range reflect.VisibleFields(v.Type()) {
			if f.IsExported() && !f.Anonymous {
				all[Lower(f.Name)] = truth(v.FieldByIndex(f.Index))
			}
		}
		return all
	case reflect.Slice, reflect.Array:
		all := []any{}
		for i := range v.Len() {
			all = append(all, truth(v.Index(i)))
		}
		return all
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return truth(v.Elem())
	case reflect.String, reflect.Bool:
		return v.Interface()
	}
	return v.Convert(reflect.TypeFor[float64]()).Float()
}

// Base is embedded in state, as movement.State is in a game's.
type Base struct {
	Position point
	Speed    float32
	Name     string
}

// state is a game's, with everything that a page can read.
type state struct {
	Base
	Tick  uint16
	Last  *state
	Team  colour
	Since clock.Micros
	Items []struct {
		Count int8
		Price float64
		Names []string
	}
	Slots [3]struct {
		Open bool
		Rest [2]uint64
	}
	Key [16]byte
}

// A page that knows only the layout reads the same as Go, of random values. [ENT-11]
func TestAPageReadsWhatGoWrote(t *testing.T) {
	const seed = 7
	source := rand.New(rand.NewSource(seed))
	for round := range 500 {
		value, ok := quick.Value(reflect.TypeFor[state](), source)
		if !ok {
			t.Fatal("no random state")
		}
		s := value.Interface().(state)
		l := layoutOf(&s)
		p := page{l.Types}
		got, want := p.read(unsafe.Pointer(&s), l.Roots[0].Type), truth(reflect.ValueOf(s))
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d, round %d: got\n%v\nwant\n%v", seed, round, got, want)
		}
	}
}
