package layout

import (
	"strconv"
	"strings"
)

// CSharp returns the declaration of the type of a root for C#, as C does for C. Of a list it has a field
// for each element, of which the name ends with its number.
func (l *Layout) CSharp(root, name, prefix string) string {
	d := sharp{l, prefix, map[int]string{}, &strings.Builder{}}
	for _, r := range l.Roots {
		if r.Name == root {
			d.declare(r.Type, name)
			return d.text.String()
		}
	}
	panic("layout: there is no root " + root + ": add it first")
}

// sharp writes declarations in C#.
type sharp struct {
	*Layout
	prefix string
	names  map[int]string // of the types that are declared
	text   *strings.Builder
}

// sharpTypes are the names of types in C#.
var sharpTypes = map[Kind]string{
	Bool: "byte", Int8: "sbyte", Int16: "short", Int32: "int", Int64: "long",
	Uint8: "byte", Uint16: "ushort", Uint32: "uint", Uint64: "ulong",
	Float32: "float", Float64: "double", Seconds: "long", Enum: "byte",
}

// declare declares a struct by a name.
func (d *sharp) declare(index int, name string) {
	if common := d.common(index); common != "" {
		d.names[index] = common
		return
	}
	d.names[index] = name
	var body strings.Builder
	for _, f := range d.flatFields(index) {
		d.field(&body, f.Type, f.Offset, "@"+snake(f.Name))
	}
	d.text.WriteString("[StructLayout(LayoutKind.Explicit, Size = " + strconv.Itoa(d.Types[index].Size) + ")]\n" +
		"public struct " + name + "\n{\n" + body.String() + "}\n\n")
}

// field writes a field, or one for each element of a list.
func (d *sharp) field(body *strings.Builder, index, at int, name string) {
	t := &d.Types[index]
	declared := sharpTypes[t.Kind]
	switch t.Kind {
	case Array:
		for i := range t.Count {
			d.field(body, t.Element, at+i*d.Types[t.Element].Size, name+"_"+strconv.Itoa(i))
		}
		return
	case Struct:
		if d.names[index] == "" {
			d.declare(index, d.prefix+"_"+snake(Lower(t.Name)))
		}
		declared = d.names[index]
	}
	body.WriteString("\t[FieldOffset(" + strconv.Itoa(at) + ")] public " + declared + " " + name + ";" + cNotes[t.Kind] + "\n")
}
