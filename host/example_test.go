package host_test

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/backstep-net/backstep/host"
)

// A server with one match of a game, here the arena's: New opens the ports, Run
// serves until its context ends.
func ExampleHost() {
	h, err := host.New(host.Config{
		Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0",
		Matches: []host.MatchConfig{{Name: "arena", TickRate: 60, Match: newMatch(16)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error)
	go func() { ended <- h.Run(ctx) }()

	res, err := http.Get("http://" + h.Addr().String() + "/healthz")
	if err != nil {
		fmt.Println(err)
		return
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	fmt.Print(string(body))

	stop()
	http.DefaultClient.CloseIdleConnections()
	fmt.Println(<-ended)
	// Output:
	// ok
	// <nil>
}
