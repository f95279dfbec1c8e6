package wasmlink

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The kinds of PC tables, as internal/abi numbers them.
const (
	tableUnsafePoint = 0 // asynchronous preemption, which WebAssembly does not have
	tableInlineTree  = 2 // the entry of the inline tree
	tableArgLive     = 3 // arguments in stack traces
)

// The kinds of data, as internal/abi numbers them.
const (
	dataInlineTree = 3 // calls inlined into a function: recover counts them
	dataArgInfo    = 5 // arguments in stack traces
	dataArgLive    = 6 // the same
	dataWrapped    = 7 // execution traces
)

// Offsets in an entry of an inline tree, runtime.inlinedCall.
const (
	inlineName      = 4
	inlineStartLine = 12
	inlineSize      = 16
)

// funcWrapper is the id of functions that the compiler generated, such as methods on a
// pointer that call those on the value.
const funcWrapper = 23

// strip clears what only stack traces and tracing read: files, lines, names of functions,
// arguments, most inlined calls. Everything else keeps its meaning: entry points, stack depths, stack maps,
// stack objects, deferred calls. Of unused functions nothing stays.
func (t *tables) strip(c code, unused map[int]bool) error {
	clear(t.units)
	clear(t.files)
	all, err := t.records()
	if err != nil {
		return err
	}
	recovers, err := t.recovers(all, c)
	if err != nil {
		return err
	}
	trees := func(r record) bool {
		return !unused[r.body()] && (r[fieldFuncID] == funcWrapper || recovers(r))
	}
	for _, r := range all {
		if r.dropTables(trees(r)); unused[r.body()] {
			r.dropAllTables()
		}
	}
	inlined, err := t.dropData(all, trees, unused)
	if err != nil {
		return err
	}
	if err := t.packTables(all); err != nil {
		return err
	}
	return t.packNames(all, inlined)
}

// recovers returns a function that reports whether a function may call recover. The runtime
// counts the frames between a recover and the panic. An inline tree changes that number only
// in a function that itself recovers, which may be inlined into another, and in a wrapper,
// which counts as no frame: every other function is at least one frame, which is one too
// many.
func (t *tables) recovers(all []record, c code) (func(record) bool, error) {
	if end := int(get(t.funcs, 8*t.count)); end != firstEntry+len(c.bodies) {
		return nil, fmt.Errorf("%w (%d functions, %d bodies)", errTables, end-firstEntry, len(c.bodies))
	}
	for _, r := range all {
		name, err := t.name(get(r, fieldName))
		if err != nil {
			return nil, err
		}
		if name == "runtime.gorecover" {
			return func(f record) bool { return c.mayCall(f.body(), r.body()) }, nil
		}
	}
	return func(record) bool { return false }, nil
}

// dropTables clears what a record says about files, lines, arguments, and inlined calls
// unless tree. A PC table at offset 0 is none.
func (r record) dropTables(tree bool) {
	for _, field := range []int{fieldFile, fieldLine, fieldUnit, fieldStartLine} {
		put(r, field, 0)
	}
	for kind, at := range r.tableOffsets() {
		switch kind {
		case tableUnsafePoint, tableArgLive:
			put(r, at, 0)
		case tableInlineTree:
			if !tree {
				put(r, at, 0)
			}
		}
	}
}

// dropAllTables clears all PC tables of a record.
func (r record) dropAllTables() {
	for _, at := range append(r.tableOffsets(), fieldDepth) {
		put(r, at, 0)
	}
}

// What records do with a part of the data.
const (
	useDropped = 1 << iota // read by traces alone
	useTree                // an inline tree that stays
	useKept                // everything else
)

// dropData clears the data that only traces read, and the lines of the inline trees that
// stay, and returns the entries of those. Functions share equal data, so bytes are cleared
// only where no record keeps them.
func (t *tables) dropData(all []record, trees func(record) bool, unused map[int]bool) (inlined [][]byte, err error) {
	uses := t.dropUses(all, trees, unused)
	order := append(slices.Sorted(maps.Keys(uses)), uint32(len(t.data)))
	for i, offset := range order[:len(order)-1] {
		part := t.data[offset:order[i+1]]
		switch use := uses[offset]; {
		case use == useDropped:
			clear(part)
		case use&(useTree|useKept) == useTree|useKept:
			return nil, fmt.Errorf("%w (an inline tree is other data as well)", errTables)
		case use&useTree != 0:
			whole := part[:len(part)/inlineSize*inlineSize]
			inlined = slices.AppendSeq(inlined, slices.Chunk(whole, inlineSize))
		}
	}
	for _, call := range inlined {
		put(call, inlineStartLine, 0)
	}
	return inlined, nil
}

