package native

import (
	"slices"
	"strconv"
	"strings"

	"github.com/backstep-net/backstep/client/layout"
)

// flat reports whether a type has no address in it: its bytes can be copied out of the program.
func flat(l *layout.Layout, index int) bool {
	switch t := &l.Types[index]; t.Kind {
	case layout.String, layout.Slice, layout.Pointer:
		return false
	case layout.Array:
		return flat(l, t.Element)
	case layout.Struct:
		for _, f := range t.Fields {
			if !flat(l, f.Type) {
				return false
			}
		}
	}
	return true
}

// flatFields returns the fields of a struct that are flat, by their offsets.
func flatFields(l *layout.Layout, index int) (list []layout.Field) {
	for _, f := range l.Types[index].Fields {
		if flat(l, f.Type) && l.Types[f.Type].Size > 0 {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b layout.Field) int { return a.Offset - b.Offset })
	return list
}

// common returns the name that backstep.h has for a struct, "" for none.
func common(l *layout.Layout, index int) string {
	t := &l.Types[index]
	for i, f := range t.Fields {
		if i > 3 || f.Name != "xyzw"[i:i+1] || l.Types[f.Type].Kind != layout.Float64 || f.Offset != 8*i {
			return ""
		}
	}
	return map[int]string{24: "bs_vec3", 32: "bs_quat"}[t.Size]
}

// declareC returns the declaration of the type of a root for C and C++, by a name, after those that it needs,
// whose names have the prefix. A field that is not flat, and what a page does not see, is reserved
// space. A struct of x, y and z is a bs_vec3, one of x, y, z and w a bs_quat, both of backstep.h. [ENT-13]
func declareC(l *layout.Layout, root, name, prefix string) string {
	d := declarer{l, prefix, map[int]string{}, &strings.Builder{}}
	d.declare(rootOf(l, root), name)
	return d.text.String()
}

// declarer writes declarations in C.
type declarer struct {
	*layout.Layout
	prefix string
	names  map[int]string // of the types that are declared
	text   *strings.Builder
}

// cTypes are the names of types in C.
var cTypes = map[layout.Kind]string{
	layout.Bool: "uint8_t", layout.Int8: "int8_t", layout.Int16: "int16_t", layout.Int32: "int32_t", layout.Int64: "int64_t",
	layout.Uint8: "uint8_t", layout.Uint16: "uint16_t", layout.Uint32: "uint32_t", layout.Uint64: "uint64_t",
	layout.Float32: "float", layout.Float64: "double", layout.Seconds: "int64_t", layout.Enum: "uint8_t",
}

// cNotes are what a reader of the declaration has to know of a field.
var cNotes = map[layout.Kind]string{layout.Bool: " /* 0 or 1 */", layout.Seconds: " /* microseconds */"}

// typeOf returns the name of a type, and what follows the name of a field of it. It declares structs.
func (d *declarer) typeOf(index int) (name, after string) {
	switch t := &d.Types[index]; t.Kind {
	case layout.Array:
		name, after = d.typeOf(t.Element)
		return name, "[" + strconv.Itoa(t.Count) + "]" + after
	case layout.Struct:
		if d.names[index] == "" {
			d.declare(index, d.prefix+"_"+snake(layout.Lower(t.Name)))
		}
		return d.names[index], ""
	default:
		return cTypes[t.Kind], ""
	}
}

// declare declares a struct by a name.
func (d *declarer) declare(index int, name string) {
	if common := common(d.Layout, index); common != "" {
		d.names[index] = common
		return
	}
	d.names[index] = name
	t := &d.Types[index]
	var body strings.Builder
	end, reserved := 0, 0
	pad := func(to, align int) {
		if rest := to - end; rest > 0 && (end+align-1)/align*align != to {
			body.WriteString("\tuint8_t reserved" + strconv.Itoa(reserved) + "[" + strconv.Itoa(rest) + "];\n")
			reserved++
		}
	}
	for _, f := range flatFields(d.Layout, index) {
		of := &d.Types[f.Type]
		declared, after := d.typeOf(f.Type)
		pad(f.Offset, d.align(f.Type))
		body.WriteString("\t" + declared + " " + identifier(f.Name) + after + ";" + cNotes[of.Kind] + "\n")
		end = f.Offset + of.Size
	}
	pad(t.Size, d.align(index))
	d.text.WriteString("typedef struct " + name + " {\n" + body.String() + "} " + name + ";\n" +
		"BS_SIZE(" + name + ", " + strconv.Itoa(t.Size) + ");\n\n")
}

// align returns the alignment that a type has in C, which counts what is declared alone.
func (d *declarer) align(index int) int {
	t := &d.Types[index]
	switch t.Kind {
	case layout.Array:
		return d.align(t.Element)
	case layout.Struct:
		most := 1
		for _, f := range flatFields(d.Layout, index) {
			most = max(most, d.align(f.Type))
		}
		return most
	}
	return t.Size
}

// keywords are names that C or C++ has taken, of those that a field may have.
var keywords = strings.Fields(`alignas alignof and asm auto bool break case catch char class concept const
	continue default delete do double else enum explicit export extern false float for friend goto if inline int
	long mutable namespace new not operator or private protected public register requires restrict return short
	signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual
	void volatile while xor`)

// identifier returns the name of a field in C.
func identifier(name string) string {
	if name = snake(name); slices.Contains(keywords, name) {
		return name + "_"
	}
	return name
}

// snake returns a name in lower camel case with underscores: jumpID is jump_id.
func snake(name string) string {
	var b strings.Builder
	capital := func(i int) bool { return i >= 0 && i < len(name) && name[i] >= 'A' && name[i] <= 'Z' }
	for i := range len(name) {
		if capital(i) && (!capital(i-1) || i+1 < len(name) && !capital(i+1)) {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(name[i : i+1]))
	}
	return b.String()
}
