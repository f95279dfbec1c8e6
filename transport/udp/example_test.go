package udp_test

import (
	"context"
	"fmt"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/udp"
	"github.com/backstep-net/backstep/transport/udp/udpserver"
)

// The server hands out a ticket, in its join answer, and the client connects with it.
func ExampleDial() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	listener, err := udpserver.Listen(udpserver.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer listener.Close()
	conn, err := udp.Dial(ctx, listener.Addr().String(), listener.Ticket())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close("leaving")
	conn.Stream([]byte("hello")) // until then the server's Accept does not see it
	server, err := listener.Accept(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	server.Stream([]byte("welcome"))
	var got []transport.Packet
	for len(got) == 0 && !conn.Closed() {
		got = conn.Drain(got)
		time.Sleep(time.Millisecond)
	}
	fmt.Printf("%s\n", got[0].Bytes)
	// Output: welcome
}
