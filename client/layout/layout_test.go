package layout

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/backstep-net/backstep/clock"
)

// colour is an enum of a game.
type colour uint8

func (c colour) String() string { return [...]string{"", "red", "blue"}[c%3] }

type point struct{ X, Y float64 }

// inner has fields that are promoted, and one that the outer struct hides.
type inner struct {
	Depth  int16
	Hidden bool
	hidden int
	Point  point
}

// Far is embedded by a pointer: its fields are elsewhere.
type Far struct{ Away bool }

// every has a field of each kind, in an order that makes the compiler leave gaps.
type every struct {
	Bool bool
	I64  int64
	I8   int8
	I32  int32
	I16  int16
	Int  int
	U8   uint8
	U64  uint64
	U16  uint16
	Uint uint
	U32  uint32
	F32  float32
	F64  float64

	After   clock.Micros
	Colour  colour
	Text    string
	Bytes   []byte
	Points  []point
	Grid    [2][3]point
	Next    *every
	private int
	inner
	*Far
	Hidden string

	Func   func()
	Map    map[int]int
	Any    any
	Chan   chan int
	Funcs  []func()
	Maps   [2]map[int]int
	PtrMap *map[int]int
	RTT    float64
}

// layoutOf returns the layout of a value under the name "it".
func layoutOf[T any](value *T) *Layout {
	var t Table
	Name[colour](&t, "", "red", "blue")
	Add(&t, "it", value, false)
	return t.Layout()
}

// structOf returns the fields of a struct of the layout, by name.
func structOf(t *testing.T, l *Layout, name string) map[string]Field {
	t.Helper()
	for _, of := range l.Types {
		if of.Name == name {
			all := map[string]Field{}
			for _, f := range of.Fields {
				all[f.Name] = f
			}
			return all
		}
	}
	t.Fatalf("there is no type %q", name)
	return nil
}

// Each field of each kind lies where the compiler has put it. [ENT-11]
func TestFieldsLieWhereTheCompilerPutsThem(t *testing.T) {
	var v every
	l := layoutOf(&v)
	fields := structOf(t, l, "Every")
	for _, c := range []struct {
		name   string
		offset uintptr
		kind   Kind
		size   uintptr
	}{
		{"bool", unsafe.Offsetof(v.Bool), Bool, 1},
		{"i64", unsafe.Offsetof(v.I64), Int64, 8}, {"i8", unsafe.Offsetof(v.I8), Int8, 1},
		{"i32", unsafe.Offsetof(v.I32), Int32, 4}, {"i16", unsafe.Offsetof(v.I16), Int16, 2},
		{"int", unsafe.Offsetof(v.Int), Int64, 8}, {"u8", unsafe.Offsetof(v.U8), Uint8, 1},
		{"u64", unsafe.Offsetof(v.U64), Uint64, 8}, {"u16", unsafe.Offsetof(v.U16), Uint16, 2},
		{"uint", unsafe.Offsetof(v.Uint), Uint64, 8}, {"u32", unsafe.Offsetof(v.U32), Uint32, 4},
		{"f32", unsafe.Offsetof(v.F32), Float32, 4}, {"f64", unsafe.Offsetof(v.F64), Float64, 8},
		{"after", unsafe.Offsetof(v.After), Seconds, 8}, {"colour", unsafe.Offsetof(v.Colour), Enum, 1},
		{"text", unsafe.Offsetof(v.Text), String, 16}, {"bytes", unsafe.Offsetof(v.Bytes), Slice, 24},
		{"points", unsafe.Offsetof(v.Points), Slice, 24}, {"grid", unsafe.Offsetof(v.Grid), Array, 96},
		{"next", unsafe.Offsetof(v.Next), Pointer, 8},
		{"depth", unsafe.Offsetof(v.inner) + unsafe.Offsetof(v.inner.Depth), Int16, 2},
		{"point", unsafe.Offsetof(v.inner) + unsafe.Offsetof(v.inner.Point), Struct, 16},
		{"hidden", unsafe.Offsetof(v.Hidden), String, 16},
		{"rtt", unsafe.Offsetof(v.RTT), Float64, 8},
	} {
		f, ok := fields[c.name]
		if !ok {
			t.Errorf("%s: no such field", c.name)
			continue
		}
		if of := l.Types[f.Type]; f.Offset != int(c.offset) || of.Kind != c.kind || of.Size != int(c.size) {
			t.Errorf("%s: got %s of %d bytes at %d, want %s of %d at %d", c.name, of.Kind, of.Size, f.Offset, c.kind, c.size, c.offset)
		}
		delete(fields, c.name)
	}
	if len(fields) != 0 {
		t.Errorf("fields that a page cannot read are listed: %v", fields)
	}
}

