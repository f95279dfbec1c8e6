package record

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/track"
)

// ErrNot is what is no recording, or one of another version.
var ErrNot = errors.New("record: not a recording of this version")

// DamageError says where a file stops making sense. All before it was read.
type DamageError struct {
	Offset int64 // of the chunk in the file, in bytes
	Chunk  int   // its number, from 0
	What   string
	Err    error
}

// Error says where and what.
func (e *DamageError) Error() string {
	return "record: damaged at byte " + strconv.FormatInt(e.Offset, 10) + ", chunk " + strconv.Itoa(e.Chunk) +
		" (" + e.What + "): " + e.Err.Error()
}

// Unwrap gives what is wrong there.
func (e *DamageError) Unwrap() error { return e.Err }

// File is a recording that is read. One goroutine at a time may use it.
type File struct {
	from   io.ReaderAt
	size   int64
	closer io.Closer // nil: not ours
	head   Head
	world  *collide.World
	packed []byte // the world's
	chunks []chunk
	damage *DamageError
	closed bool
	unpack unpacker
	header [chunkHeader]byte
	block  []byte // scratch: a payload
}

// Open reads a file's head and finds its chunks. A file that was not closed well is
// searched for them; Damage says where that ended.
func Open(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	info, err := f.Stat()
	if err == nil {
		var r *File
		if r, err = Read(f, info.Size()); err == nil {
			r.closer = f
			return r, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
}

// Read is Open for what is in memory, or elsewhere.
func Read(from io.ReaderAt, size int64) (*File, error) {
	f := &File{from: from, size: size, unpack: newUnpacker()}
	var begin [len(magic)]byte
	if _, err := from.ReadAt(begin[:], 0); err != nil || string(begin[:]) != magic {
		return nil, ErrNot
	}
	if !f.readIndex() {
		f.scan()
	}
	if err := f.readHead(); err != nil {
		return nil, err
	}
	return f, nil
}

// Close lets go of the file.
func (f *File) Close() error {
	f.unpack.Close()
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Head is what the file says of its match.
func (f *File) Head() *Head { return &f.head }

// World is the level.
func (f *File) World() *collide.World { return f.world }

// PackedWorld is the level as collide.World.AppendBinary packs it.
func (f *File) PackedWorld() []byte { return f.packed }

// Closed reports whether the file was closed well. One that was not ends where its
// program did, up to a second of match time earlier.
func (f *File) Closed() bool { return f.closed }

// Damage is where reading ends before the end of the file; nil: nowhere, as far as is
// known. Of a file that was closed well what is in a chunk is looked at when it is
// read: then Inputs and Ticks say it.
func (f *File) Damage() *DamageError { return f.damage }

// Last is the number of the last tick.
func (f *File) Last() uint32 {
	last := uint32(0)
	for i := range f.chunks {
		last = max(last, f.chunks[i].last)
	}
	return last
}

// TickAt is the number of the last tick that is due at a match time.
func (f *File) TickAt(at clock.Micros) uint32 {
	n := int64(at) * int64(f.head.TickRate) / int64(clock.Second)
	if clock.TickTime(n+1, f.head.TickRate) <= at {
		n++
	}
	return uint32(n)
}

// Duration is the match time of the last tick.
func (f *File) Duration() clock.Micros { return clock.TickTime(int64(f.Last()), f.head.TickRate) }

// readIndex finds the chunks by the index, if there is a good one.
func (f *File) readIndex() bool {
	var end [trailerSize]byte
	if f.size < chunkHeader+trailerSize {
		return false
	}
	if _, err := f.from.ReadAt(end[:], f.size-trailerSize); err != nil || string(end[8:]) != trailer {
		return false
	}
	at := binary.LittleEndian.Uint64(end[:])
	if at > uint64(f.size-trailerSize-chunkHeader) {
		return false
	}
	c := chunk{offset: int64(at)}
	b, err := f.load(&c, nil)
	if err != nil || c.kind != indexChunk {
		return false
	}
	chunks, err := readIndex(b, c.offset)
	if err != nil {
		return false
	}
	f.chunks, f.closed = chunks, true
	return true
}

// scan finds the chunks from the beginning, as far as they are whole.
func (f *File) scan() {
	at := int64(len(magic))
	for at < f.size {
		c := chunk{offset: at}
		if _, err := f.payload(&c); err != nil {
			f.damaged(len(f.chunks), &c, err)
			return
		}
		if c.kind == indexChunk {
			return // the end of one that was closed, but for a damaged trailer
		}
		f.chunks = append(f.chunks, c)
		at += chunkHeader + int64(c.length)
	}
}

// damaged notes where the file stops making sense.
func (f *File) damaged(number int, c *chunk, err error) *DamageError {
	f.damage = &DamageError{Offset: c.offset, Chunk: number, What: c.kind.String(), Err: err}
	return f.damage
}

// payload reads a chunk's header and payload, which is good until the next.
func (f *File) payload(c *chunk) ([]byte, error) {
	if f.size-c.offset < chunkHeader {
		return nil, errTorn
	}
	if _, err := f.from.ReadAt(f.header[:], c.offset); err != nil {
		return nil, err
	}
	if err := c.parse(f.header[:]); err != nil {
		return nil, err
	}
	if f.size-c.offset-chunkHeader < int64(c.length) {
		return nil, errTorn
	}
	if cap(f.block) < int(c.length) {
		f.block = make([]byte, c.length)
	}
	b := f.block[:c.length]
	if _, err := f.from.ReadAt(b, c.offset+chunkHeader); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !c.whole(f.header[:], b) {
		return nil, errSum
	}
	return b, nil
}

// load reads what a chunk holds, into into's storage.
func (f *File) load(c *chunk, into []byte) ([]byte, error) {
	b, err := f.payload(c)
	if err != nil {
		return into, err
	}
	return f.unpack.unpack(c, b, into)
}

// readHead reads the two chunks that every file begins with.
func (f *File) readHead() error {
	if len(f.chunks) < 2 || f.chunks[0].kind != headChunk || f.chunks[1].kind != worldChunk {
		if f.damage != nil {
			return f.damage
		}
		return f.damaged(len(f.chunks), &chunk{offset: f.size}, errHead)
	}
	b, err := f.load(&f.chunks[0], nil)
	if err == nil {
		if err = json.Unmarshal(b, &f.head); err == nil {
			err = f.head.check()
		}
	}
	if err != nil {
		return f.damaged(0, &f.chunks[0], err)
	}
	if f.packed, err = f.load(&f.chunks[1], nil); err == nil {
		f.world, err = collide.Unpack(f.packed)
	}
	if err != nil {
		return f.damaged(1, &f.chunks[1], err)
	}
	return nil
}

// each calls do with what the chunks of a kind hold that end at a tick or later, until
// it says false or fails, or the file does.
func (f *File) each(k kind, from uint32, do func(c *chunk, s *source) bool) error {
	var buffer []byte
	for i := range f.chunks {
		c := f.chunks[i]
		if c.kind != k || c.last < from {
			continue
		}
		b, err := f.load(&c, buffer)
		if err == nil && c.kind != k {
			err = errHeader
		}
		if err != nil {
			return f.damaged(i, &c, err)
		}
		buffer = b
		s := source{b: b}
		going := do(&c, &s)
		if s.err != nil {
			return f.damaged(i, &c, s.err)
		}
		if !going {
			return nil
		}
	}
	return nil
}

// Inputs is all that the match was told, in order. An error, of which there is at most
// one, comes last: a *DamageError.
func (f *File) Inputs() iter.Seq2[*Input, error] {
	return func(yield func(*Input, error) bool) {
		going, last := true, int64(0)
		err := f.each(inputChunk, 0, func(_ *chunk, s *source) bool {
			var in Input
			now := clock.Micros(0)
			for s.more() && going {
				if in.read(s, &now); in.Kind == Ticked && s.err == nil {
					last = in.after(s, last, f.head.TickRate)
				}
				going = s.err != nil || yield(&in, nil)
			}
			return going
		})
		if going && err != nil {
			yield(nil, err)
		}
	}
}

// Ticks is what came of every tick whose number is from or higher, in order; those that
// were lost are not there. An error, of which there is at most one, comes last: a
// *DamageError.
func (f *File) Ticks(from uint32) iter.Seq2[*Tick, error] {
	return func(yield func(*Tick, error) bool) {
		var r ticks
		going := true
		err := f.each(outputChunk, from, func(c *chunk, s *source) bool {
			r.begin(c)
			for s.more() && going {
				if r.next(s, f.head.TickRate); s.err == nil && r.tick.Snapshot.Tick >= from {
					going = yield(&r.tick, nil)
				}
			}
			return going
		})
		if going && err != nil {
			yield(nil, err)
		}
	}
}

// ticks reads the ticks out of chunks.
type ticks struct {
	picture picture
	frame   track.Snapshot
	tick    Tick
	last    uint32
	left    int // frames that the chunk may still have
	until   uint32
}

func (r *ticks) begin(c *chunk) {
	r.picture.clear()
	r.last, r.until, r.left = 0, c.last, maxFrames
}

// next reads one tick: its frame and what follows up to the next one's.
func (r *ticks) next(s *source, rate int) {
	t := &r.tick
	t.Snapshot, t.Shots, t.Players, t.Messages, t.Lost = &r.frame, t.Shots[:0], t.Players[:0], t.Messages[:0], 0
	op := s.byte()
	if op == outLost {
		t.Lost = int(s.uvarint(1<<32 - 1))
		op = s.byte()
	}
	if r.left--; op != outFrame || r.left < 0 {
		s.fail(errOp)
		return
	}
	r.last += uint32(s.uvarint(uint64(r.until - r.last)))
	r.frame.Tick, r.frame.At = r.last, clock.TickTime(int64(r.last), rate)
	if r.picture.read(s); s.err != nil {
		return
	}
	r.picture.show(&r.frame)
	for s.more() && s.b[0] != outFrame {
		r.detail(s)
	}
}

// detail reads one record that belongs to a tick.
func (r *ticks) detail(s *source) {
	switch s.byte() {
	case outShot:
		var h Shot
		h.read(s)
		r.tick.Shots = append(r.tick.Shots, h)
	case outPlayer:
		var p Player
		p.read(s)
		r.tick.Players = append(r.tick.Players, p)
	case outSaid:
		var m Message
		m.read(s)
		r.tick.Messages = append(r.tick.Messages, m)
	default:
		s.fail(errOp)
	}
}
