package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
	"golang.org/x/net/ipv4"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/session"
)

// kind is what a process does to the server.
type kind string

// The kinds.
const (
	initials kind = "initials" // first packets of handshakes from clients that do not exist
	long     kind = "long"     // noise that begins like a handshake
	short    kind = "short"    // noise that begins like a connection's packets
	silent   kind = "silent"   // whole handshakes, after which nothing is said
	join     kind = "join"     // honest newcomers
)

// attack runs a kind against an address at a rate a second for a time, and prints what it did.
func attack(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("attack needs a kind, an address, a rate and a time, not %q", args)
	}
	rate, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	last, err := time.ParseDuration(args[3])
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	over, cancel := context.WithTimeout(ctx, last)
	defer cancel()
	switch k := kind(args[0]); k {
	case initials:
		_ = os.Setenv("QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING", "true") // of sockets that are none
		hellos, err := handshakes(ctx, 20000)
		if err != nil {
			return err
		}
		return flood(over, args[1], rate, func(i int) []byte { return hellos[i%len(hellos)] })
	case long, short:
		return flood(over, args[1], rate, noise(k))
	case silent:
		return handshakesOnly(over, args[1], rate)
	case join:
		return joins(over, args[1], rate)
	}
	return fmt.Errorf("an attack of kind %q", args[0])
}

// batch is how many datagrams are sent with one call, and sources from how many addresses.
const batch, sources = 64, 64

// flood sends datagrams at a rate, from many addresses of loopback.
func flood(ctx context.Context, to string, rate int, datagram func(i int) []byte) error {
	addr, err := net.ResolveUDPAddr("udp4", to)
	if err != nil {
		return err
	}
	var from [sources]*ipv4.PacketConn
	for i := range from {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 1, byte(i/250), byte(1+i%250))})
		if err != nil {
			return err
		}
		defer c.Close()
		from[i] = ipv4.NewPacketConn(c)
	}
	messages := make([]ipv4.Message, batch)
	sent, begun := 0, time.Now()
	for ctx.Err() == nil {
		due := int(time.Since(begun).Seconds() * float64(rate))
		if sent >= due {
			time.Sleep(time.Millisecond)
			continue
		}
		n := min(batch, due-sent)
		for i := range n {
			messages[i] = ipv4.Message{Buffers: [][]byte{datagram(sent + i)}, Addr: addr}
		}
		done, err := from[sent/batch%sources].WriteBatch(messages[:n], 0)
		if err != nil && done == 0 {
			continue // the server's socket is full
		}
		sent += max(done, 1)
	}
	fmt.Printf("%d a second\n", int(float64(sent)/time.Since(begun).Seconds()))
	return nil
}

// noise returns datagrams of 40 to 1,239 random bytes with the first byte of a kind.
func noise(k kind) func(i int) []byte {
	dice := rand.NewChaCha8([32]byte{1})
	var kept [4096][]byte
	for i := range kept {
		kept[i] = make([]byte, 40+rand.New(dice).IntN(1200))
		dice.Read(kept[i])
		if k == long {
			copy(kept[i], []byte{0xc0 | kept[i][0]&0x3f, 0, 0, 0, 1, 8})
		} else {
			kept[i][0] = 0x40 | kept[i][0]&0x3f
		}
	}
	return func(i int) []byte {
		b := kept[i%len(kept)]
		b[6+i%8]++ // another connection ID
		return b
	}
}

// handshakes returns the first packets of so many different clients.
func handshakes(ctx context.Context, n int) (packets [][]byte, err error) {
	for len(packets) < n && ctx.Err() == nil {
		c := &captured{first: make(chan []byte, 1)}
		soon, cancel := context.WithCancel(ctx)
		over := &quic.Transport{Conn: c}
		c.closed = soon.Done()
		go func() {
			_, _ = over.Dial(soon, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}, hostile(), &quic.Config{})
		}()
		packets = append(packets, <-c.first)
		cancel()
	}
	return packets, ctx.Err()
}

