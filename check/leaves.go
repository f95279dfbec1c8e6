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
	tried bool
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

// coverage finds the fields of a state or command that a Pack function never writes.
type coverage[T any] struct {
	pack func(p *bits.Packer, v *T)
	// given tells that only fields count that are not zero in some value that is tried.
	given  bool
	fields []field // not written so far
	packer bits.Packer
	bytes  [4096]byte
}

// cover returns the coverage of a type before anything was tried.
func cover[T any](given bool, pack func(p *bits.Packer, v *T)) *coverage[T] {
	c := &coverage[T]{pack: pack, given: given}
	if t := reflect.TypeFor[T](); t.Kind() == reflect.Struct {
		c.fields = fieldsOf(t, "", nil)
	}
	return c
}

// missing names the fields that were tried and never written.
func (c *coverage[T]) missing() string {
	var names []string
	for _, f := range c.fields {
		if f.tried {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", ")
}

// try finds the fields that are written in a value.
func (c *coverage[T]) try(value T) {
	want, ok := c.packed(value)
	if !ok {
		return // reported elsewhere
	}
	left := c.fields[:0]
	for _, f := range c.fields {
		if f.tried = f.tried || !c.given || !f.zeroIn(reflect.ValueOf(value)); !f.tried || !c.writes(f, value, want) {
			left = append(left, f)
		}
	}
	c.fields = left
}

// zeroIn reports whether all of a field is zero in a value.
func (f *field) zeroIn(value reflect.Value) bool {
	for _, index := range f.parts {
		if !value.FieldByIndex(index).IsZero() {
			return false
		}
	}
	return true
}

// writes reports whether pack writes something other than want, or fails, if some part of a field has another value.
func (c *coverage[T]) writes(f field, value T, want []byte) bool {
	for _, index := range f.parts {
		for _, up := range []bool{true, false} {
			other := value
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

// packed returns the bytes of a value; ok is false if pack fails or panics.
func (c *coverage[T]) packed(value T) (b []byte, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	c.packer.Write(c.bytes[:])
	c.pack(&c.packer, &value)
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
