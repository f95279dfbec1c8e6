package layout

import (
	"slices"
	"strconv"
	"strings"
)

// Flat reports whether a type has no address in it: its bytes can be copied out of the program.
func (l *Layout) Flat(index int) bool {
	switch t := &l.Types[index]; t.Kind {
	case String, Slice, Pointer:
		return false
	case Array:
		return l.Flat(t.Element)
	case Struct:
		for _, f := range t.Fields {
			if !l.Flat(f.Type) {
				return false
			}
		}
	}
	return true
}

// flatFields returns the fields of a struct that are flat, by their offsets.
func (l *Layout) flatFields(index int) (list []Field) {
	for _, f := range l.Types[index].Fields {
		if l.Flat(f.Type) && l.Types[f.Type].Size > 0 {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b Field) int { return a.Offset - b.Offset })
	return list
}

// common returns the name that backstep.h has for a struct, "" for none.
func (l *Layout) common(index int) string {
	t := &l.Types[index]
	for i, f := range t.Fields {
		if i > 3 || f.Name != "xyzw"[i:i+1] || l.Types[f.Type].Kind != Float64 || f.Offset != 8*i {
			return ""
		}
	}
	return map[int]string{24: "bs_vec3", 32: "bs_quat"}[t.Size]
}

// C returns the declaration of the type of a root for C and C++, by a name, after those that it needs,
// whose names have the prefix. A field that is not flat, and what a page does not see, is reserved
// space. A struct of x, y and z is a bs_vec3, one of x, y, z and w a bs_quat, both of backstep.h. [ENT-13]
func (l *Layout) C(root, name, prefix string) string {
	d := declarer{l, prefix, map[int]string{}, &strings.Builder{}}
	for _, r := range l.Roots {
		if r.Name == root {
			d.declare(r.Type, name)
			return d.text.String()
		}
	}
	panic("layout: there is no root " + root + ": add it first")
}

// declarer writes declarations in C.
type declarer struct {
	*Layout
	prefix string
	names  map[int]string // of the types that are declared
	text   *strings.Builder
}

// cTypes are the names of types in C.
var cTypes = map[Kind]string{
	Bool: "uint8_t", Int8: "int8_t", Int16: "int16_t", Int32: "int32_t", Int64: "int64_t",
	Uint8: "uint8_t", Uint16: "uint16_t", Uint32: "uint32_t", Uint64: "uint64_t",
	Float32: "float", Float64: "double", Seconds: "int64_t", Enum: "uint8_t",
}

// cNotes are what a reader of the declaration has to know of a field.
var cNotes = map[Kind]string{Bool: " /* 0 or 1 */", Seconds: " /* microseconds */"}

// typeOf returns the name of a type, and what follows the name of a field of it. It declares structs.
func (d *declarer) typeOf(index int) (name, after string) {
	switch t := &d.Types[index]; t.Kind {
	case Array:
		name, after = d.typeOf(t.Element)
		return name, "[" + strconv.Itoa(t.Count) + "]" + after
	case Struct:
		if d.names[index] == "" {
			d.declare(index, d.prefix+"_"+snake(Lower(t.Name)))
		}
		return d.names[index], ""
	default:
		return cTypes[t.Kind], ""
	}
}

// declare declares a struct by a name.
func (d *declarer) declare(index int, name string) {
	if common := d.common(index); common != "" {
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
	for _, f := range d.flatFields(index) {
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
	case Array:
		return d.align(t.Element)
	case Struct:
		most := 1
		for _, f := range d.flatFields(index) {
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
