package layout

import (
	"strconv"
	"strings"
)

// numberLists are what a page has of a list of numbers: a view on the memory itself.
var numberLists = map[Kind]string{
	Int8: "Int8Array", Int16: "Int16Array", Int32: "Int32Array", Float32: "Float32Array", Float64: "Float64Array",
	Uint8: "Uint8Array", Uint16: "Uint16Array", Uint32: "Uint32Array",
}

// TypeScript returns the declarations of the types: an interface for each struct, a union of
// strings for each enum, and Roots, which has the roots by their names.
func (l *Layout) TypeScript() string {
	var b strings.Builder
	b.WriteString(`/** What the page may write: the type without readonly. */
export type Writable<T> = { -readonly [K in keyof T]: Writable<T[K]> };

/** The values that the page shares with the core, by their names. */
export interface Roots {
`)
	for _, r := range l.Roots {
		name := l.typescript(r.Type)
		if r.Write {
			name = "Writable<" + name + ">"
		}
		b.WriteString("  readonly " + r.Name + ": " + name + ";\n")
	}
	b.WriteString("}\n")
	for i := range l.Types {
		l.declare(&b, &l.Types[i])
	}
	return b.String()
}

// declare writes the declaration of a struct or an enum.
func (l *Layout) declare(b *strings.Builder, t *Type) {
	switch t.Kind {
	case Struct:
		b.WriteString("\nexport interface " + t.Name + " {\n")
		for _, f := range t.Fields {
			b.WriteString("  readonly " + property(f.Name) + ": " + l.typescript(f.Type) + ";\n")
		}
		b.WriteString("}\n")
	case Enum:
		b.WriteString("\nexport type " + t.Name + " =")
		for _, name := range t.Names {
			b.WriteString(" " + strconv.Quote(name) + " |")
		}
		b.WriteString(" `${number}`;\n")
	}
}

// property returns the name of a property, in quotes if it is no identifier.
func property(name string) string {
	for i := range len(name) {
		if c := name[i] | 32; (c < 'a' || c > 'z') && name[i] != '_' && (i == 0 || name[i] < '0' || name[i] > '9') {
			return strconv.Quote(name)
		}
	}
	return name
}

// typescript returns the type of a page's value.
func (l *Layout) typescript(index int) string {
	t := &l.Types[index]
	switch t.Kind {
	case Struct, Enum:
		return t.Name
	case Bool:
		return "boolean"
	case String:
		return "string"
	case Pointer:
		if l.Types[t.Element].record {
			return l.typescript(t.Element)
		}
		return l.typescript(t.Element) + " | null"
	case Slice, Array:
		element := &l.Types[t.Element]
		if list := numberLists[element.Kind]; list != "" {
			return list
		}
		name := l.typescript(t.Element)
		if strings.Contains(name, " ") { // a list, or a type or null
			name = "(" + name + ")"
		}
		return "readonly " + name + "[]"
	}
	return "number"
}
