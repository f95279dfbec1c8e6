package host

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// Checkpointer is a Match whose state can be written and read; see session.Server.Checkpoint.
type Checkpointer interface {
	// Checkpoint packs the match in either direction, between two ticks.
	Checkpoint(p *bits.Packer)
	// Now returns the match time of the last tick: that of a match that was read goes on from there.
	Now() clock.Micros
}

const (
	// checkpointInterval is the time between two checkpoints. With the 200 ms that a disk may take, a crash costs a
	// second of the match at most.
	checkpointInterval = 800 * clock.Millisecond
	// maxCheckpoint bounds a file. A match of 128 players with all fields and entities takes a tenth of it.
	maxCheckpoint = 16 << 20
	// firstCheckpoint is the size of the buffer at first; it grows to what the match needs.
	firstCheckpoint = 64 << 10
)

// checkpointMagic begins a file, and has the version of what follows: the length and the CRC-32C of the
// packed match, which is the rest.
const (
	checkpointMagic = "BSCKPT\x00\x01"
	checkpointHead  = len(checkpointMagic) + 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CheckpointFile returns the file of a match in a folder.
func CheckpointFile(folder, match string) string {
	return filepath.Join(folder, url.PathEscape(match)+".checkpoint")
}

// OpenCheckpoints makes the folder of checkpoints, for this user only, and returns the key in it by which QUIC
// clients notice a restart (Config.ResetKey). The first call makes that too.
func OpenCheckpoints(folder string) (key [32]byte, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return key, err
	}
	name := filepath.Join(folder, "reset.key")
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		rand.Read(key[:]) // never fails
		return key, replaceFile(name, key[:])
	}
	if err == nil && len(b) != len(key) {
		err = fmt.Errorf("host: %s has %d bytes instead of %d: remove it", name, len(b), len(key))
	}
	copy(key[:], b)
	return key, err
}

// Restore returns a new match with the state that a file has, or as it is new where there is no file. A file that
// is of another game, level or configuration, or damaged, is renamed with ".refused" at its end, and the log has
// the reason. The error is that of newMatch, which is called once or twice.
func Restore[M Checkpointer](file string, log *slog.Logger, newMatch func() (M, error)) (M, error) {
	m, err := newMatch()
	if err != nil {
		return m, err
	}
	b, err := readCheckpoint(file)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = unpackCheckpoint(b, m)
	}
	if err == nil {
		log.Info("restored", "file", file, "match_time", duration(m.Now()), "bytes", len(b), "crc", crc32.Checksum(b, castagnoli))
		return m, nil
	}
	aside := file + ".refused"
	log.Warn("the match begins anew: its checkpoint was refused and put aside", "file", aside, "why", err)
	if err := os.Rename(file, aside); err != nil {
		log.Error("checkpoint not put aside", "why", err)
	}
	return newMatch()
}

