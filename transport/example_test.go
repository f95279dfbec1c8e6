package transport_test

import (
	"context"
	"fmt"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
	"github.com/backstep-net/backstep/transport/quic"
	"github.com/backstep-net/backstep/transport/quic/quicserver"
)

// A server and a client on one machine, over raw QUIC.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()

	listener, err := quicserver.Listen(quicserver.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer listener.Close()
	hashes, _ := listener.Hashes() // a client gets them over HTTPS or from the console

	client, err := quic.Dial(ctx, listener.Addr().String(), hashes)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close("leaving")
	client.Stream([]byte("hello")) // until then the server's Accept does not see it

	server, err := listener.Accept(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range server.Drain(nil) { // once a tick
		fmt.Printf("%v over %s: %s\n", p.Channel, server.Kind(), p.Bytes)
	}
	server.Datagrams([]byte("a snapshot"))
	// Output: stream over quic: hello
}

// A bot inside the server, as if it played over a mobile network.
func Example_bot() {
	inside, outside := mem.Pipe()
	mobile, _ := mem.Profile("mobile")
	bot := mem.Degrade(outside, mobile, 1)
	bot.Stream([]byte("hello"))

	var got []transport.Packet
	for len(got) == 0 {
		time.Sleep(time.Millisecond)
		got = inside.Drain(got)
	}
	fmt.Printf("%s\n", got[0].Bytes)
	// Output: hello
}