// dropUses removes from the records what only traces read, from unused ones everything. It returns how all records
// together used each part of the data, by offset.
func (t *tables) dropUses(all []record, trees func(record) bool, unused map[int]bool) map[uint32]int {
	uses := map[uint32]int{}
	for _, r := range all {
		tree := trees(r)
		for kind, at := range r.dataOffsets() {
			if offset := get(r, at); offset != noData {
				use := useDropped
				if !unused[r.body()] {
					use = useOf(kind, tree)
				}
				uses[offset] |= use
				if use == useDropped {
					put(r, at, noData)
				}
			}
		}
	}
	return uses
}

// useOf returns the use of data of a kind in a record that keeps its inline tree or not.
func useOf(kind int, tree bool) int {
	switch {
	case kind == dataArgInfo, kind == dataArgLive, kind == dataWrapped:
		return useDropped
	case kind != dataInlineTree:
		return useKept
	case tree:
		return useTree
	}
	return useDropped
}

// packTables moves the PC tables that are still in use to the front of theirs, and clears
// the rest.
func (t *tables) packTables(all []record) error {
	packed := []byte{0} // no table is at offset 0
	moved := map[uint32]uint32{0: 0}
	for _, r := range all {
		for _, at := range append(r.tableOffsets(), fieldDepth) {
			old := get(r, at)
			if _, ok := moved[old]; !ok {
				table, err := t.table(old)
				if err != nil {
					return err
				}
				moved[old] = uint32(len(packed))
				packed = append(packed, table...)
			}
			put(r, at, moved[old])
		}
	}
	clear(t.pcs[copy(t.pcs, packed):])
	return nil
}

// table returns the bytes of the PC table at an offset: pairs of varints, the change of the
// value and that of the PC, ended by a change of zero, which the first value may have.
func (t *tables) table(offset uint32) ([]byte, error) {
	wrong := fmt.Errorf("%w (PC table at %d)", errTables, offset)
	if uint64(offset) >= uint64(len(t.pcs)) {
		return nil, wrong
	}
	table := t.pcs[offset:]
	for at, first := 0, true; ; first = false {
		change, n := binary.Uvarint(table[at:])
		if n <= 0 {
			return nil, wrong
		}
		at += n
		if change == 0 && !first {
			return table[:at], nil
		}
		if _, n = binary.Uvarint(table[at:]); n <= 0 {
			return nil, wrong
		}
		at += n
	}
}

// packNames replaces the names of functions: those that the runtime reads stay, all others
// share a placeholder.
func (t *tables) packNames(all []record, inlined [][]byte) error {
	packed := []byte{0} // the runtime takes offset 0 for no name
	moved := map[string]uint32{}
	rename := func(b []byte, field int, wrapper bool) error {
		name, err := t.name(get(b, field))
		if err != nil {
			return err
		}
		short := shortName(name, wrapper)
		if _, ok := moved[short]; !ok {
			moved[short] = uint32(len(packed))
			packed = append(append(packed, short...), 0)
		}
		put(b, field, moved[short])
		return nil
	}
	for _, r := range all {
		if err := rename(r, fieldName, r[fieldFuncID] == funcWrapper); err != nil {
			return err
		}
	}
	for _, call := range inlined {
		if err := rename(call, inlineName, false); err != nil {
			return err
		}
	}
	if len(packed) > len(t.names) {
		return fmt.Errorf("%w (names)", errTables)
	}
	clear(t.names[copy(t.names, packed):])
	return nil
}

// name returns the function name at an offset, where one must begin.
func (t *tables) name(offset uint32) (string, error) {
	at := uint64(offset)
	if at < uint64(len(t.names)) && (at == 0 || t.names[at-1] == 0) {
		if n := bytes.IndexByte(t.names[at:], 0); n >= 0 {
			return string(t.names[at : at+uint64(n)]), nil
		}
	}
	return "", fmt.Errorf("%w (name at %d)", errTables, offset)
}

// shortName returns what stays of a function's name. The runtime reads three of its parts:
// goroutines that begin in "runtime." are its own, two functions of reflect have stack maps
// made at run time, and a wrapper whose receiver is nil panics with its own name. The
// placeholder has a dot, because traces leave out functions without one.
func shortName(name string, wrapper bool) string {
	switch {
	case name == "reflect.makeFuncStub", name == "reflect.methodValueCall":
		return name
	case wrapper && strings.Contains(name, ".(*"):
		return name
	case strings.HasPrefix(name, "runtime."):
		return "runtime.stripped"
	}
	return "stripped.function"
}
