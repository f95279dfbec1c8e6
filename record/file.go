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

// ErrFormat reports a file that is no recording, or one of another version.
var ErrFormat = errors.New("record: not a recording of this version")

// DamageError reports the first damaged chunk of a file. The chunks before it are read.
type DamageError struct {
	Offset int64  // of the chunk in the file, in bytes
	Chunk  int    // its number, from 0
	What   string // the chunk's kind, for example inputs
	Err    error  // what is wrong with it
}

// Error returns the place and the damage.
func (e *DamageError) Error() string {
	return "record: damaged at byte " + strconv.FormatInt(e.Offset, 10) + ", chunk " + strconv.Itoa(e.Chunk) +
		" (" + e.What + "): " + e.Err.Error()
}

// Unwrap returns the damage.
func (e *DamageError) Unwrap() error { return e.Err }

// File reads a recording. One goroutine at a time may use it.
type File struct {
	from   io.ReaderAt
	size   int64
	closer io.Closer // nil: the caller's
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

// Open reads the head of a file and finds its chunks. In a file that was not closed it searches for
// them; Damage returns where the search ended.
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

// Read is Open for a recording that is not a file on disk.
func Read(from io.ReaderAt, size int64) (*File, error) {
	f := &File{from: from, size: size, unpack: newUnpacker()}
	var begin [len(magic)]byte
	if _, err := from.ReadAt(begin[:], 0); err != nil || string(begin[:]) != magic {
		return nil, ErrFormat
	}
	if !f.readIndex() {
		f.scan()
	}
	if err := f.readHead(); err != nil {
		return nil, err
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error {
	f.unpack.Close()
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Head returns the head of the file.
func (f *File) Head() *Head { return &f.head }

// World returns the level.
func (f *File) World() *collide.World { return f.world }

// PackedWorld returns the level as packed by collide.World.AppendBinary.
func (f *File) PackedWorld() []byte { return f.packed }

// Closed reports whether the file was closed. Otherwise it ends up to a second of match time before
// its program did.
func (f *File) Closed() bool { return f.closed }

// Damage returns the damage at which reading ends before the end of the file, nil for none so far.
// The chunks of a file that was closed are checked when they are read: Inputs and Ticks then
// return the damage.
func (f *File) Damage() *DamageError { return f.damage }

// LastTick returns the number of the last tick.
func (f *File) LastTick() uint32 {
	last := uint32(0)
	for i := range f.chunks {
		last = max(last, f.chunks[i].last)
	}
	return last
}

// TickAt returns the number of the last tick that is due at a match time.
func (f *File) TickAt(at clock.Micros) uint32 {
	return uint32(clock.TickAt(at, f.head.TickRate))
}

// Duration returns the match time of the last tick.
func (f *File) Duration() clock.Micros { return clock.TickTime(int64(f.LastTick()), f.head.TickRate) }

// readIndex finds the chunks by the index, where that is valid. Any doubt about the index is no
// error: the file is scanned then, which finds as much as is whole.
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

// scan finds the chunks from the beginning, up to the first damaged one. It does not look for a
// later valid header: without the chunk in between, inputs cannot be replayed and outputs have no
// frame to be differences from.
func (f *File) scan() {
	at := int64(len(magic))
	for at < f.size {
		c := chunk{offset: at}
		if _, err := f.payload(&c); err != nil {
			f.damaged(len(f.chunks), &c, err)
			return
		}
		if c.kind == indexChunk {
			return // a closed file with a damaged trailer
		}
		f.chunks = append(f.chunks, c)
		at += chunkHeader + int64(c.length)
	}
}

// damaged notes the first damage.
func (f *File) damaged(number int, c *chunk, err error) *DamageError {
	f.damage = &DamageError{Offset: c.offset, Chunk: number, What: c.kind.String(), Err: err}
	return f.damage
}

// payload reads the header and the payload of a chunk; it is valid until the next call.
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

// load reads the content of a chunk into into's storage.
func (f *File) load(c *chunk, into []byte) ([]byte, error) {
	b, err := f.payload(c)
	if err != nil {
		return into, err
	}
	return f.unpack.unpack(c, b, into)
}

// readHead reads the first two chunks of a file.
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

// each calls do with the contents of the chunks of a kind that end at a tick or later, until do
// returns false or an error, or the file is damaged.
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

// Inputs yields the inputs of the match in order. An error, a *DamageError, comes last.
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

// Ticks yields the outputs of the ticks from a number on, in order, without those that were lost. The first
// one has all taken seats and all fields that ever changed. An error, a *DamageError, comes last.
func (f *File) Ticks(from uint32) iter.Seq2[*Tick, error] {
	return func(yield func(*Tick, error) bool) {
		var r ticks
		r.tick.World = f.world.WithTriggers(&r.triggers)
		going := true
		err := f.each(outputChunk, from, func(c *chunk, s *source) bool {
			r.begin(c)
			for s.more() && going {
				if r.next(s, f.head.TickRate); s.err == nil && r.tick.Snapshot.Tick >= from {
					going = yield(&r.tick, nil)
					// Not before: the first tick has those of the skipped ticks of its chunk too.
					r.tick.Players, r.tick.Fields = r.tick.Players[:0], r.tick.Fields[:0]
				}
			}
			return going
		})
		if going && err != nil {
			yield(nil, err)
		}
	}
}

// ticks reads ticks from chunks.
type ticks struct {
	state    frameState
	frame    track.Snapshot
	tick     Tick
	triggers collide.Triggers // of the chunk
	last     uint32
	left     int // frames that the chunk may still have
	until    uint32
}

func (r *ticks) begin(c *chunk) {
	r.state.clear()
	r.triggers = collide.Triggers{}
	r.last, r.until, r.left = 0, c.last, maxFrames
}

// next reads one tick: its frame and the records up to the next frame. Players and Fields are added.
func (r *ticks) next(s *source, rate int) {
	t := &r.tick
	t.Snapshot, t.Lost = &r.frame, 0
	t.Shots, t.Messages = t.Shots[:0], t.Messages[:0]
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
	if r.state.read(s); s.err != nil {
		return
	}
	r.state.show(&r.frame)
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
	case outField:
		var f Field
		f.read(s)
		r.tick.Fields = append(r.tick.Fields, f)
	case outSaid:
		var m Message
		m.read(s)
		r.tick.Messages = append(r.tick.Messages, m)
	case outTriggers:
		s.triggers(&r.triggers, r.frame.At)
	default:
		s.fail(errOp)
	}
}
