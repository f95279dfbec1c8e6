package native

import (
	"strconv"
	"strings"

	"github.com/backstep-net/backstep/client/layout"
)

// declareCSharp returns the declaration of the type of a root for C#, as declareC does for C. Of a list it has a field
// for each element, of which the name ends with its number.
func declareCSharp(l *layout.Layout, root, name, prefix string) string {
	d := sharp{l, prefix, map[int]string{}, &strings.Builder{}}
	d.declare(rootOf(l, root), name)
	return d.text.String()
}

// sharp writes declarations in C#.
type sharp struct {
	*layout.Layout
	prefix string
	names  map[int]string // of the types that are declared
	text   *strings.Builder
}

// sharpTypes are the names of types in C#.
var sharpTypes = map[layout.Kind]string{
	layout.Bool: "byte", layout.Int8: "sbyte", layout.Int16: "short", layout.Int32: "int", layout.Int64: "long",
	layout.Uint8: "byte", layout.Uint16: "ushort", layout.Uint32: "uint", layout.Uint64: "ulong",
	layout.Float32: "float", layout.Float64: "double", layout.Seconds: "long", layout.Enum: "byte",
}

// declare declares a struct by a name.
func (d *sharp) declare(index int, name string) {
	if common := common(d.Layout, index); common != "" {
		d.names[index] = common
		return
	}
	d.names[index] = name
	var body strings.Builder
	for _, f := range flatFields(d.Layout, index) {
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
	case layout.Array:
		for i := range t.Count {
			d.field(body, t.Element, at+i*d.Types[t.Element].Size, name+"_"+strconv.Itoa(i))
		}
		return
	case layout.Struct:
		if d.names[index] == "" {
			d.declare(index, d.prefix+"_"+snake(layout.Lower(t.Name)))
		}
		declared = d.names[index]
	}
	body.WriteString("\t[FieldOffset(" + strconv.Itoa(at) + ")] public " + declared + " " + name + ";" + cNotes[t.Kind] + "\n")
}
