package host_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/locked"
)

// saved runs a match with checkpoints in a file until the test's condition holds, and stops it in order.
func saved(t *testing.T, file string, m host.Match, until func(log string) bool) string {
	t.Helper()
	var log locked.Buffer
	h, err := host.New(host.Config{
		Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0", Log: slog.New(slog.NewTextHandler(&log, nil)),
		Matches: []host.MatchConfig{{Name: "field", TickRate: 60, Match: m, Checkpoint: file}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- h.Run(ctx) }()
	for deadline := time.Now().Add(patience); !until(log.String()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("it does not come:\n%s", log.String())
			break
		}
	}
	stop()
	<-ended
	return log.String()
}

// there reports whether a file is there.
func there(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// restored restores a match from a file.
func restored(t *testing.T, file string) (*arena.Match, string) {
	t.Helper()
	var log bytes.Buffer
	m, err := host.Restore(file, slog.New(slog.NewTextHandler(&log, nil)), func() (*arena.Match, error) { return newMatch(4), nil })
	if err != nil {
		t.Fatal(err)
	}
	return m, log.String()
}

// A server that is stopped and started again goes on at the tick at which it stopped, and once more. [THR-64]
func TestAMatchGoesOnAfterARestart(t *testing.T) {
	file := host.CheckpointFile(t.TempDir(), "a field/2")
	if filepath.Base(file) != "a%20field%2F2.checkpoint" {
		t.Errorf("the file is %s", file)
	}
	m, _ := restored(t, file)
	last := uint32(0)
	for range 3 {
		if m.TickNumber() != last {
			t.Errorf("restored at tick %d, want %d", m.TickNumber(), last)
		}
		if log := saved(t, file, m, func(string) bool { return there(file) }); strings.Contains(log, "ERROR") {
			t.Errorf("the log has\n%s", log)
		}
		if last = m.TickNumber(); last == 0 {
			t.Fatal("no tick was run")
		}
		m, _ = restored(t, file)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file, which has players' keys in it, has the mode %v, error %v", info.Mode(), err)
	}
}

// What is no checkpoint of this match is put aside with the reason, and the match begins anew. [THR-65]
func TestABadCheckpointIsPutAside(t *testing.T) {
	file := host.CheckpointFile(t.TempDir(), "field")
	m, _ := restored(t, file)
	saved(t, file, m, func(string) bool { return there(file) })
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(good)-3] ^= 4
	for _, c := range []struct {
		what string
		b    []byte
		want string
	}{
		{"an empty file", nil, "not a checkpoint of this version"},
		{"another file", []byte("a letter to somebody else"), "not a checkpoint of this version"},
		{"half of one", good[:len(good)/2], "a damaged checkpoint: "},
		{"a flipped bit", flipped, "a damaged checkpoint: its checksum differs"},
		{"a larger one", append(bytes.Clone(good), 0), "a damaged checkpoint: "},
		{"an enormous one", make([]byte, 17<<20), "at most 16777216 are one"},
	} {
		if err := os.WriteFile(file, c.b, 0o600); err != nil {
			t.Fatal(err)
		}
		m, log := restored(t, file)
		if m.TickNumber() != 0 || !strings.Contains(log, "level=WARN") || !strings.Contains(log, c.want) || there(file) || !there(file+".refused") {
			t.Errorf("%s: at tick %d, log\n%swant tick 0 and %q, and the file put aside", c.what, m.TickNumber(), log, c.want)
		}
	}
	if err := os.WriteFile(file, good, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err = host.Restore(file, slog.New(slog.DiscardHandler), func() (*arena.Match, error) { return newMatch(5), nil })
	if err != nil || m.TickNumber() != 0 {
		t.Errorf("a match of 4 seats as one of 5: tick %d, error %v", m.TickNumber(), err)
	}
	wrong := errors.New("no such level")
	if _, err := host.Restore(file, slog.New(slog.DiscardHandler), func() (*arena.Match, error) { return nil, wrong }); err != wrong {
		t.Errorf("got %v, want the error of newMatch", err)
	}
}

// forgetful is a match whose Checkpoint does not read all that it writes.
type forgetful struct {
	*arena.Match
	rounds uint32
	wild   bool
}

func (f *forgetful) Checkpoint(p *bits.Packer) {
	f.Match.Checkpoint(p)
	rounds := f.rounds
	if p.Uint32(&rounds); f.wild && !p.Writing() {
		panic("out of range")
	}
}

// A game that forgets a part of its state, or panics, is found out when it is restored, not when it is played.
// [THR-65]
func TestAMatchThatForgetsIsFoundOut(t *testing.T) {
	file := host.CheckpointFile(t.TempDir(), "field")
	for _, c := range []struct {
		wild bool
		want string
	}{{false, "does not read all that it writes"}, {true, "out of range"}} {
		saved(t, file, &forgetful{Match: newMatch(4), rounds: 3}, func(string) bool { return there(file) })
		var log bytes.Buffer
		if _, err := host.Restore(file, slog.New(slog.NewTextHandler(&log, nil)), func() (*forgetful, error) {
			return &forgetful{Match: newMatch(4), wild: c.wild}, nil
		}); err != nil || !strings.Contains(log.String(), c.want) {
			t.Errorf("error %v, log\n%swant %q", err, log.String(), c.want)
		}
	}
}

// A full disk stops no tick: the checkpoint before stays, the log says so once, and once when there is room
// again. [THR-66]
func TestAFullDiskWhileCheckpointing(t *testing.T) {
	if !there("/dev/full") {
		t.Skip("no /dev/full here")
	}
	file := host.CheckpointFile(t.TempDir(), "field")
	if err := os.WriteFile(file, []byte("the one before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", file+".part"); err != nil { // the first write finds it full, and removes it
		t.Fatal(err)
	}
	m, before := newMatch(4), ""
	log := saved(t, file, m, func(log string) bool {
		if strings.Contains(log, "not written") && before == "" {
			b, _ := os.ReadFile(file)
			before = string(b)
		}
		return strings.Contains(log, "are written again")
	})
	if before != "the one before" || strings.Count(log, "not written") != 1 || !strings.Contains(log, "no space left on device") {
		t.Errorf("the file had %q, log\n%s", before, log)
	}
	if again, _ := restored(t, file); again.TickNumber() != m.TickNumber() || m.TickNumber() < 45 { // two checkpoints of 800 ms
		t.Errorf("at tick %d, restored at %d", m.TickNumber(), again.TickNumber())
	}
}

// crasher panics at a tick.
type crasher struct {
	*arena.Match
	at clock.Micros
}

func (c crasher) Tick(now clock.Micros) {
	if now > c.at {
		panic("a fault in the game")
	}
	c.Match.Tick(now)
}

// The checkpoint of a match that has failed is put aside: a restart would fail again. [THR-65]
func TestTheCheckpointOfAFailedMatchIsPutAside(t *testing.T) {
	file := host.CheckpointFile(t.TempDir(), "field")
	saved(t, file, crasher{newMatch(4), 300 * clock.Millisecond}, func(string) bool { return there(file + ".failed") })
	if there(file) {
		t.Error("the checkpoint is still there")
	}
}

// The key by which clients notice a restart is made once, and a broken one is named. [THR-09]
func TestTheResetKeyStays(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	first, err := host.OpenCheckpoints(folder)
	if err != nil || first == [32]byte{} {
		t.Fatalf("key %x, error %v", first, err)
	}
	if again, err := host.OpenCheckpoints(folder); err != nil || again != first {
		t.Errorf("then %x, error %v; want %x", again, err, first)
	}
	if err := os.WriteFile(filepath.Join(folder, "reset.key"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := host.OpenCheckpoints(folder); err == nil || !strings.Contains(err.Error(), "has 5 bytes instead of 32") {
		t.Errorf("a short key: %v", err)
	}
}
