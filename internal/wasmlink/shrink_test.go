package wasmlink

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
)

// The step changes none of the functions that are of use, and nothing in memory but the
// function tables, and every table that the runtime needs says the same of each of them.
func TestTheRuntimeReadsTheSame(t *testing.T) {
	before, c := opened(t, build(t, "./testdata/trial"))
	after, d := opened(t, shrunk(t, build(t, "./testdata/trial")))
	if len(c.bodies) != len(d.bodies) || before.count != after.count {
		t.Fatalf("%d functions and %d bodies before, %d and %d after", before.count, len(c.bodies), after.count, len(d.bodies))
	}
	for i, body := range c.bodies {
		if !bytes.Equal(body, d.bodies[i]) && !emptied(d.bodies[i]) {
			t.Fatalf("body %d has changed", i)
		}
	}
	for i := range before.count {
		a, errA := before.record(i)
		b, errB := after.record(i)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if !emptied(d.bodies[b.body()]) {
			compareRecords(t, i, before, after, a, b)
		}
	}
}

// emptied reports whether a body is one that the step puts in the place of others.
func emptied(body []byte) bool { return bytes.Equal(body, returns) || bytes.Equal(body, traps) }

// compareRecords compares what the runtime needs of one function.
func compareRecords(t *testing.T, i int, before, after *tables, a, b record) {
	t.Helper()
	for _, part := range [][2]int{{fieldEntry, 4}, {8, 8}, {fieldTableCount, 4}, {fieldFuncID, 4}} {
		if !bytes.Equal(a[part[0]:part[0]+part[1]], b[part[0]:part[0]+part[1]]) {
			t.Errorf("function %d: field at %d is %x, want %x", i, part[0], b[part[0]:][:part[1]], a[part[0]:][:part[1]])
		}
	}
	same := func(kind string, at int) {
		x, errX := before.table(get(a, at))
		y, errY := after.table(get(b, at))
		none := get(a, at) == 0 && get(b, at) == 0
		if !none && (errX != nil || errY != nil || !bytes.Equal(x, y)) {
			t.Errorf("function %d: %s is %x (%v), want %x (%v)", i, kind, y, errY, x, errX)
		}
	}
	same("stack depth", fieldDepth)
	for kind, at := range a.tableOffsets() {
		if kind == 1 || kind == 4 { // stack maps, bounds that panics report
			same("PC table", at)
		}
	}
	for kind, at := range a.dataOffsets() {
		if get(a, at) == noData || kind == dataInlineTree || kind >= dataArgInfo {
			continue
		}
		x := before.part(get(a, at))
		if get(a, at) != get(b, at) || !bytes.Equal(x, after.data[get(a, at):][:len(x)]) {
			t.Errorf("function %d: data of kind %d have changed", i, kind)
		}
	}
}

// part returns the data at an offset, up to the next that a record names.
func (t *tables) part(offset uint32) []byte {
	end := uint32(len(t.data))
	for i := range t.count {
		r, err := t.record(i)
		if err != nil {
			panic(err)
		}
		for _, at := range r.dataOffsets() {
			if next := get(r, at); next > offset {
				end = min(end, next)
			}
		}
	}
	return t.data[offset:end]
}

// opened reads the tables and the code of a file.
func opened(t *testing.T, file string) (*tables, code) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sections, err := parseModule(b)
	if err != nil {
		t.Fatal(err)
	}
	c, err := readCode(sections)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		if s.id == dataSection {
			m, err := readImage(s.body)
			if err != nil {
				t.Fatal(err)
			}
			found, err := findTables(m, layouts[release(runtime.Version())])
			if err != nil {
				t.Fatal(err)
			}
			return found, c
		}
	}
	t.Fatal("no data")
	return nil, c
}

// What the step does not understand it refuses in a sentence, and it never panics.
func TestWhatIsRefused(t *testing.T) {
	whole, err := os.ReadFile(build(t, "./testdata/trial"))
	if err != nil {
		t.Fatal(err)
	}
	once, err := Shrink(whole)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		module []byte
		says   string
	}{
		"a text":               {[]byte("hello"), "not a WebAssembly module"},
		"nothing":              {nil, "not a WebAssembly module"},
		"half a module":        {whole[:len(whole)/2], "ends early"},
		"a module of its own":  {once, "does not name Go"},
		"an empty module":      {header, "does not name Go"},
		"another release":      {renamed(whole, "go1.99"), "none of go1.26, go1.27"},
		"another magic number": {bytes.ReplaceAll(whole, pcHeader, []byte{0xf2, 0xff, 0xff, 0xff, 0, 0, 1, 8}), "function tables"},
		"a broken index":       {broken(whole, 1), "function tables"},
	} {
		got, err := Shrink(c.module)
		if err == nil || got != nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %d bytes and error %v, want one that says %q", what, len(got), err, c.says)
		}
	}
}

// renamed returns a copy that says it comes from another release of Go.
func renamed(module []byte, as string) []byte {
	return bytes.ReplaceAll(module, []byte(release(runtime.Version())), []byte(as))
}

// broken returns a copy whose pclntab header counts more functions by that number.
func broken(module []byte, more uint64) []byte {
	b := bytes.Clone(module)
	// The linker leaves out long runs of zeros; magic and count stand together.
	at := bytes.Index(b, pcHeader)
	binary.LittleEndian.PutUint32(b[at+8:], binary.LittleEndian.Uint32(b[at+8:])+uint32(more))
	return b
}

// Damage anywhere in the tables gives an error or a module, and never a panic.
func TestDamageIsNoPanic(t *testing.T) {
	module, err := os.ReadFile(build(t, "./testdata/trial"))
	if err != nil {
		t.Fatal(err)
	}
	const seed = 15
	dice := rand.New(rand.NewPCG(seed, 0))
	tables := bytes.Index(module, pcHeader)
	for i := range 20 {
		b := bytes.Clone(module)
		for range 50 {
			b[tables+dice.IntN(len(b)-tables)] = byte(dice.Uint32())
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("seed %d, damage %d: panic %v", seed, i, r)
				}
			}()
			_, _ = Shrink(b)
		}()
	}
}
