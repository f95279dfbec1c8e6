// Package reset takes a value back to what it was, with everything that it points to: fuzz targets whose inputs
// each need a new match make one match and reset it, which takes a hundredth of the time. Start with Of.
//
// A reset copies memory, so it needs no method of the value, and cannot forget a field. What it cannot see is
// variables that a closure captures: keep what an input may change in fields.
package reset

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Point is a value as it was at an instant.
type Point struct {
	blocks []block
	maps   []savedMap
	seen   map[place]bool
	fixed  []reflect.Type
}

// place is where elements of a type are: the first, and how many.
type place struct {
	at   unsafe.Pointer
	of   reflect.Type
	many int
}

// block is elements side by side: where they are, and a copy.
type block struct {
	place
	live, saved reflect.Value // slices
}

// savedMap is a map, and a copy.
type savedMap struct{ live, saved reflect.Value }

// Of saves all that pointers, slices, maps and interfaces reach from a pointer, but not what is behind pointers of
// the types of fixed, which nothing may change. It panics at a channel or an unsafe.Pointer.
func Of(pointer any, fixed ...any) *Point {
	p := &Point{seen: map[place]bool{}}
	for _, f := range fixed {
		p.fixed = append(p.fixed, reflect.TypeOf(f))
	}
	p.follow(reflect.ValueOf(pointer))
	p.merge()
	p.seen = nil
	for i := range p.blocks {
		b := &p.blocks[i]
		b.saved = reflect.MakeSlice(b.live.Type(), b.many, b.many)
		reflect.Copy(b.saved, b.live)
	}
	return p
}

// Reset takes the value back. The copies have their types, so the garbage collector sees every pointer.
func (p *Point) Reset() {
	for i := range p.blocks {
		reflect.Copy(p.blocks[i].live, p.blocks[i].saved)
	}
	for _, m := range p.maps {
		m.live.Clear()
		copyMap(m.live, m.saved)
	}
}

func copyMap(to, from reflect.Value) {
	for of := from.MapRange(); of.Next(); {
		to.SetMapIndex(of.Key(), of.Value())
	}
}

// block saves elements, and what they point to.
func (p *Point) block(at unsafe.Pointer, of reflect.Type, many int) {
	where := place{at, of, many}
	if p.seen[where] || many == 0 || of.Size() == 0 {
		return
	}
	p.seen[where] = true
	live := reflect.SliceAt(of, at, many)
	p.blocks = append(p.blocks, block{place: where, live: live})
	for i := 0; i < many && points(of); i++ {
		p.follow(live.Index(i))
	}
}

// merge removes blocks that are part of another one: a pointer may lead into a struct or an array.
func (p *Point) merge() {
	end := func(b *block) uintptr { return uintptr(b.at) + b.of.Size()*uintptr(b.many) }
	slices.SortFunc(p.blocks, func(a, b block) int {
		return cmp.Or(cmp.Compare(uintptr(a.at), uintptr(b.at)), cmp.Compare(end(&b), end(&a)))
	})
	last := uintptr(0)
	p.blocks = slices.DeleteFunc(p.blocks, func(b block) bool {
		if e := end(&b); e > last {
			last = e
			return false
		}
		return true
	})
}

// follow saves what a value points to.
func (p *Point) follow(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !slices.Contains(p.fixed, v.Type()) {
			p.block(v.UnsafePointer(), v.Type().Elem(), 1)
		}
	case reflect.Slice:
		p.block(v.UnsafePointer(), v.Type().Elem(), v.Cap())
	case reflect.Interface:
		p.follow(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); points(f.Type()) {
				p.follow(f)
			}
		}
	case reflect.Array:
		for i := 0; i < v.Len() && points(v.Type().Elem()); i++ {
			p.follow(v.Index(i))
		}
	case reflect.Map:
		p.followMap(v)
	case reflect.Chan, reflect.UnsafePointer:
		panic(fmt.Sprintf("reset: a %v cannot be taken back", v.Type()))
	}
}

// followMap saves a map, and what its values point to; its keys point to nothing.
func (p *Point) followMap(v reflect.Value) {
	if v.IsNil() {
		return
	}
	// Reflection sets no entries of a map in an unexported field, so it is taken by its address.
	m := savedMap{reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem(), reflect.MakeMap(v.Type())}
	// The variable may get another map: the block that it is in is reset before, so that it has this one again.
	copyMap(m.saved, m.live)
	p.maps = append(p.maps, m)
	for of := m.live.MapRange(); of.Next(); {
		p.follow(of.Value())
	}
}

// points reports whether a value of the type may lead to other memory.
func points(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Interface, reflect.Map, reflect.Chan, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return t.Len() > 0 && points(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if points(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
