//go:build !js

package websocket_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/backstep-net/backstep/transport/websocket"
)

// An HTTP server with the game's WebSocket at /ws, and a client.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()

	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	listener := websocket.New(websocket.Config{Addr: tcp.Addr()})
	mux := http.NewServeMux()
	mux.Handle("/ws", listener)
	web := &http.Server{Handler: mux}
	go web.Serve(tcp)
	defer web.Close()
	defer listener.Close()

	client, err := websocket.Dial(ctx, "ws://"+tcp.Addr().String()+"/ws")
	if err != nil {
		fmt.Println(err)
		return
	}
	client.Stream([]byte("hello"))

	server, err := listener.Accept(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range server.Drain(nil) {
		fmt.Printf("%v over %s: %s\n", p.Channel, server.Kind(), p.Bytes)
	}
	// Output: stream over websocket: hello
}
