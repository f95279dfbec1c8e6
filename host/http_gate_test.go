package host_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/join"
)

// dialFrom opens a connection from an address that closes with the test.
func dialFrom(t *testing.T, from, addr string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: patience}
	conn, err := dialer.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// idle opens connections from an address that send what was given, and nothing more. closed counts those that the
// server has closed.
func idle(t *testing.T, n int, from, addr, first string) (closed *atomic.Int64) {
	t.Helper()
	closed = &atomic.Int64{}
	for range n {
		conn := dialFrom(t, from, addr)
		_, _ = io.WriteString(conn, first)
		go func() {
			_, _ = io.Copy(io.Discard, conn)
			closed.Add(1)
		}()
	}
	return closed
}

// server256 is the name of a test that is a server in a process of its own, with 256 descriptors.
const server256 = "BACKSTEP_TEST_SERVER"

// A process of 256 descriptors with 400 idle connections, and with 400 that send half a header, still serves its page
// and lets players in over every transport: new connections take the place of idle ones. [THR-42]
func TestIdleConnectionsLockOutNobody(t *testing.T) {
	if os.Getenv(server256) != "" {
		serveWithFewDescriptors(t)
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("the limit of descriptors is set as on Linux")
	}
	folder := builtPage(t)
	child := exec.Command(os.Args[0], "-test.run=^TestIdleConnectionsLockOutNobody$")
	child.Env = append(os.Environ(), server256+"="+folder)
	stop, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop.Close(); _ = child.Wait() })
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, url: "http://" + strings.TrimSpace(addr), log: &locked.Buffer{}}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	for what, first := range map[string]string{"idle": "", "half a header": "GET / HTTP/1.1\r\nHost: x\r\n", "one answered request": "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"} {
		closed := idle(t, 400, "127.0.0.1", strings.TrimSpace(addr), first)
		for _, path := range []string{"/", "/assets/index-BxK3_a9f.js", join.Path} {
			if res, _ := s.get(path); res.StatusCode != 200 {
				t.Errorf("%s: %s: %s", what, path, res.Status)
			}
		}
		for _, via := range transportNames {
			s.join(via, "", via, session.Key{}).conn.Close("seen")
		}
		t.Logf("%s: %d of 400 gave way", what, closed.Load())
	}
}

// serveWithFewDescriptors is the server: it says its address, and ends with its standard input.
func serveWithFewDescriptors(t *testing.T) {
	limitDescriptors(t, 256)
	h, err := host.New(host.Config{
		Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0", Web: os.Getenv(server256), Matches: []host.MatchConfig{seat("arena", newMatch(30))},
		Levels: map[string]host.Level{floor().Hash(): {World: floor().AppendBinary(nil)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); cancel() }()
	fmt.Println(h.Addr())
	if err := h.Run(ctx); err != nil {
		t.Error(err)
	}
}

// One address has 64 connections at a time: its own oldest give way to its new ones, and those of other addresses
// stay. [THR-42]
func TestAnAddressPushesOutItsOwnConnections(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("127.0.0.2 is an address of this machine on Linux alone")
	}
	s := openWith(t, host.Config{
		Matches: []host.MatchConfig{seat("arena", newMatch(4))}, Limits: host.Limits{Loopback: true, AddressSockets: 20},
	})
	addr := s.host.Addr().String()
	others := idle(t, 10, "127.0.0.3", addr, "")
	closed := idle(t, 50, "127.0.0.2", addr, "")
	s.until("30 of 50 have given way", func() bool { return closed.Load() == 30 })
	if n := others.Load(); n != 0 {
		t.Errorf("%d connections of another address were closed, want 0", n)
	}
	s.join("websocket", "", "honest", session.Key{})
}

// An address that asks without end is answered with 429, then its connections are refused; others are not
// affected. [THR-42]
func TestRequestsOfAnAddressAreBounded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("127.0.0.2 is an address of this machine on Linux alone")
	}
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(4))}, Limits: host.Limits{Loopback: true, Requests: 100}})
	conn, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).Dial("tcp", s.host.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	count := map[int]int{}
	for r := bufio.NewReader(conn); count[200] < 1000; {
		_, _ = io.WriteString(conn, "GET /api/join HTTP/1.1\r\nHost: x\r\n\r\n")
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			break
		}
		_, _ = io.Copy(io.Discard, res.Body)
		count[res.StatusCode]++
	}
	if count[200] < 99 || count[200] > 150 || count[429] != 1 {
		t.Errorf("got %v, want 99 answers, or more by those of 20 s, and one refusal", count)
	}
	closed := idle(t, 5, "127.0.0.2", s.host.Addr().String(), "")
	s.until("its connections are refused", func() bool { return closed.Load() >= 4 })
	s.join("websocket", "", "honest", session.Key{})
}

// Failed handshakes and other faults of HTTP are one kind of line, however many addresses they come from. [THR-36]
func TestFaultsOfHTTPDoNotFillTheLog(t *testing.T) {
	s := openTLS(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(4))}})
	closed := idle(t, 300, "127.0.0.1", s.host.Addr().String(), "no handshake of TLS\r\n")
	s.until("all have failed", func() bool { return closed.Load() == 300 })
	if n := strings.Count(s.log.String(), "\n"); n > 80 {
		t.Errorf("300 failed handshakes wrote %d lines, want 80 at most", n)
	}
}
