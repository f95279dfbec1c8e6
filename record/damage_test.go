package record_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
)

// sink is a file in memory.
type sink struct{ bytes.Buffer }

func (*sink) Close() error { return nil }

func read(t *testing.T, b []byte) *record.File {
	t.Helper()
	f, err := record.Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// With one flipped bit in a recorded packet that the match still accepts, the next hash differs.
func TestAChangedInputIsCaughtByTheHash(t *testing.T) {
	if testing.Short() {
		t.Skip("long matches in one goroutine")
	}
	name, _, rec := recorded(t, 2, 0, 5*clock.Second)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	f := open(t, name)
	datagram, long := 0, 0 // the first of a bot's after 3 s
	n := 0
	for in, err := range f.Inputs() {
		if err != nil {
			t.Fatal(err)
		}
		if in.Kind == record.Received && in.Channel == session.Datagram && in.At > 3*clock.Second && datagram == 0 {
			datagram, long = n, len(in.Bytes)
		}
		n++
	}
	caught := 0
	for bit := 8 * long / 2; bit < 8*long; bit += 9 {
		var to sink
		if err := record.Forge(&to, f, func(n int, in *record.Input) {
			if n == datagram {
				in.Bytes[bit/8] ^= 1 << (bit % 8)
			}
		}); err != nil {
			t.Fatal(err)
		}
		v, err := replay.Verify(read(t, to.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if v.Differed {
			caught++
			if v.Differs < 3*clock.Second || v.Hashes < 3 {
				t.Errorf("bit %d: %v; the change came after 3 s", bit, v)
			}
		}
	}
	if caught == 0 {
		t.Errorf("no flipped bit of input %d changed the match", datagram)
	}
	t.Logf("input %d of %d bytes: %d flips caught", datagram, long, caught)
	var to sink
	if err := record.Forge(&to, f, func(int, *record.Input) {}); err != nil {
		t.Fatal(err)
	}
	if v, err := replay.Verify(read(t, to.Bytes())); err != nil || v.Differed {
		t.Errorf("nothing flipped: %v, %v", v, err)
	}
}

// walk reads everything and returns how many inputs and ticks there were, and the
// error that each ended with.
func walk(f *record.File) (inputs, ticks int, err error) {
	for _, e := range f.Inputs() {
		if e != nil {
			err = e
			break
		}
		inputs++
	}
	for _, e := range f.Ticks(0) {
		if e != nil {
			return inputs, ticks, errors.Join(err, e)
		}
		ticks++
	}
	return inputs, ticks, err
}

// THR-09: a file that is truncated anywhere is read up to its last complete chunk, and the error has the
// offset of the incomplete one.
func TestATornFileIsReadToItsLastWholeChunk(t *testing.T) {
	name, _, rec := recorded(t, 2, 0, 5*clock.Second)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	whole := bytesOf(t, name)
	f := open(t, name)
	chunks := f.Chunks()
	all, _, _ := walk(f)
	before := 0
	var ends []int64
	for end := chunks[2]; end < int64(len(whole)-1); end += 3989 {
		ends = append(ends, end)
	}
	for _, end := range append(ends, int64(len(whole)-1)) {
		f := read(t, whole[:end])
		inputs, _, err := walk(f)
		if err != nil || f.Closed() || inputs < before || inputs > all {
			t.Fatalf("cut at %d: %d inputs after %d, closed %v, %v", end, inputs, before, f.Closed(), err)
		}
		before = inputs
		if d := f.Damage(); d != nil && (d.Offset > end || end-d.Offset > 1<<20) {
			t.Errorf("cut at %d: %v", end, d)
		} else if d == nil && !contains(chunks, end) && end < int64(len(whole)-1) { // whose index is whole
			t.Errorf("cut at %d, within a chunk: no damage", end)
		}
		if v, err := replay.Verify(f); end%3 == 0 && (err != nil || v.Differed) {
			t.Errorf("cut at %d: %v, %v", end, v, err)
		}
	}
	if before != all {
		t.Errorf("without its last byte the file has %d inputs of %d", before, all)
	}
}

func contains(list []int64, x int64) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// With a changed byte anywhere in the file, the chunks before its chunk are read, then follows an
// error with the chunk's offset.
func TestADamagedFileIsReadUpToTheDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("long matches in one goroutine")
	}
	name, _, rec := recorded(t, 2, 0, 4*clock.Second)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	whole := bytesOf(t, name)
	chunks := open(t, name).Chunks()
	for _, cut := range []bool{false, true} { // with the index, and without
		b := bytes.Clone(whole)
		if cut {
			b = b[:len(b)-1]
		}
		for i := 2; i < len(chunks); i++ {
			at := chunks[i] + int64(i*7)%60
			b[at] ^= 0x40
			f := read(t, b)
			_, _, err := walk(f)
			d := f.Damage()
			var typed *record.DamageError
			if d == nil || d.Offset != chunks[i] || d.Chunk != i || !cut && !errors.As(err, &typed) {
				t.Errorf("byte %d of chunk %d at %d, index gone %v: got %v, %v", at-chunks[i], i, chunks[i], cut, d, err)
			}
			b[at] ^= 0x40
		}
	}
	for at := range chunks[2] {
		if at%13 != 0 && at > 40 {
			continue
		}
		b := bytes.Clone(whole)
		b[at] ^= 0x10
		if _, err := record.Read(bytes.NewReader(b), int64(len(b))); err == nil {
			t.Errorf("byte %d, in what every file begins with: no error", at)
		}
	}
}

// tiny is a world of one box, packed.
func tiny() []byte { return collide.Floor(9).AppendBinary(nil) }

const tinyHead = `{"game":"arena","tick_rate":60}`

// THR-17: a chunk that claims an unpacked size above the limit is refused unread, and one that unpacks
// to more than it claims is refused at that size.
func TestSizeBombsAreRefused(t *testing.T) {
	bomb := record.Packed(make([]byte, 256<<20)) // a few kB
	for name, raw := range map[string]uint32{"honest": 256 << 20, "modest": 1000, "largest": 8 << 20} {
		b := record.Chunk(record.Begun([]byte(tinyHead), tiny()), 3, raw, 1, 60, bomb)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f := read(t, b)
		inputs, _, err := walk(f)
		runtime.ReadMemStats(&after)
		grown := after.TotalAlloc - before.TotalAlloc
		if f.Damage() == nil || inputs != 0 || grown > 40<<20 {
			t.Errorf("%s bomb of %d bytes: %d inputs, %v, %v, %d bytes of memory", name, len(bomb), inputs, f.Damage(), err, grown)
		}
		t.Logf("%s bomb of %d bytes: %v, %d kB of memory", name, len(bomb), f.Damage(), grown>>10)
	}
}

// An invalid record in a valid chunk ends the reading there.
func TestForgedRecordsAreRefused(t *testing.T) {
	u := binary.AppendUvarint
	for name, c := range map[string]struct {
		kind uint8
		raw  []byte
	}{
		"an unknown input":               {3, []byte{99}},
		"peer 0":                         {3, []byte{1, 0, 0, 0, 0}},
		"a third channel":                {3, []byte{1, 1, 2, 0, 0}},
		"a packet longer than a chunk":   {3, u([]byte{1, 1, 0, 0}, 1<<40)},
		"a tick before time began":       {3, []byte{3, 1}},
		"the same tick twice":            {3, append(u([]byte{3}, 2*16667), 3, 0)},
		"half a key":                     {3, []byte{4, 1, 2, 3}},
		"an unknown output":              {4, []byte{77}},
		"a shot before any frame":        {4, []byte{2, 0}},
		"a tick beyond the chunk's":      {4, []byte{1, 61, 0}},
		"an entity beyond the last id":   {4, u([]byte{1, 1}, 1024)},
		"an entity gone that never came": {4, []byte{1, 1, 5, 1, 0}},
		"an entity of no group":          {4, []byte{1, 1, 5, 0, 0}},
		"a life beyond 255":              {4, append(u([]byte{1, 1, 5, 64}, 600), 0, 0)},
		"a frame without end":            {4, []byte{1, 1, 5, 2, 0}},
		"a message to a million":         {4, u([]byte{1, 1, 0, 4}, 1<<20)},
		"a player without a number":      {4, []byte{1, 1, 0, 3, 0, 0, 0}},
		"a distance that is not finite":  {4, append([]byte{1, 1, 0, 2, 1, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}, 0, 0, 0x80, 0x7f)},
	} {
		b := record.Chunk(record.Begun([]byte(tinyHead), tiny()), c.kind, uint32(len(c.raw)), 1, 60, record.Packed(c.raw))
		f := read(t, b)
		_, _, err := walk(f)
		var d *record.DamageError
		if !errors.As(err, &d) || d.Chunk != 2 {
			t.Errorf("%s: got %v, want damage of chunk 2", name, err)
		}
	}
}

// A file that is no recording is refused with ErrFormat.
func TestOtherFilesAreRefused(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing":                nil,
		"a PNG image":            []byte("\x89PNG\r\n\x1a\n0000000000"),
		"the next version":       []byte("BSTPREC\x04 and more"),
		"the version before":     []byte("BSTPREC\x02 and more"),
		"a name alone":           []byte("BSTPREC\x03"),
		"no world":               record.Chunk([]byte("BSTPREC\x03"), 1, 2, 0, 0, record.Packed([]byte("{}"))),
		"a head without a rate":  record.Begun([]byte("{}"), tiny()),
		"a head that is no JSON": record.Begun([]byte("{"), tiny()),
		"a broken world":         record.Begun([]byte(tinyHead), []byte("world")),
	} {
		if _, err := record.Read(bytes.NewReader(b), int64(len(b))); err == nil || !strings.HasPrefix(err.Error(), "record: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := record.Open("testdata/none.bsrec"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

var _ io.WriteCloser = (*sink)(nil)
