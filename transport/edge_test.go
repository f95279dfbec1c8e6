package transport_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/quic"
	"github.com/backstep-net/backstep/transport/quic/quicserver"
	"github.com/backstep-net/backstep/transport/udp"
	"github.com/backstep-net/backstep/transport/udp/udpserver"
)

// The load of the edge: so many clients, each with one datagram of so many bytes up and one down in each tick.
const (
	edgeClients       = 40
	edgeTick          = time.Second / 60
	edgeUp, edgeDown  = 100, 300
	edgeEnvironment   = "BACKSTEP_EDGE_CLIENTS"
	edgeTime          = 5 * time.Second
	edgeClientTimeout = 90 * time.Second
)

// BenchmarkEdge prints what the server's process needs of a processor for one client and tick, kernel included:
// edgeClients of them at 60 Hz, in another process. It runs for edgeTime, once.
//
//	go test ./transport -run '^$' -bench Edge -benchtime 1x
func BenchmarkEdge(b *testing.B) {
	for _, kind := range []string{"udp", "quic"} {
		b.Run(kind, func(b *testing.B) {
			for range b.N {
				edge(b, kind)
			}
		})
	}
}

// edgeListener opens a listener; the arguments are what its clients need to know.
func edgeListener(b *testing.B, kind string) (l transport.Listener, arguments []string) {
	if kind == "udp" {
		u := listenUDP(b, udpserver.Config{Held: true})
		for range edgeClients {
			t := u.Ticket()
			arguments = append(arguments, hex.EncodeToString(t.Bytes[:])+hex.EncodeToString(t.Secret[:])+hex.EncodeToString(t.Server[:]))
		}
		l = u
	} else {
		q := listenQUIC(b, quicserver.Config{RetryAbove: 1000})
		for _, h := range hashes(b, q) {
			arguments = append(arguments, hex.EncodeToString(h[:]))
		}
		l = q
	}
	return l, arguments
}

// edge runs a loop like a host's over connections of one kind.
func edge(b *testing.B, kind string) {
	l, arguments := edgeListener(b, kind)
	clients := exec.Command(os.Args[0], "-test.run", "^TestEdgeClients$")
	clients.Env = append(os.Environ(), edgeEnvironment+"="+kind+" "+l.Addr().String()+" "+strings.Join(arguments, " "))
	clients.Stderr = os.Stderr
	if err := clients.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { clients.Process.Kill(); clients.Wait() }()
	var conns []transport.Conn
	for range edgeClients {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		c, err := l.Accept(ctx)
		cancel()
		if err != nil {
			b.Fatal(err)
		}
		conns = append(conns, c)
	}
	time.Sleep(500 * time.Millisecond)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	received, sent, ticks := 0, 0, 0
	var in []transport.Packet
	set := [][]byte{make([]byte, edgeDown)} // a call with one argument would make it anew
	tick := time.NewTicker(edgeTick)
	defer tick.Stop()
	cpu := cpuTime()
	for begin := time.Now(); time.Since(begin) < edgeTime; ticks++ {
		<-tick.C
		for _, c := range conns {
			in = c.Drain(in[:0])
			received += len(in)
			if r, ok := c.(transport.Releaser); ok {
				r.Release(in)
			}
			c.Datagrams(set...)
			sent++
		}
		if f, ok := conns[0].(transport.Flusher); ok {
			f.Flush()
		}
	}
	cpu = cpuTime() - cpu
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(cpu.Nanoseconds())/1000/float64(ticks*edgeClients), "cpu-µs/client-tick")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(ticks*edgeClients), "allocs/client-tick")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(ticks*edgeClients), "B/client-tick")
	b.ReportMetric(float64(received)/float64(sent), "received/sent")
}

// TestEdgeClients is the other process of BenchmarkEdge; by itself it does nothing.
func TestEdgeClients(t *testing.T) {
	orders := strings.Fields(os.Getenv(edgeEnvironment))
	if len(orders) == 0 {
		t.Skip("the clients of BenchmarkEdge")
	}
	var conns []transport.Conn
	for i := range edgeClients {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		c, err := edgeDial(ctx, orders, i)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Stream([]byte("hello")); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
	}
	gram := make([]byte, edgeUp)
	gram[0] = 1
	tick := time.NewTicker(edgeTick / 4) // a quarter of the clients at a time, as players are not in step
	defer tick.Stop()
	var in []transport.Packet
	for begin, n := time.Now(), 0; time.Since(begin) < edgeClientTimeout; n++ {
		<-tick.C
		for i := n % 4; i < len(conns); i += 4 {
			if conns[i].Closed() {
				return
			}
			in = conns[i].Drain(in[:0])
			conns[i].Datagrams(gram)
		}
	}
}

// edgeDial connects the client of that number.
func edgeDial(ctx context.Context, orders []string, i int) (transport.Conn, error) {
	if orders[0] == "quic" {
		var pins []quic.Hash
		for _, text := range orders[2:] {
			b, err := hex.DecodeString(text)
			if err != nil {
				return nil, err
			}
			pins = append(pins, quic.Hash(b))
		}
		return quic.Dial(ctx, orders[1], pins)
	}
	b, err := hex.DecodeString(orders[2+i])
	if err != nil {
		return nil, err
	}
	t := &udp.Ticket{}
	if n := copy(t.Bytes[:], b) + copy(t.Secret[:], b[len(t.Bytes):]) + copy(t.Server[:], b[len(t.Bytes)+len(t.Secret):]); n != len(b) {
		return nil, errors.New(fmt.Sprint("a ticket of ", len(b), " bytes"))
	}
	return udp.Dial(ctx, orders[1], t)
}
