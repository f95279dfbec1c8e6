package edge

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/internal/bench"
	"github.com/backstep-net/backstep/internal/benchscene"
)

// turns is the number of groups in which the clients make their frames, so that players are not in step.
const turns = 4

// player is a client and its input.
type player struct {
	*client.Client[bench.Hero, bench.Command]
	play bench.Player
}

// Play runs n clients of a server over a transport. They move and shoot at 60 frames a second until in ends. Once all
// have joined, Play answers each line of in.
func Play(ctx context.Context, url, transport string, n int, in io.Reader, out io.Writer) error {
	over := client.Transport(client.UDP)
	if transport == "quic" {
		over = client.QUIC
	}
	world, err := benchscene.B.World()
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, longest)
	defer stop()
	var all []*player
	defer func() {
		var closing sync.WaitGroup // each waits until its last packets are sent
		for _, p := range all {
			closing.Go(func() { p.Close() })
		}
		closing.Wait()
	}()
	// Clients that have joined play while the others join, or the server would drop them.
	joining, joined, failed := make(chan *player), make(chan struct{}), make(chan error, 2)
	go func() {
		for i := range n {
			c, err := client.Dial(ctx, url, bench.Rules(), client.Config{
				Name: fmt.Sprint("player ", i), Match: strconv.Itoa(i % matches), Level: world, Reconnect: -1, Transports: []client.Transport{over},
			})
			if err != nil {
				failed <- fmt.Errorf("player %d: %w", i, err)
				return
			}
			joining <- &player{Client: c, play: bench.Player{Number: i}}
		}
		close(joined)
	}()
	go func() {
		select {
		case <-joined:
			failed <- answer(ctx, in, out, func() sample { return sample{CPU: cpuTime()} })
		case <-ctx.Done():
		}
	}()
	tick := time.NewTicker(time.Second / tickRate / turns)
	defer tick.Stop()
	for turn := 0; ; turn++ {
		select {
		case p := <-joining:
			all = append(all, p)
		case err := <-failed:
			return err
		case <-tick.C:
			for i := turn % turns; i < len(all); i += turns {
				if err := all[i].Frame(all[i].play.Play(all[i].Client.Client)); err != nil {
					return fmt.Errorf("player %d: %w", i, err)
				}
				all[i].Events()
			}
		}
	}
}
