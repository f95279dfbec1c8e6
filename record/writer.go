package record

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// What waits for the disk at most: chunks, and bytes of inputs beyond those. Outputs
// that find no room are lost and counted; inputs that find none end the recording,
// since with a hole in them they are worth nothing.
const (
	maxQueue   = 8
	maxBacklog = 64 << 20
	// fullAt is where a chunk is cut before its second is over.
	fullAt = 1 << 20
)

// ErrBehind ends a recording whose disk did not follow for so long that inputs would
// have been lost.
var ErrBehind = errors.New("record: the disk does not follow: recording has ended")

// job is a chunk on its way to the disk.
type job struct {
	kind        kind
	first, last uint32
	raw         []byte
}

// builder gathers a chunk.
type builder struct {
	bytes       []byte
	first, last uint32
}

func (b *builder) note(tick uint32) {
	if b.first == 0 {
		b.first = tick
	}
	b.last = tick
}

// Writer writes one file. Its methods, and its Recorder's, belong to the match's
// goroutine; the disk has one of its own, so that no tick waits for it.
type Writer struct {
	head    Head
	in, out builder
	now     clock.Micros // the newest tick's time, as coded in the chunk of inputs
	tick    uint32       // the newest
	picture picture
	backlog []job // inputs that wait for room in the queue
	waits   int   // bytes of those
	lost    int   // ticks whose outputs were lost since the last chunk of them
	gone    int   // and ever
	closed  bool

	queue chan job
	free  chan []byte
	done  chan struct{}
	disk  disk

	mu  sync.Mutex
	err error
}

