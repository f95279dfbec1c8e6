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

// Bounds of what waits for the disk: chunks, and bytes of inputs beyond these. Outputs without room
// are left out and counted. Inputs without room end the recording, since inputs with a gap cannot
// be replayed. A match in virtual time makes its chunks faster than a busy machine lets the
// writer begin, so the queue holds more of them than the second or two of a disk that stalls.
const (
	maxQueue   = 32
	maxBacklog = 64 << 20
	// fullAt is the size at which a chunk ends before its second does.
	fullAt = 1 << 20
)

// ErrSlowDisk ends a recording whose disk was so slow that inputs would have been lost.
var ErrSlowDisk = errors.New("record: the disk is too slow: recording has ended")

// job is a chunk to be written.
type job struct {
	kind        kind
	first, last uint32
	raw         []byte
}

// builder builds a chunk.
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

// Writer writes one file. Its methods, and those of its Recorder, belong to the match's goroutine. A
// second goroutine writes to the disk, so that no tick waits for it.
type Writer struct {
	in, out      builder
	now          clock.Micros // the newest tick's time, as coded in the chunk of inputs
	tick         uint32       // the newest
	state        frameState
	backlog      []job // inputs without room in the queue
	backlogBytes int   // bytes of those
	lost         int   // ticks whose outputs were lost since the last chunk of outputs
	lostTotal    int   // in all
	closed       bool

	queue chan job
	free  chan []byte
	done  chan struct{}
	disk  disk

	mu  sync.Mutex
	err error
}

// Create begins a file that must not exist yet. Only its owner may read it: the inputs contain the
// keys with which players reconnect.
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

// New begins a recording in an empty file, which Close closes. The world is packed by
// collide.World.AppendBinary.
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
		queue: make(chan job, maxQueue), free: make(chan []byte, 2*maxQueue),
		done: make(chan struct{}), disk: disk{file: f, packer: newPacker()},
	}
	if err = w.disk.begin(b, world); err != nil {
		return nil, err
	}
	go w.write()
	return w, nil
}

// Key returns a function for session.ServerConfig.NewKey that records the keys that newKey draws.
func (w *Writer) Key(newKey func() session.Key) func() session.Key {
	return func() session.Key {
		k := newKey()
		w.input(&Input{Kind: GeneratedKey, Key: k})
		return k
	}
}

// Err returns the error that ended the recording, nil while it goes on. The match is not affected.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// fail keeps the first error. Both goroutines may find one.
func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// input records one. A chunk ends early at fullAt, so that a flood of packets cannot make one that is
// larger than readers accept.
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
	w.out.bytes = w.state.append(w.out.bytes, f)
}

// cut ends the chunks and queues them for the disk.
func (w *Writer) cut() {
	if w.Err() != nil {
		w.in, w.out = builder{bytes: w.in.bytes[:0]}, builder{bytes: w.out.bytes[:0]}
		return
	}
	w.cutInputs()
	w.cutOutputs()
}

// cutInputs ends the chunk of inputs and queues what the queue has room for. Inputs keep their order,
// so those that wait go first; beyond maxBacklog the recording ends, since the match must not wait
// for the disk.
func (w *Writer) cutInputs() {
	if len(w.in.bytes) > 0 {
		w.backlog = append(w.backlog, job{inputChunk, w.in.first, w.in.last, w.in.bytes})
		w.backlogBytes += len(w.in.bytes)
		w.in = builder{bytes: w.buffer()}
		w.now = 0 // each chunk begins at 0
	}
	for len(w.backlog) > 0 {
		select {
		case w.queue <- w.backlog[0]:
			w.backlogBytes -= len(w.backlog[0].raw)
			w.backlog = w.backlog[1:]
			continue
		default:
		}
		break
	}
	if w.backlogBytes > maxBacklog {
		w.fail(ErrSlowDisk)
		w.backlog, w.backlogBytes = nil, 0
	}
}

// cutOutputs ends the chunk of outputs. Where inputs wait or the queue is full it is left out and
// counted: outputs can be simulated again from the inputs, inputs from nothing. The next chunk
// begins with whole frames.
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
		w.lost, w.lostTotal = w.lost+n, w.lostTotal+n
		w.out = builder{bytes: w.out.bytes[:0]}
	}
	w.state.clear()
}

// buffer returns storage that was written already, or none.
func (w *Writer) buffer() []byte {
	select {
	case b := <-w.free:
		return b[:0]
	default:
		return nil
	}
}

// Close writes the last chunks and the index, and closes the file. It returns the first error since
// the beginning.
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

// write is the goroutine that writes to the disk.
func (w *Writer) write() {
	defer close(w.done)
	for j := range w.queue {
		if w.Err() != nil {
			continue // the queue is drained, so that no sender blocks
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

// disk is the file in its own goroutine.
type disk struct {
	file   io.WriteCloser
	packer packer
	at     int64
	chunks []chunk
	packed []byte // scratch
	block  []byte // scratch
}

// begin writes the chunks before any tick.
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

// put appends a chunk with one write, so that a crash truncates at most the last one.
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

// end writes the index and its offset.
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

// close writes what the system has buffered and closes the file: a closed recording survives a power
// cut.
func (d *disk) close() error {
	if f, ok := d.file.(interface{ Sync() error }); ok {
		_ = f.Sync() // pipes do not support it
	}
	return d.file.Close()
}
