package check

import (
	"bytes"
	"reflect"
	"strings"
	"unsafe"

	"github.com/backstep-net/backstep/bits"
)

// library begins the import paths of the library's packages. Their types pack themselves, and some of their fields in
// some states only, so each counts as one field. Examples are games.
const library = "github.com/backstep-net/backstep/"

// field is a field of a state or command.
type field struct {
	name  string
	parts [][]int // of a type of the library, else one, as reflect's FieldByIndex takes them
}

// allFields lists the fields of a state or command; none if it is no struct.
func allFields[T any]() []field {
	if t := reflect.TypeFor[T](); t.Kind() == reflect.Struct {
		return fieldsOf(t, "", nil)
	}
	return nil
}

// fieldsOf lists the fields of a struct, and those of the structs in it.
func fieldsOf(t reflect.Type, name string, index []int) (list []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		at, full := append(append([]int(nil), index...), i), strings.TrimPrefix(name+"."+f.Name, ".")
		switch path := f.Type.PkgPath(); {
		case f.Name == "_":
		case f.Type.Kind() != reflect.Struct:
			list = append(list, field{name: full, parts: [][]int{at}})
		case strings.HasPrefix(path, library) && !strings.HasPrefix(path, library+"examples/"):
			whole := field{name: full}
			for _, part := range fieldsOf(f.Type, full, at) {
				whole.parts = append(whole.parts, part.parts...)
			}
			list = append(list, whole)
		default:
			list = append(list, fieldsOf(f.Type, full, at)...)
		}
	}
	return list
}

// names joins the names of fields.
func names(fields []field) string {
	var list []string
	for _, f := range fields {
		list = append(list, f.name)
	}
	return strings.Join(list, ", ")
}

// zeroIn reports whether all of a field is zero in a value.
func (f *field) zeroIn(value any) bool {
	for _, index := range f.parts {
		if !reflect.ValueOf(value).FieldByIndex(index).IsZero() {
			return false
		}
	}
	return true
}

// lost finds the fields of a command that are set where it is made and zero wherever it is read.
type lost[C any] struct {
	unread []field // zero in all that was read so far
	set    map[string]bool
}

// try compares a command as it was made and as it is read.
func (l *lost[C]) try(made, read C) {
	left := l.unread[:0]
	for _, f := range l.unread {
		if f.zeroIn(read) {
			l.set[f.name] = l.set[f.name] || !f.zeroIn(made)
			left = append(left, f)
		}
	}
	l.unread = left
}

// fields returns those that are lost.
func (l *lost[C]) fields() (list []field) {
	for _, f := range l.unread {
		if l.set[f.name] {
			list = append(list, f)
		}
	}
	return list
}

// unwritten finds the fields of a state that PackState never writes, also those that no play changes: it changes each.
type unwritten[S any] struct {
	pack   func(p *bits.Packer, s *S)
	fields []field // not written so far
	packer bits.Packer
	bytes  [4096]byte
}

// try finds the fields that are written in a state.
func (c *unwritten[S]) try(state S) {
	want, ok := c.packed(state)
	if !ok {
		return // reported elsewhere
	}
	left := c.fields[:0]
	for _, f := range c.fields {
		if !c.writes(f, state, want) {
			left = append(left, f)
		}
	}
	c.fields = left
}

// writes reports whether pack writes something other than want, or fails, if some part of a field has another value.
func (c *unwritten[S]) writes(f field, state S, want []byte) bool {
	for _, index := range f.parts {
		for _, up := range []bool{true, false} {
			other := state
			v := reflect.ValueOf(&other).Elem().FieldByIndex(index)
			if !change(reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem(), up) {
				return true // of a kind that is not looked into
			}
			if got, ok := c.packed(other); !ok || !bytes.Equal(got, want) {
				return true
			}
		}
	}
	return false
}

// packed returns the bytes of a state; ok is false if pack fails or panics.
func (c *unwritten[S]) packed(state S) (b []byte, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	c.packer.Write(c.bytes[:])
	c.pack(&c.packer, &state)
	return bytes.Clone(c.packer.Bytes()), c.packer.Err() == nil
}

// change gives v the next value up or down, and reports whether it knows the kind.
func change(v reflect.Value, up bool) bool {
	step := -1
	if up {
		step = 1
	}
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.CanInt():
		v.SetInt(v.Int() + int64(step))
	case v.CanUint():
		v.SetUint(v.Uint() + uint64(step))
	case v.CanFloat():
		v.SetFloat(v.Float() + float64(step))
	case v.Kind() == reflect.String:
		v.SetString(v.String() + "x")
	case v.Kind() == reflect.Array && v.Len() > 0:
		return change(v.Index(0), up)
	case v.Kind() == reflect.Struct && v.NumField() > 0:
		return change(v.Field(0), up)
	default:
		return false
	}
	return true
}
