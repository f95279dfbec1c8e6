package layout

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/backstep-net/backstep/clock"
)

// Name gives the values of a uint8 type their names, from 0 on. A name may be "", which a page
// takes for false; it has no control characters.
func Name[E ~uint8](t *Table, names ...string) {
	if t.names == nil {
		t.names = map[reflect.Type][]string{}
	}
	t.names[reflect.TypeFor[E]()] = names
}

// Describe says that a page takes a struct for a record with those fields, and by that name, in the
// place of its own: for pointers, never nil, to what only the program knows while it runs. A record
// without fields is nothing that a page can read.
func Describe[T any](t *Table, name string, fields ...RecordField) {
	if t.records == nil {
		t.records = map[reflect.Type]record{}
	}
	t.records[reflect.TypeFor[T]()] = record{name, fields}
}

// Add adds a root: a value that the page finds by a name. The table keeps it alive. Add panics for
// a second root of one name, and for a value that no page can read.
func Add[T any](t *Table, name string, value *T, write bool) {
	for _, r := range t.roots {
		if r.name == name {
			panic("layout: two roots are called " + name + ": give one another name")
		}
	}
	of := reflect.TypeFor[T]()
	if !t.readable(of) {
		panic("layout: root " + name + " is a " + of.String() + ", which a page cannot read: make it a struct")
	}
	t.roots = append(t.roots, root{name, unsafe.Pointer(value), of, write})
}

// Layout finds the types of all roots that were added so far.
func (t *Table) Layout() *Layout {
	l := &Layout{}
	f := finder{t, l, nil}
	for _, r := range t.roots {
		l.Roots = append(l.Roots, Root{r.name, r.value, f.add(r.of), r.write})
	}
	return l
}

// finder finds the types of a layout.
type finder struct {
	*Table
	*Layout
	of []reflect.Type // of each type
}

// kinds are the kinds of Go's types, by reflect.Kind; "" is a type that a page cannot read.
var kinds = [...]Kind{
	reflect.Bool: Bool,
	reflect.Int:  Int64, reflect.Int8: Int8, reflect.Int16: Int16, reflect.Int32: Int32, reflect.Int64: Int64,
	reflect.Uint: Uint64, reflect.Uint8: Uint8, reflect.Uint16: Uint16, reflect.Uint32: Uint32, reflect.Uint64: Uint64,
	reflect.Float32: Float32, reflect.Float64: Float64, reflect.String: String,
	reflect.Slice: Slice, reflect.Array: Array, reflect.Pointer: Pointer, reflect.Struct: Struct,
	reflect.UnsafePointer: "",
}

// kindOf returns the kind of a type.
func (t *Table) kindOf(of reflect.Type) Kind {
	switch {
	case of == reflect.TypeFor[clock.Micros]():
		return Seconds
	case t.names[of] != nil:
		return Enum
	}
	return kinds[of.Kind()]
}

// readable reports whether a page can read a type: not a map, a function, a channel or an
// interface, nor a list of those.
func (t *Table) readable(of reflect.Type) bool {
	kind := t.kindOf(of)
	if kind == Slice || kind == Array || kind == Pointer {
		return t.readable(of.Elem())
	}
	described, ok := t.records[of]
	return kind != "" && (!ok || len(described.fields) > 0)
}

// add returns the index of a readable type, and adds it and what it consists of at the first
// time. A type may contain pointers to itself, so it has its index before its fields have.
func (t *finder) add(of reflect.Type) int {
	if at := slices.Index(t.of, of); at >= 0 {
		return at
	}
	at := len(t.Types)
	t.Types = append(t.Types, Type{Kind: t.kindOf(of), Size: int(of.Size()), Element: None})
	t.of = append(t.of, of)
	switch t.Types[at].Kind {
	case Enum:
		t.Types[at].Name, t.Types[at].Names = t.unique(of), t.names[of]
	case Struct:
		if described, ok := t.records[of]; ok {
			t.addRecord(at, &described)
			break
		}
		t.Types[at].Name = t.unique(of)
		fields := t.fields(nil, of, 0)
		t.Types[at].Fields = fields
	case Array:
		t.Types[at].Count = of.Len()
		fallthrough
	case Slice, Pointer:
		element := t.add(of.Elem())
		t.Types[at].Element = element
	}
	return at
}

// addRecord completes the type of a described record.
func (t *finder) addRecord(at int, described *record) {
	t.Types[at].Name, t.Types[at].record = described.name, true
	for _, f := range described.fields {
		of := reflect.TypeFor[int64]()
		if f.Text {
			of = reflect.TypeFor[string]()
		}
		index := t.add(of)
		t.Types[at].Fields = append(t.Types[at].Fields, Field{f.Name, f.Offset, index})
		t.Types[at].Size = max(t.Types[at].Size, f.Offset+t.Types[index].Size)
	}
}

// fields appends the fields of a struct that lies at an offset: the exported ones that a page
// can read. Those of an embedded struct follow, without those that the outer struct hides; those
// behind an embedded pointer do not, as they lie elsewhere.
func (t *finder) fields(list []Field, of reflect.Type, offset uintptr) []Field {
	for i := range of.NumField() {
		f := of.Field(i)
		if f.IsExported() && !embeds(&f) && !(f.Anonymous && f.Type.Kind() == reflect.Pointer) && t.readable(f.Type) && !has(list, Lower(f.Name)) {
			list = append(list, Field{Lower(f.Name), int(offset + f.Offset), t.add(f.Type)})
		}
	}
	for i := range of.NumField() {
		if f := of.Field(i); embeds(&f) {
			list = t.fields(list, f.Type, offset+f.Offset)
		}
	}
	return list
}

// embeds reports whether a field is an embedded struct, exported or not, as Go promotes both.
func embeds(f *reflect.StructField) bool { return f.Anonymous && f.Type.Kind() == reflect.Struct }

func has(list []Field, name string) bool {
	for i := range list {
		if list[i].Name == name {
			return true
		}
	}
	return false
}

// Lower returns the name that a field has on a page: RTT is rtt, LossUp lossUp, HTTPServer
// httpServer.
func Lower(name string) string {
	n := 0
	for n < len(name) && name[n] >= 'A' && name[n] <= 'Z' {
		n++
	}
	if n > 1 && n < len(name) && name[n] >= 'a' && name[n] <= 'z' {
		n--
	}
	return strings.ToLower(name[:n]) + name[n:]
}

// unique returns the name of a type for TypeScript: its own, with a capital, without type arguments;
// of a second type of one name, with its package before it.
func (t *finder) unique(of reflect.Type) string {
	name, _, _ := strings.Cut(upper(of.Name()), "[")
	if name == "" {
		name = "Anonymous"
	}
	if t.taken(name) {
		folder := of.PkgPath()[strings.LastIndexByte(of.PkgPath(), '/')+1:]
		name = upper(folder) + name
	}
	for base, n := name, 2; t.taken(name); n++ {
		name = base + strconv.Itoa(n)
	}
	return name
}

func (t *finder) taken(name string) bool {
	for i := range t.Types {
		if t.Types[i].Name == name {
			return true
		}
	}
	return false
}

// upper returns a name with a capital letter.
func upper(name string) string {
	if name == "" {
		return name
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
