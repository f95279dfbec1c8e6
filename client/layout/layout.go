// Package layout describes the memory layout of Go values, so that a page can read them in
// place: a Table collects roots, and its Layout has their types, found by reflection, as JSON for
// the page's code and as TypeScript for its compiler. Start at [Add].
//
// The numbers are those of a 64-bit target. WebAssembly is one (GOARCH=wasm has ints and
// pointers of 8 bytes), and amd64 and arm64 lay out everything alike, so the types can be
// written by a native program.
package layout

import (
	"reflect"
	"unsafe"
)

// Version is the version of the JSON and of the meaning of its kinds. A page refuses a core
// of another version.
const Version = 8

// None is a type index that stands for no type.
const None = -1

// Kind says how the bytes of a value are read. All numbers are little-endian.
type Kind string

// The kinds.
const (
	Bool    Kind = "bool" // one byte, 0 or 1
	Int8    Kind = "int8"
	Int16   Kind = "int16"
	Int32   Kind = "int32"
	Int64   Kind = "int64" // the page reads a number, exact below 2⁵³
	Uint8   Kind = "uint8"
	Uint16  Kind = "uint16"
	Uint32  Kind = "uint32"
	Uint64  Kind = "uint64"
	Float32 Kind = "float32"
	Float64 Kind = "float64"
	// Seconds is a clock.Micros: an int64 of microseconds, which the page reads in seconds.
	Seconds Kind = "seconds"
	// Enum is a uint8 with names for its values: the page reads the name, and of a number
	// beyond them its decimal digits, as a string.
	Enum Kind = "enum"
	// String is the address of UTF-8 text and its length in bytes, 8 bytes each.
	String Kind = "string"
	// Slice is the address of its elements, their count and their capacity, 8 bytes each.
	Slice Kind = "slice"
	// Array is Count elements.
	Array Kind = "array"
	// Pointer is an address of 8 bytes, 0 for nil.
	Pointer Kind = "pointer"
	// Struct is named fields.
	Struct Kind = "struct"
)

// Type is one type of a layout.
type Type struct {
	Kind Kind // how its values are read
	// Name is the name of a struct or an enum in TypeScript, unique in the layout; else "".
	Name string
	// Size is in bytes; of an element it is also the distance to the next one.
	Size int
	// Element is the index of the element's type, of a slice, an array and a pointer; else
	// None.
	Element int
	Count   int      // of an array
	Fields  []Field  // of a struct, in the order of their declaration
	Names   []string // of an enum, by value
	record  bool     // described: pointers to it are never nil
}

// Field is a field of a struct. Fields of embedded structs are the struct's own.
type Field struct {
	// Name is the name in TypeScript: lower camel case.
	Name string
	// Offset is the distance from the beginning of the struct, in bytes.
	Offset int
	// Type is the index of its type.
	Type int
}

// Root is a value that the page reads by its name.
type Root struct {
	Name string // by which the page finds it
	// Value is where it is. It never moves.
	Value unsafe.Pointer
	Type  int  // index of its type
	Write bool // whether the page may write it
}

// Layout is the types of some roots.
type Layout struct {
	Types []Type // each once; a type is named by its index
	Roots []Root // in the order in which they were added
}

// Table gathers roots and the names of enums. The zero Table is empty.
type Table struct {
	roots   []root
	names   map[reflect.Type][]string // of enums
	records map[reflect.Type]record   // of described types
}

// root is a root before its types are found.
type root struct {
	name  string
	value unsafe.Pointer // on the heap, so that it does not move
	of    reflect.Type
	write bool
}

// record is what Describe said of a type.
type record struct {
	name   string
	fields []RecordField
}

// RecordField is a field of a described record: a string or an int64.
type RecordField struct {
	// Name is the name in TypeScript.
	Name string
	// Offset is the distance from the beginning of the record, in bytes.
	Offset int
	// Text makes it a string.
	Text bool
}