// Elements, enums and types that contain themselves.
func TestListsEnumsAndTypesThatContainThemselves(t *testing.T) {
	l := layoutOf(&every{})
	fields := structOf(t, l, "Every")
	kindOf := func(index int) Type { return l.Types[index] }
	if p := kindOf(fields["points"].Type); kindOf(p.Element).Name != "Point" || kindOf(p.Element).Size != 16 {
		t.Errorf("points: got elements %+v, want points of 16 bytes", kindOf(p.Element))
	}
	grid := kindOf(fields["grid"].Type)
	if row := kindOf(grid.Element); grid.Count != 2 || row.Kind != Array || row.Count != 3 || row.Size != 48 {
		t.Errorf("grid: got %d rows of %+v, want 2 of 3 points", grid.Count, row)
	}
	if next := kindOf(fields["next"].Type); next.Element != l.Roots[0].Type {
		t.Errorf("next: points to type %d, want its own, %d", next.Element, l.Roots[0].Type)
	}
	if c := kindOf(fields["colour"].Type); c.Name != "Colour" || strings.Join(c.Names, ",") != ",red,blue" {
		t.Errorf("colour: got %+v, want its three names", c)
	}
	seen := map[string]bool{}
	for _, of := range l.Types {
		if of.Name != "" && seen[of.Name] {
			t.Errorf("two types are called %s", of.Name)
		}
		seen[of.Name] = true
	}
}

// Every target has one layout, so the types that a native program writes are those of the module.
// -update rewrites it. [ENT-11]
func TestGoldenLayout(t *testing.T) {
	l := layoutOf(&every{})
	l.Roots = nil // addresses differ
	got := strings.ReplaceAll(string(l.AppendJSON(nil)), `},{"kind"`, "},\n{\"kind\"") + "\n"
	golden(t, "testdata/every.json", got)
}

// golden compares a text with a file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A game's sizes are those of the browser: ints and pointers of 8 bytes. On a machine where
// that does not hold, no types are written.
func TestThisMachineHasTheSizesOfWebAssembly(t *testing.T) {
	var p *int
	if unsafe.Sizeof(int(0)) != 8 || unsafe.Sizeof(p) != 8 || unsafe.Alignof(int64(0)) != 8 || unsafe.Alignof(float64(0)) != 8 {
		t.Skip("a 32-bit machine")
	}
	if got := reflect.TypeFor[struct {
		A bool
		B float64
	}]().Size(); got != 16 {
		t.Errorf("a bool and a float64: got %d bytes, want 16", got)
	}
}

