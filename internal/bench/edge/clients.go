package edge

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/internal/bench"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
)

// frameRate is the frames a second of each client.
const frameRate = 60

// turns is the number of groups in which the clients make their frames, so that players are not in step.
const turns = 4

// player is a client and its input.
type player struct {
	*client.Client[bench.Hero, bench.Command]
	play bench.Player
	conn transport.Conn
	most int // objects that it has drawn at once
}

// Play runs the clients of a load over a transport. They move and shoot, or watch, at 60 frames a second until in ends. Once
// all have joined, Play answers each line of in.
func Play(ctx context.Context, name string, players int, url, over string, in io.Reader, out io.Writer) error {
	l := loads[name]
	l.players = players
	world, err := l.world()
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
	asked := make(chan chan sample)
	go func() {
		for i := range l.matches * l.players {
			p, err := l.join(ctx, i, url, over, world)
			if err != nil {
				failed <- fmt.Errorf("player %d: %w", i, err)
				return
			}
			joining <- p
		}
		close(joined)
	}()
	go func() {
		select {
		case <-joined:
			failed <- answer(ctx, in, out, func() sample {
				of := make(chan sample, 1)
				select {
				case asked <- of:
					return <-of
				case <-ctx.Done():
					return sample{}
				}
			})
		case <-ctx.Done():
		}
	}()
	tick := time.NewTicker(time.Second / frameRate / turns)
	defer tick.Stop()
	for turn := 0; ; turn++ {
		select {
		case p := <-joining:
			all = append(all, p)
		case err := <-failed:
			return err
		case of := <-asked:
			of <- sampleOf(all)
		case <-tick.C:
			for i := turn % turns; i < len(all); i += turns {
				if err := all[i].Frame(all[i].play.Play(all[i].Client.Client)); err != nil {
					return fmt.Errorf("player %d: %w", i, err)
				}
				all[i].Events()
				all[i].most = max(all[i].most, len(all[i].Entities()))
			}
		}
	}
}

// join connects player number i of the load.
func (l *load) join(ctx context.Context, i int, url, over string, world *collide.World) (p *player, err error) {
	p = &player{play: bench.Player{Number: i}}
	p.Client, err = client.Dial(ctx, url, bench.Rules(), client.Config{
		Name: fmt.Sprint("player ", i), Match: strconv.Itoa(i % l.matches), Level: world, Reconnect: -1,
		Transports: []client.Transport{p.transport(over, l.roundTrip)},
	})
	return p, err
}

// transport returns the transport of that name with a longer round trip. It remembers the player's connection.
func (p *player) transport(name string, roundTrip time.Duration) client.Transport {
	over := client.Transport(client.UDP)
	if name == "quic" {
		over = client.QUIC
	}
	return func(ctx context.Context, s *client.Server) (transport.Conn, error) {
		var err error
		if p.conn, err = over(ctx, s); err == nil && roundTrip > 0 {
			p.conn = mem.Degrade(p.conn, mem.Network{RTT: roundTrip}, 1)
		}
		return p.conn, err
	}
}

// sampleOf reports what the clients have received and draw.
func sampleOf(all []*player) sample {
	s := newSample()
	for i, p := range all {
		in, packets := p.Stats().In, p.conn.Stats()
		s.Datagrams, s.Payload = s.Datagrams+in.Datagrams, s.Payload+in.Bytes
		s.PacketsIn, s.EncryptedIn = s.PacketsIn+packets.PacketsIn, s.EncryptedIn+packets.EncryptedIn
		if i == 0 || p.most < s.Drawn {
			s.Drawn = p.most
		}
	}
	return s
}
