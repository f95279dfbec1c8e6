package udp_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/udp"
	"github.com/backstep-net/backstep/transport/udp/udpserver"
)

// A client that reads its socket only in Drain gets datagrams and messages, sends its own, and has the server's reason when
// that closes the connection.
func TestAPolledConnection(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	l, err := udpserver.Listen(udpserver.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := udp.DialPolled(ctx, l.Addr().String(), l.Ticket())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close("")
	c.Stream([]byte("hello"))
	server, err := l.Accept(ctx)
	if err != nil {
		t.Fatal(err)
	}
	server.Stream([]byte("welcome"))
	got := map[string]bool{}
	for !got["welcome"] || !got["down"] || !got["hello"] || !got["up"] {
		server.Datagrams([]byte("down"))
		c.Datagrams([]byte("up"))
		for _, p := range append(c.Drain(nil), server.Drain(nil)...) {
			got[string(p.Bytes)] = true
		}
		if time.Sleep(5 * time.Millisecond); ctx.Err() != nil {
			t.Fatalf("got only %v", got)
		}
	}
	server.Close("the match is over")
	for !c.Closed() && ctx.Err() == nil {
		c.Drain(nil)
		time.Sleep(5 * time.Millisecond)
	}
	var ended *transport.CloseError
	if !errors.As(c.Err(), &ended) || !ended.Remote || ended.Reason != "the match is over" {
		t.Errorf("ended with %v, want the server's reason", c.Err())
	}
}