// The names of fields on the page.
func TestFieldNamesAreLowerCamelCase(t *testing.T) {
	for name, want := range map[string]string{
		"X": "x", "ID": "id", "RTT": "rtt", "LossUp": "lossUp", "HTTPServer": "httpServer", "A1": "a1",
		"JumpID": "jumpID", "VX": "vx", "IsOn": "isOn",
	} {
		if got := Lower(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// Two types of one name are two interfaces; the second has its package in its name.
func TestTypesOfOneNameAreToldApart(t *testing.T) {
	type Vector struct{ X float32 }
	l := layoutOf(&struct {
		A clockTime
		B struct{ C Vector }
		D struct{ E int }
	}{})
	names := map[string]bool{}
	for _, of := range l.Types {
		if of.Kind == Struct {
			names[of.Name] = true
		}
	}
	if len(names) != 5 {
		t.Errorf("got %v, want 5 different names", names)
	}
}

type clockTime struct{ At clock.Micros }

// Misuse panics with the cure.
func TestMisusePanicsWithTheCure(t *testing.T) {
	text := func(f func()) (why string) {
		defer func() { why, _ = recover().(string) }()
		f()
		return ""
	}
	var table Table
	one := 1
	Add(&table, "one", &one, false)
	if got, want := text(func() { Add(&table, "one", &one, false) }), "layout: two roots are called one: give one another name"; got != want {
		t.Errorf("two roots of a name: got %q, want %q", got, want)
	}
	m := map[string]int{}
	if got, want := text(func() { Add(&table, "m", &m, false) }), "layout: root m is a map[string]int, which a page cannot read: make it a struct"; got != want {
		t.Errorf("a map: got %q, want %q", got, want)
	}
}

// The JSON says what the layout says.
func TestTheJSONIsTheLayout(t *testing.T) {
	v := &every{}
	l := layoutOf(v)
	l.Roots = append(l.Roots, Root{"other", unsafe.Pointer(v), 0, true})
	var got struct {
		Version int
		Roots   []struct {
			Name     string
			At, Type int
			Write    bool
		}
		Types []struct {
			Kind, Name           string
			Size, Element, Count int
			Names                []string
			Fields               []struct {
				Name     string
				At, Type int
			}
		}
	}
	if err := json.Unmarshal(l.AppendJSON(nil), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != Version || len(got.Roots) != 2 || got.Roots[0].At != int(uintptr(unsafe.Pointer(v))) || got.Roots[0].Write || !got.Roots[1].Write {
		t.Errorf("version %d, roots %+v", got.Version, got.Roots)
	}
	for i, of := range l.Types {
		j := got.Types[i]
		if j.Kind != string(of.Kind) || j.Name != of.Name || j.Size != of.Size || of.Element != None && j.Element != of.Element || j.Count != of.Count ||
			len(j.Fields) != len(of.Fields) || len(j.Names) != len(of.Names) {
			t.Errorf("type %d: got %+v, want %+v", i, j, of)
			continue
		}
		for k, f := range of.Fields {
			if j.Fields[k].Name != f.Name || j.Fields[k].At != f.Offset || j.Fields[k].Type != f.Type {
				t.Errorf("type %d: field %+v, want %+v", i, j.Fields[k], f)
			}
		}
	}
}

// The TypeScript of a type with all kinds. -update rewrites it.
func TestTheTypeScriptOfEveryKind(t *testing.T) {
	var table Table
	Name[colour](&table, "", "red", "blue")
	Add(&table, "it", &every{}, false)
	Add(&table, "command", &struct{ Place point }{}, true)
	golden(t, "testdata/every.d.ts", table.Layout().TypeScript())
}

// A described type is a record of what only the program knows while it runs; without fields it is
// not there at all.
func TestADescribedTypeIsARecord(t *testing.T) {
	type value struct {
		Number int64
		Text   string
	}
	v := &struct {
		Own  *value
		Many []*value
		Last bool
	}{}
	values := []value{{Number: 7}, {Text: "Ann"}}
	v.Own, v.Many = &values[0], []*value{&values[0]}
	var with, without Table
	Describe[value](&with, "Fields", RecordField{"score", 0, false}, RecordField{"nick-name", 24 + 8, true})
	Describe[value](&without, "Fields")
	Add(&with, "it", v, false)
	Add(&without, "it", v, false)
	l := with.Layout()
	p := page{l.Types}
	want := map[string]any{"score": 7.0, "nick-name": "Ann"}
	if got := p.read(unsafe.Pointer(v), 0); !reflect.DeepEqual(got, map[string]any{"own": want, "many": []any{want}, "last": false}) {
		t.Errorf("got %v, want %v twice", got, want)
	}
	if text := l.TypeScript(); !strings.Contains(text, "interface Fields {\n  readonly score: number;\n  readonly \"nick-name\": string;\n}") {
		t.Errorf("got %s", text)
	}
	if got := len(without.Layout().Types[0].Fields); got != 1 {
		t.Errorf("without fields: got %d properties, want last alone", got)
	}
}
