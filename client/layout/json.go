package layout

import "strconv"

// AppendJSON appends the layout as JSON. It is an object with
//
//   - version: Version
//   - roots: a list of {name, at, type, write}: at is the address, write true or absent
//   - types: a list of {kind, size, name, element, count, fields, names}, of which those that
//     a kind does not use are absent; fields is a list of {name, at, type}, where at is the
//     offset
//
// A type is named by its index in types.
func (t *Layout) AppendJSON(b []byte) []byte {
	b = number(append(b, `{"version":`...), Version)
	b = append(b, `,"roots":[`...)
	for i, r := range t.Roots {
		b = comma(b, i)
		b = entry(b, r.Name, int(uintptr(r.Value)), r.Type)
		if r.Write {
			b = append(b, `,"write":true`...)
		}
		b = append(b, '}')
	}
	b = append(b, `],"types":[`...)
	for i := range t.Types {
		b = t.Types[i].json(comma(b, i))
	}
	return append(b, "]}"...)
}

func (t *Type) json(b []byte) []byte {
	b = text(append(b, `{"kind":`...), string(t.Kind))
	b = number(append(b, `,"size":`...), t.Size)
	if t.Name != "" {
		b = text(append(b, `,"name":`...), t.Name)
	}
	if t.Element != None {
		b = number(append(b, `,"element":`...), t.Element)
	}
	switch t.Kind {
	case Array:
		b = number(append(b, `,"count":`...), t.Count)
	case Struct:
		b = append(b, `,"fields":[`...)
		for i, f := range t.Fields {
			b = append(entry(comma(b, i), f.Name, f.Offset, f.Type), '}')
		}
		b = append(b, ']')
	case Enum:
		b = append(b, `,"names":[`...)
		for i, name := range t.Names {
			b = text(comma(b, i), name)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// entry appends what roots and fields have in common, without the closing brace.
func entry(b []byte, name string, at, of int) []byte {
	b = text(append(b, `{"name":`...), name)
	b = number(append(b, `,"at":`...), at)
	return number(append(b, `,"type":`...), of)
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

func number(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// text appends a string. Names in Go and names of enums have nothing that JSON spells
// otherwise than Go.
func text(b []byte, s string) []byte { return strconv.AppendQuote(b, s) }