// readCheckpoint returns the packed match of a file.
func readCheckpoint(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxCheckpoint {
		return nil, fmt.Errorf("host: a checkpoint of %d bytes: at most %d are one", info.Size(), maxCheckpoint)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return openCheckpoint(b)
}

// openCheckpoint returns the packed match of the bytes of a file.
func openCheckpoint(b []byte) ([]byte, error) {
	if len(b) < checkpointHead || string(b[:len(checkpointMagic)]) != checkpointMagic {
		return nil, errors.New("host: not a checkpoint of this version")
	}
	head, packed := b[len(checkpointMagic):checkpointHead], b[checkpointHead:]
	if n := binary.LittleEndian.Uint32(head); uint64(n) != uint64(len(packed)) {
		return nil, fmt.Errorf("host: a damaged checkpoint: %d bytes of %d", len(packed), n)
	}
	if binary.LittleEndian.Uint32(head[4:]) != crc32.Checksum(packed, castagnoli) {
		return nil, errors.New("host: a damaged checkpoint: its checksum differs")
	}
	return packed, nil
}

// unpackCheckpoint reads a packed match. What is written again must be the same: a match that forgets a part of
// its state would go on as another one.
func unpackCheckpoint(b []byte, m Checkpointer) (err error) {
	defer func() {
		if p := recover(); p != nil { // in a game's own part
			err = fmt.Errorf("host: reading the checkpoint has failed: %v", p)
		}
	}()
	var p bits.Packer
	p.Read(b)
	m.Checkpoint(&p)
	if p.End(); p.Err() != nil {
		return p.Err()
	}
	p.Write(make([]byte, len(b)))
	if m.Checkpoint(&p); p.Err() != nil || string(p.Bytes()) != string(b) {
		return errors.New("host: the restored match is written as another one: the Checkpoint of the game does not read all that it writes")
	}
	return nil
}

// checkpoints writes those of one match.
type checkpoints struct {
	file    string
	match   Checkpointer
	log     *slog.Logger
	metrics *matchMetrics
	tracer  trace.Tracer
	name    string       // of the match
	next    clock.Micros // when the next one is due
	packer  bits.Packer
	free    chan []byte // the buffer, while nothing is written
	full    chan []byte // a packed file
	done    chan struct{}
	failed  bool // the last one was not written
}

// newCheckpoints returns the checkpoints of a match, nil if it has no file.
func newCheckpoints(l *loop) *checkpoints {
	if l.config.Checkpoint == "" {
		return nil
	}
	k := &checkpoints{file: l.config.Checkpoint, match: l.config.Match.(Checkpointer), metrics: l.metrics, log: l.log, tracer: l.tracer, name: l.config.Name, free: make(chan []byte, 1), full: make(chan []byte, 1), done: make(chan struct{})}
	k.metrics.checkpointed()
	k.free <- make([]byte, firstCheckpoint)
	go k.write()
	return k
}

// begin returns the match time at which a match goes on.
func (k *checkpoints) begin() clock.Micros {
	if k == nil {
		return 0
	}
	return k.match.Now()
}

// tick packs the match if a checkpoint is due and the disk has written the one before: the tick never waits.
func (k *checkpoints) tick(now clock.Micros) {
	if k == nil || now < k.next {
		return
	}
	select {
	case b := <-k.free:
		k.next = now + checkpointInterval
		k.full <- k.pack(b)
	default:
	}
}

// pack returns the file of the match as it stands, in a buffer or a larger one. It is empty where the match
// cannot be packed.
func (k *checkpoints) pack(b []byte) []byte {
	for b = b[:cap(b)]; ; b = make([]byte, 2*len(b)) {
		k.packer.Write(b[checkpointHead:])
		if k.match.Checkpoint(&k.packer); errors.Is(k.packer.Err(), bits.ErrShort) && len(b) < maxCheckpoint {
			continue
		}
		if err := k.packer.Err(); err != nil {
			k.log.Error("the match cannot be checkpointed", "why", err)
			return b[:0]
		}
		packed := k.packer.Bytes()
		copy(b, checkpointMagic)
		head := b[len(checkpointMagic):]
		binary.LittleEndian.PutUint32(head, uint32(len(packed)))
		binary.LittleEndian.PutUint32(head[4:], crc32.Checksum(packed, castagnoli))
		return b[:checkpointHead+len(packed)]
	}
}

// write writes what is packed, in a goroutine of its own. Of errors in a row it logs the first.
func (k *checkpoints) write() {
	defer close(k.done)
	for b := range k.full {
		began := time.Now()
		err := replaceFile(k.file, b)
		tracePast(k.tracer, "checkpoint", began, err, attribute.String("backstep.match", k.name), attribute.Int("backstep.bytes", len(b)))
		switch {
		case err != nil && !k.failed:
			k.log.Error("checkpoint not written: the one before stays", "file", k.file, "why", err)
		case err == nil && k.failed:
			k.log.Info("checkpoints are written again", "file", k.file)
		}
		if k.failed = err != nil; !k.failed && len(b) > 0 {
			k.metrics.checkpointed()
		}
		k.free <- b
	}
}

// replaceFile writes a file in place of the one of that name: at any instant one of the two is there, whole. It
// has players' keys in it, so it is for this user only. No bytes leave the file as it is.
func replaceFile(name string, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	part := name + ".part"
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, name)
}

// close ends the checkpoints. An orderly end writes a last one; that of a match that has failed is put aside,
// because what made it fail may be in it.
func (k *checkpoints) close(failed bool) {
	if k == nil {
		return
	}
	if !failed {
		k.last()
	}
	close(k.full)
	<-k.done
	if !failed {
		return
	}
	if err := os.Rename(k.file, k.file+".failed"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.log.Error("checkpoint not put aside", "why", err)
	}
}

// last has the match written as it stands now.
func (k *checkpoints) last() {
	defer func() {
		if p := recover(); p != nil { // the other matches end in order
			k.log.Error("the match cannot be checkpointed", "panic", p)
		}
	}()
	k.full <- k.pack(<-k.free)
}

// ahead returns when match time 0 was, for a match that goes on at a match time now.
func ahead(now time.Time, at clock.Micros) time.Time { return now.Add(-duration(at)) }