// Create begins a file that must not exist yet, readable by its owner alone: the inputs
// have in them the keys by which players come back.
func Create(name string, head Head, world []byte) (*Writer, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	w, err := New(f, head, world)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// New begins a recording in what is empty so far; Close closes it. The world is as
// collide.World.AppendBinary packs it.
func New(f io.WriteCloser, head Head, world []byte) (*Writer, error) {
	if err := head.check(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if len(world) > maxWorld {
		return nil, errSize
	}
	w := &Writer{
		head: head, queue: make(chan job, maxQueue), free: make(chan []byte, 2*maxQueue),
		done: make(chan struct{}), disk: disk{file: f, packer: newPacker()},
	}
	if err = w.disk.begin(b, world); err != nil {
		return nil, err
	}
	go w.write()
	return w, nil
}

// Key has what newKey draws recorded: it belongs into session.ServerConfig.NewKey.
func (w *Writer) Key(newKey func() session.Key) func() session.Key {
	return func() session.Key {
		k := newKey()
		w.input(&Input{Kind: Drew, Key: k})
		return k
	}
}

// Err is what has ended the recording, nil while it goes on. The match goes on all the
// same.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// input records one.
func (w *Writer) input(in *Input) {
	if w.closed {
		return
	}
	if len(w.in.bytes)+len(in.Bytes) >= fullAt {
		w.cutInputs()
	}
	w.in.bytes = in.append(w.in.bytes, &w.now)
	if w.in.first == 0 && w.tick > 0 {
		w.in.note(w.tick)
	}
}

// frame records the frame of a tick, with which its outputs begin.
func (w *Writer) frame(f *track.Snapshot) {
	before := w.out.last
	w.out.note(f.Tick)
	w.out.bytes = binary.AppendUvarint(append(w.out.bytes, outFrame), uint64(f.Tick-before))
	w.out.bytes = w.picture.append(w.out.bytes, f)
}

// cut hands what was gathered to the disk.
func (w *Writer) cut() {
	if w.Err() != nil {
		w.in, w.out = builder{bytes: w.in.bytes[:0]}, builder{bytes: w.out.bytes[:0]}
		return
	}
	w.cutInputs()
	w.cutOutputs()
}

func (w *Writer) cutInputs() {
	if len(w.in.bytes) > 0 {
		w.backlog = append(w.backlog, job{inputChunk, w.in.first, w.in.last, w.in.bytes})
		w.waits += len(w.in.bytes)
		w.in = builder{bytes: w.buffer()}
		w.now = 0 // each chunk begins anew
	}
	for len(w.backlog) > 0 {
		select {
		case w.queue <- w.backlog[0]:
			w.waits -= len(w.backlog[0].raw)
			w.backlog = w.backlog[1:]
			continue
		default:
		}
		break
	}
	if w.waits > maxBacklog {
		w.fail(ErrBehind)
		w.backlog, w.waits = nil, 0
	}
}

func (w *Writer) cutOutputs() {
	if len(w.out.bytes) == 0 {
		return
	}
	sent := false
	if len(w.backlog) == 0 && len(w.out.bytes) <= maxChunk {
		select {
		case w.queue <- job{outputChunk, w.out.first, w.out.last, w.out.bytes}:
			sent = true
		default:
		}
	}
	if sent {
		w.lost = 0
		w.out = builder{bytes: w.buffer()}
	} else {
		n := int(w.out.last-w.out.first) + 1
		w.lost, w.gone = w.lost+n, w.gone+n
		w.out = builder{bytes: w.out.bytes[:0]}
	}
	w.picture.clear()
}

// buffer is storage that the disk is done with, or none.
func (w *Writer) buffer() []byte {
	select {
	case b := <-w.free:
		return b[:0]
	default:
		return nil
	}
}

// Close writes what is left and the index, and closes the file. The error is what went
// wrong since the beginning.
func (w *Writer) Close() error {
	if w.closed {
		return w.Err()
	}
	w.closed = true
	if w.Err() == nil {
		w.cutInputs()
		for _, j := range w.backlog {
			w.queue <- j
		}
		w.backlog = nil
		if len(w.out.bytes) > 0 {
			w.queue <- job{outputChunk, w.out.first, w.out.last, w.out.bytes}
		}
	}
	close(w.queue)
	<-w.done
	err := w.Err()
	if err == nil {
		err = w.disk.end()
	}
	return errors.Join(err, w.disk.close())
}

// write is the disk's goroutine.
func (w *Writer) write() {
	defer close(w.done)
	for j := range w.queue {
		if w.Err() != nil {
			continue // nobody waits for room that never comes
		}
		if err := w.disk.put(j.kind, j.first, j.last, j.raw); err != nil {
			w.fail(err)
		}
		select {
		case w.free <- j.raw:
		default:
		}
	}
}

// disk is the file as its goroutine sees it.
type disk struct {
	file   io.WriteCloser
	packer packer
	at     int64
	chunks []chunk
	packed []byte // scratch
	block  []byte // likewise
}

// begin writes what comes before any tick.
func (d *disk) begin(head, world []byte) error {
	n, err := d.file.Write([]byte(magic))
	d.at += int64(n)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if err = d.put(headChunk, 0, 0, head); err != nil {
		return err
	}
	return d.put(worldChunk, 0, 0, world)
}

// put appends a chunk by one write, so that a crash tears at most the last.
func (d *disk) put(k kind, first, last uint32, raw []byte) error {
	c := chunk{offset: d.at, kind: k, raw: uint32(len(raw)), first: first, last: last}
	d.packed = d.packer.EncodeAll(raw, d.packed[:0])
	d.block = c.append(d.block[:0], d.packed)
	n, err := d.file.Write(d.block)
	d.at += int64(n)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	d.chunks = append(d.chunks, c)
	return nil
}

// end writes the index and where it is.
func (d *disk) end() error {
	at := d.at
	if err := d.put(indexChunk, 0, 0, appendIndex(nil, d.chunks)); err != nil {
		return err
	}
	b := binary.LittleEndian.AppendUint64(nil, uint64(at))
	if _, err := d.file.Write(append(b, trailer...)); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

func (d *disk) close() error {
	if f, ok := d.file.(interface{ Sync() error }); ok {
		_ = f.Sync() // a pipe has none
	}
	return d.file.Close()
}