// hostile is the TLS of a client that takes any certificate. Without the long key of a hybrid its hello is one packet.
func hostile() *tls.Config {
	return &tls.Config{NextProtos: []string{"backstep/1"}, InsecureSkipVerify: true, CurvePreferences: []tls.CurveID{tls.X25519}}
}

// captured is a socket that keeps the first datagram that is sent, and receives nothing.
type captured struct {
	once   sync.Once
	first  chan []byte
	closed <-chan struct{}
}

func (c *captured) WriteTo(b []byte, _ net.Addr) (int, error) {
	c.once.Do(func() { c.first <- slices.Clone(b) })
	return len(b), nil
}

func (c *captured) ReadFrom([]byte) (int, net.Addr, error) {
	<-c.closed
	return 0, nil, net.ErrClosed
}
func (c *captured) LocalAddr() net.Addr              { return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)} }
func (c *captured) SetReadDeadline(time.Time) error  { return nil }
func (c *captured) SetDeadline(time.Time) error      { return nil }
func (c *captured) SetWriteDeadline(time.Time) error { return nil }
func (c *captured) Close() error                     { return nil }

// handshakesOnly opens connections at a rate, from many addresses, and says nothing.
func handshakesOnly(ctx context.Context, to string, rate int) error {
	addr, err := net.ResolveUDPAddr("udp4", to)
	if err != nil {
		return err
	}
	var from [sources]*quic.Transport
	for i := range from {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 1, 0, byte(1+i))})
		if err != nil {
			return err
		}
		from[i] = &quic.Transport{Conn: c}
		defer from[i].Close()
	}
	var begun, opened, open, most atomic.Int64
	var group sync.WaitGroup
	started := time.Now()
	for i := 0; ctx.Err() == nil; {
		if float64(i) >= time.Since(started).Seconds()*float64(rate) || begun.Load()-opened.Load() > 256 {
			time.Sleep(time.Millisecond)
			continue
		}
		over := from[i%sources]
		i++
		begun.Add(1)
		group.Go(func() {
			soon, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			conn, err := over.Dial(soon, addr, hostile(), &quic.Config{})
			if err != nil {
				begun.Add(-1)
				return
			}
			opened.Add(1)
			most.Store(max(most.Load(), open.Add(1)))
			select {
			case <-conn.Context().Done(): // the server has enough of it
			case <-ctx.Done():
				_ = conn.CloseWithError(0, "")
			}
			open.Add(-1)
		})
	}
	group.Wait()
	fmt.Printf("%d handshakes a second, %d open at most\n", int(float64(opened.Load())/time.Since(started).Seconds()), most.Load())
	return nil
}

// joins lets newcomers join, one after another, and leave.
func joins(ctx context.Context, url string, rate int) error {
	server, err := client.Find(ctx, url, client.Config{})
	if err != nil {
		return err
	}
	world, err := server.LoadLevel(ctx)
	if err != nil {
		return err
	}
	var took []time.Duration
	tried := 0
	for every := time.NewTicker(time.Second / time.Duration(rate)); ctx.Err() == nil; <-every.C {
		begun := time.Now()
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		c, err := client.Dial(soon, url, arena.NewGame().Rules(), client.Config{Name: "newcomer", Level: world, Reconnect: -1, Transports: []client.Transport{client.QUIC}})
		tried++
		if err == nil {
			if plays(soon, c) {
				took = append(took, time.Since(begun))
			}
			c.Close()
		}
		cancel()
	}
	if len(took) == 0 {
		fmt.Printf("0 of %d\n", tried)
		return nil
	}
	slices.Sort(took)
	fmt.Printf("%d of %d, %d / %d ms\n", len(took), tried, took[len(took)/2].Milliseconds(), took[len(took)-1].Milliseconds())
	return nil
}

// plays waits until a newcomer plays; it reports whether it came to that.
func plays(ctx context.Context, c *client.Client[arena.Hero, arena.Command]) bool {
	for ctx.Err() == nil {
		if err := c.Frame(&arena.Command{}); err != nil {
			return false
		}
		if c.Phase() == session.Playing {
			return true
		}
		time.Sleep(time.Second / 120)
	}
	return false
}
