package wasmlink

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// tables are the parts of the runtime's pclntab, each a window of the image's bytes.
// The names in brackets are those of runtime.moduledata.
type tables struct {
	names []byte // [funcnametab] names of functions, each ended by a zero byte
	units []byte // [cutab] files of each compilation unit, as offsets into files
	files []byte // [filetab] names of files, each ended by a zero byte
	pcs   []byte // [pctab] tables that map a PC to a number: stack depth, line, stack map, …
	funcs []byte // [pclntable] an index of the functions, then their records
	data  []byte // [gofunc] stack maps and other data that records refer to
	count int    // of the functions

	from, to uint64 // addresses between which all of this lies
}

// A record is runtime._func: fixed fields, then PC tables, then data, 4 bytes each.
const (
	fieldEntry      = 0  // number of the function, counted from firstEntry
	fieldName       = 4  // offset in names
	fieldDepth      = 16 // offset of a PC table: the stack's depth
	fieldFile       = 20 // offset of a PC table: the file
	fieldLine       = 24 // offset of a PC table: the line
	fieldTableCount = 28 // how many PC tables follow
	fieldUnit       = 32 // offset in units
	fieldStartLine  = 36
	fieldFuncID     = 40 // one byte
	fieldDataCount  = 43 // one byte: how many data follow the PC tables
	recordSize      = 44
)

// firstEntry is the number of the module's first function that is not imported.
const firstEntry = 0x1000

// noData says in a record that a function lacks this kind of data.
const noData = ^uint32(0)

// pcHeader is how a pclntab begins: magic, padding, quantum of a PC, size of a pointer.
var pcHeader = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// headerSize and moduleSize are the parts of runtime.pcHeader and runtime.moduledata
// that findTables reads, in bytes.
const (
	headerSize = 9 * 8
	moduleSize = 45 * 8
)

// errTables says that the image is not laid out as this package knows it.
var errTables = errors.New("wasmlink: the module's function tables are not those of its release of Go: " +
	"use the module as it is, and report the version of Go")

// findTables finds the function tables. Exactly one place may look like them: header and
// moduledata agree on seven addresses. The layout is that of the release.
func findTables(m image, layout int) (*tables, error) {
	var found []*tables
	for from := 0; ; {
		i := bytes.Index(m.bytes[from:], pcHeader)
		if i < 0 {
			break
		}
		if t := m.tablesAt(m.base+uint32(from+i), layout); t != nil {
			found = append(found, t)
		}
		from += i + 1
	}
	if len(found) != 1 {
		return nil, errTables
	}
	return found[0], found[0].check()
}

// tablesAt returns the tables with the header at an address, nil if nothing refers to it
// as a moduledata does.
func (m image) tablesAt(at uint32, layout int) *tables {
	h := m.window(uint64(at), headerSize)
	if h == nil || at%8 != 0 {
		return nil
	}
	pointer := binary.LittleEndian.AppendUint64(nil, uint64(at))
	for from := 0; ; {
		i := bytes.Index(m.bytes[from:], pointer)
		if i < 0 {
			return nil
		}
		if t := m.tablesOf(h, m.window(uint64(m.base)+uint64(from+i), moduleSize), uint64(at), layout); t != nil {
			return t
		}
		from += i + 1
	}
}

// tablesOf returns the tables of the header h at an address and the moduledata d, nil if
// they contradict each other.
func (m image) tablesOf(h, d []byte, at uint64, layout int) *tables {
	if d == nil {
		return nil
	}
	word := func(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	t := &tables{count: int(min(word(h, 1), 1<<24))}
	end := at + headerSize
	for i, part := range []*[]byte{&t.names, &t.units, &t.files, &t.pcs, &t.funcs} {
		from, length := word(d, 1+3*i), word(d, 2+3*i)
		if i == 1 {
			length *= 4 // cutab counts entries
		}
		if from != at+word(h, 4+i) || from < end || length > maxImage {
			return nil
		}
		*part, end = m.window(from, length), from
	}
	from, to := word(d, layout), word(d, layout+1)
	if from < end || to < from || int(word(d, 17)) != t.count+1 {
		return nil
	}
	// The slice of the records reaches to the end of the pclntab and so covers the data.
	t.from, t.to = at, to
	t.funcs, t.data = m.window(end, from-end), m.window(from, to-from)
	return t
}

// window returns n bytes of the image at an address, nil if it does not have them.
func (m image) window(at, n uint64) []byte {
	from := at - uint64(m.base)
	if at < uint64(m.base) || from > uint64(len(m.bytes)) || n > uint64(len(m.bytes))-from {
		return nil
	}
	return m.bytes[from : from+n : from+n]
}

// check walks all records once: the index is in order, and every offset lies within its
// table.
func (t *tables) check() error {
	if t.count == 0 || len(t.funcs) < 8*t.count+4 {
		return errTables
	}
	for i := range t.count {
		r, err := t.record(i)
		if err != nil {
			return err
		}
		if r.body() < 0 || get(t.funcs, 8*i) != get(r, fieldEntry) || get(t.funcs, 8*i) >= get(t.funcs, 8*i+8) {
			return fmt.Errorf("%w (function %d is out of order)", errTables, i)
		}
		for _, offset := range r.dataOffsets() {
			if offset := get(r, offset); offset != noData && uint64(offset) >= uint64(len(t.data)) {
				return fmt.Errorf("%w (data of function %d)", errTables, i)
			}
		}
	}
	return nil
}

// records returns all records, in the order of the index.
func (t *tables) records() ([]record, error) {
	all := make([]record, t.count)
	for i := range all {
		var err error
		if all[i], err = t.record(i); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// record is runtime._func with what follows it, a window of the image.
type record []byte

// record returns the record of function i, counted in the order of the index.
func (t *tables) record(i int) (record, error) {
	at := uint64(get(t.funcs, 8*i+4))
	if at+recordSize > uint64(len(t.funcs)) {
		return nil, fmt.Errorf("%w (record of function %d)", errTables, i)
	}
	r := record(t.funcs[at:])
	size := recordSize + 4*uint64(get(r, fieldTableCount)) + 4*uint64(r[fieldDataCount])
	if size > uint64(len(r)) {
		return nil, fmt.Errorf("%w (record of function %d)", errTables, i)
	}
	return r[:size], nil
}

// body returns which of the module's function bodies is that of the record.
func (r record) body() int { return int(get(r, fieldEntry)) - firstEntry }

// tableOffsets returns where in the record its PC tables are named, by kind.
func (r record) tableOffsets() []int { return offsets(recordSize, int(get(r, fieldTableCount))) }

// dataOffsets returns where in the record its data are named, by kind.
func (r record) dataOffsets() []int {
	return offsets(recordSize+4*int(get(r, fieldTableCount)), int(r[fieldDataCount]))
}

// offsets returns n multiples of 4 from a first number on.
func offsets(first, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = first + 4*i
	}
	return all
}

func get(b []byte, at int) uint32    { return binary.LittleEndian.Uint32(b[at:]) }
func put(b []byte, at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
