package udpclients_test

import (
	"context"
	"fmt"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/udp/udpclients"
	"github.com/backstep-net/backstep/transport/udp/udpserver"
)

// Clients join in the background, while the loop of the program receives and sends for all of them.
func ExampleSocket() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	listener, err := udpserver.Listen(udpserver.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer listener.Close()
	socket, err := udpclients.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer socket.Close()
	joined := make(chan transport.Conn)
	for range 2 {
		go func() {
			c, err := socket.Dial(ctx, listener.Addr().String(), listener.Ticket())
			if err != nil {
				fmt.Println(err)
			}
			joined <- c
		}()
	}
	var clients []transport.Conn
	for len(clients) < 2 {
		socket.Receive()
		select {
		case c := <-joined:
			clients = append(clients, c)
		case <-time.After(time.Millisecond): // until the next frame
		}
	}
	socket.Receive()
	for _, c := range clients {
		c.Datagrams([]byte("a move")) // a client's frame
	}
	socket.Flush()
	fmt.Println(len(clients), "clients")
	// Output: 2 clients
}
