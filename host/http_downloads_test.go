package host_test

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/join"
)

// downloadStage is a host whose level has a model of 2.5 MB that does not compress.
func downloadStage(t *testing.T, limits host.Limits) (s *stage, model []byte, path string) {
	t.Helper()
	model = make([]byte, 2500_000)
	rand.Read(model)
	s = openWith(t, host.Config{
		Matches: []host.MatchConfig{seat("arena", newMatch(4))}, Limits: limits,
		Levels: map[string]host.Level{floor().Hash(): {World: floor().AppendBinary(nil), Model: model}},
	})
	var to join.Answer
	s.getJSON(join.Path, &to)
	return s, model, to.Model
}

// slowDownloads asks for a file over n connections of an address, and reads the first line of each answer and no
// more. begun counts the answers by their status.
func slowDownloads(t *testing.T, n int, from, addr, path string) (begun *sync.Map) {
	t.Helper()
	begun = &sync.Map{}
	for range n {
		conn := dialFrom(t, from, addr)
		_ = conn.(*net.TCPConn).SetReadBuffer(4096)
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, addr)
		go func() {
			line, _ := bufio.NewReaderSize(conn, 16).ReadString('\n')
			count, _ := begun.LoadOrStore(strings.TrimSpace(line), new(atomic.Int64))
			count.(*atomic.Int64).Add(1)
		}()
	}
	return begun
}

// stallTime is how long a download may stand still. On a machine that is so slow that it has passed, others have begun.
const stallTime = 10 * time.Second

func countOf(begun *sync.Map, status string) int {
	n, ok := begun.Load(status)
	if !ok {
		return 0
	}
	return int(n.(*atomic.Int64).Load())
}

// Of 300 clients that read nothing of the level, 64 get an answer at a time; a player's download takes the place of one
// of them, and ticks go on. On a server that answered all at once the kernel's buffers took 700 MB. [THR-42]
func TestLongDownloadsHoldUpNobody(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("127.0.0.2 is an address of this machine on Linux alone")
	}
	s, model, path := downloadStage(t, host.Limits{})
	honest := s.join("quic", "", "honest", session.Key{})
	started := time.Now()
	begun := slowDownloads(t, 300, "127.0.0.2", s.host.Addr().String(), path)
	s.until("64 have begun", func() bool { return countOf(begun, "HTTP/1.1 200 OK") >= 64 })
	got := make(chan []byte, 1)
	go func() {
		res, err := http.Get(s.url + path)
		if err != nil {
			t.Error(err)
			close(got)
			return
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		got <- b
	}()
	from := honest.Stats().Tick
	var b []byte
	s.until("a player's download", func() bool {
		select {
		case b = <-got:
			return true
		default:
			return false
		}
	})
	if !bytes.Equal(b, model) {
		t.Errorf("the player got %d bytes, want the model's %d", len(b), len(model))
	}
	if n := countOf(begun, "HTTP/1.1 200 OK"); n > 66 && time.Since(started) < stallTime {
		t.Errorf("%d slow downloads have begun, want 64, and one more where the player had ended", n)
	}
	m := s.status().Matches[0]
	t.Logf("%d ticks meanwhile; tick p99 %.2f ms, worst %.2f ms, missed %d", honest.Stats().Tick-from, m.TickP99, m.TickMax, m.Missed)
}

// One address has 16 downloads at a time, and another does not wait for them. [THR-42]
func TestAnAddressHasItsShareOfDownloads(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("127.0.0.2 is an address of this machine on Linux alone")
	}
	s, model, path := downloadStage(t, host.Limits{Loopback: true, AddressSockets: 64})
	started := time.Now()
	begun := slowDownloads(t, 40, "127.0.0.2", s.host.Addr().String(), path)
	s.until("16 have begun", func() bool { return countOf(begun, "HTTP/1.1 200 OK") >= 16 })
	if res, b := s.get(path); res.StatusCode != 200 || !bytes.Equal(b, model) {
		t.Errorf("another address: %s and %d bytes, want the model's %d", res.Status, len(b), len(model))
	}
	if n := countOf(begun, "HTTP/1.1 200 OK"); n != 16 && time.Since(started) < stallTime {
		t.Errorf("%d have begun, want 16", n)
	}
}
