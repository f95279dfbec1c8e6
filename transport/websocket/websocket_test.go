//go:build !js

package websocket

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/backstep-net/backstep/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func serve(t *testing.T, c Config) (l *Listener, host string) {
	t.Helper()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l = New(c)
	server := &http.Server{Handler: l}
	done := make(chan struct{})
	go func() { defer close(done); server.Serve(tcp) }()
	t.Cleanup(func() { l.Close(); server.Close(); <-done })
	return l, tcp.Addr().String()
}

// stranger is a client that keeps to no agreement beyond WebSocket's.
func stranger(t *testing.T, host string, head http.Header) (*websocket.Conn, error) {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	conn, _, err := websocket.Dial(within(t), "ws://"+host+"/ws", &websocket.DialOptions{
		HTTPHeader: head, HTTPClient: &http.Client{Transport: transport},
	})
	if err == nil {
		t.Cleanup(func() { conn.CloseNow() })
	}
	return conn, err
}

func ended(t *testing.T, c transport.Conn) *transport.CloseError {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); !c.Closed(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("still open")
		}
	}
	return c.Err().(*transport.CloseError)
}

func TestInvalidFramesEndTheConnection(t *testing.T) {
	l, host := serve(t, Config{})
	for _, c := range []struct {
		name string
		kind websocket.MessageType
		data []byte
		want string
	}{
		{"text", websocket.MessageText, []byte("\x01hi"), "websocket: bad frame: text"},
		{"an empty message", websocket.MessageBinary, nil, "websocket: bad frame: empty"},
		{"channel 2", websocket.MessageBinary, []byte{2, 1}, "websocket: bad frame: channel 2"},
		{"a message of 64 KiB and one byte", websocket.MessageBinary, make([]byte, transport.MaxMessage+2), "message too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := stranger(t, host, nil)
			if err != nil {
				t.Fatal(err)
			}
			conn.Write(within(t), websocket.MessageBinary, []byte("\x01hello"))
			server, err := l.Accept(within(t))
			if err != nil {
				t.Fatal(err)
			}
			conn.Write(within(t), c.kind, c.data)
			_, _, err = conn.Read(within(t))
			if e := ended(t, server); e.Reason != c.want {
				t.Errorf("server ended with %v, want %q", e, c.want)
			}
			if websocket.CloseStatus(err) == -1 {
				t.Errorf("the peer heard %v, want a close frame", err)
			}
		})
	}
}

func TestADatagramTooLongIsCountedAndDropped(t *testing.T) {
	l, host := serve(t, Config{})
	conn, err := stranger(t, host, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.Write(within(t), websocket.MessageBinary, []byte("\x01hello"))
	conn.Write(within(t), websocket.MessageBinary, make([]byte, 1+transport.MaxDatagram+1))
	conn.Write(within(t), websocket.MessageBinary, []byte("\x00short"))
	server, err := l.Accept(within(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []transport.Packet
	for deadline := time.Now().Add(5 * time.Second); len(got) < 2 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		got = server.Drain(got)
	}
	if len(got) != 2 || string(got[1].Bytes) != "short" || server.Stats().Refused != 1 {
		t.Errorf("got %v, refused %d", got, server.Stats().Refused)
	}
}

// [THR-40]
func TestOriginsAreChecked(t *testing.T) {
	for _, c := range []struct {
		allowed []string
		origin  string
		ok      bool
	}{
		{nil, "https://anywhere.example", false},
		{nil, "http://localhost:5173", true}, // the test's server is on 127.0.0.1
		{[]string{"*"}, "https://anywhere.example", true},
		{[]string{"game.example"}, "https://game.example", true},
		{[]string{"game.example"}, "https://evil.example", false},
		{[]string{"game.example"}, "", true},
	} {
		_, host := serve(t, Config{Origins: c.allowed})
		head := http.Header{}
		if c.origin != "" {
			head.Set("Origin", c.origin)
		}
		if _, err := stranger(t, host, head); (err == nil) != c.ok {
			t.Errorf("allowed %v, origin %q: %v", c.allowed, c.origin, err)
		}
	}
}

// THR-12: a browser that stops reading its socket.
func TestASocketThatIsNeverReadGetsTheLatestBatch(t *testing.T) {
	l, host := serve(t, Config{})
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.(*net.TCPConn).SetReadBuffer(16 << 10)
	fmt.Fprintf(conn, "GET /ws HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", host)
	r := bufio.NewReader(conn)
	for line := ""; line != "\r\n"; {
		if line, err = r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	conn.Write([]byte{0x82, 0x86, 0, 0, 0, 0, 1, 'h', 'e', 'l', 'l', 'o'}) // binary, masked with zeros
	server, err := l.Accept(within(t))
	if err != nil {
		t.Fatal(err)
	}
	gram := make([]byte, 1000)
	var worst time.Duration
	for range 1500 {
		begin := time.Now()
		server.Datagrams(gram, gram)
		worst = max(worst, time.Since(begin))
		time.Sleep(200 * time.Microsecond)
	}
	s := server.Stats()
	t.Logf("longest call %v; %d sent, %d dropped", worst, s.DatagramsOut, s.DroppedOut)
	if s.DroppedOut < 1000 {
		t.Errorf("only %d of 3000 datagrams were dropped: the rest waits in the kernel", s.DroppedOut)
	}
	if server.Closed() {
		t.Errorf("ended: %v", server.Err())
	}
	if err := server.Stream([]byte("patience")); err != nil {
		t.Error(err)
	}
}

func TestDialingNothingIsAnError(t *testing.T) {
	_, err := Dial(within(t), "ws://127.0.0.1:1/ws")
	if err == nil || !strings.HasPrefix(err.Error(), "websocket: dialing ws://127.0.0.1:1/ws: ") {
		t.Errorf("got %v", err)
	}
	l, host := serve(t, Config{})
	l.Close()
	if _, err := Dial(within(t), "ws://"+host+"/ws"); err == nil {
		t.Error("a closed listener took a connection")
	}
	if _, err := l.Accept(within(t)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept after Close: %v", err)
	}
}
