package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/internal/bench"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
	"github.com/backstep-net/backstep/transport/udp"
	"github.com/backstep-net/backstep/transport/udp/udpclients"
)

const (
	// frameRate is the frames a second of each client, at least; at a higher tick rate it is that.
	frameRate = 60
	// turns is the number of groups in which the clients make their frames, so that players are not in step.
	turns = 4
	// joinsAtOnce is how many clients connect at the same time.
	joinsAtOnce = 4
	// shownLosses is how many clients that were lost are reported.
	shownLosses = 3
)

// player is a client and its input.
type player struct {
	*client.Client[bench.Hero, bench.Command]
	play  bench.Player
	conn  transport.Conn
	most  int   // objects that it has drawn at once
	ended error // why it plays no more
}

// crowd is the clients of a load.
type crowd struct {
	load      *load
	url, over string // of the server, and the name of the transport
	world     *collide.World
	socket    *udpclients.Socket // of all clients over UDP
	rules     session.Game[bench.Hero, bench.Command]
	players   []*player // that have joined
	begun     int       // how many have begun to join
	slots     chan struct{}
	joined    chan *player
	lost      int
	frames    uint64
}

// Play runs clients of a load over a transport. They move and shoot, or watch, at 60 frames a second or more until in
// ends. Play answers each line of in; a number in a line is how many clients there are to be.
func Play(ctx context.Context, name string, matches, players int, url, over string, in io.Reader, out io.Writer) error {
	l := loads[name]
	l.matches, l.players = matches, players
	world, err := l.world()
	if err != nil {
		return err
	}
	socket, err := udpclients.New()
	if err != nil {
		return err
	}
	defer socket.Close()
	ctx, stop := context.WithTimeout(ctx, longest)
	defer stop()
	c := crowd{load: &l, url: url, over: over, world: world, socket: socket, rules: bench.Rules(), slots: make(chan struct{}, joinsAtOnce), joined: make(chan *player)}
	defer c.close()
	lines := linesOf(ctx, in)
	tick := time.NewTicker(time.Second / time.Duration(l.frameRate()) / turns)
	defer tick.Stop()
	for turn := 0; ; turn++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p := <-c.joined:
			if c.players = append(c.players, p); p.ended != nil {
				c.lose(p)
			}
		case line, ok := <-lines:
			if !ok {
				return nil
			}
			wanted, _ := strconv.Atoi(line) // an empty line wants no more
			for ; c.begun < wanted; c.begun++ {
				go c.join(ctx, c.begun)
			}
			if err := json.NewEncoder(out).Encode(c.sample()); err != nil {
				return err
			}
		case <-tick.C:
			c.frame(turn % turns)
		}
	}
}

// frameRate is the frames and datagrams a second of each client.
func (l *load) frameRate() int { return max(frameRate, l.tickRate) }

// join connects player number i of the load.
func (c *crowd) join(ctx context.Context, i int) {
	c.slots <- struct{}{}
	p := &player{play: bench.Player{Number: i}}
	p.Client, p.ended = client.Dial(ctx, c.url, c.rules, client.Config{
		Name: fmt.Sprint("player ", i), Match: strconv.Itoa(i / c.load.players), Level: c.world, Reconnect: -1,
		Session:    session.ClientConfig{SendRate: c.load.frameRate()},
		Transports: []client.Transport{c.transport(p)},
	})
	<-c.slots
	select {
	case c.joined <- p:
	case <-ctx.Done():
	}
}

// transport returns the transport of the load with its longer round trip. It remembers the player's connection.
func (c *crowd) transport(p *player) client.Transport {
	over := map[string]client.Transport{"udp": c.udp, "quic": client.QUIC, "websocket": client.WebSocket}[c.over]
	return func(ctx context.Context, s *client.Server) (transport.Conn, error) {
		var err error
		if p.conn, err = over(ctx, s); err == nil && c.load.roundTrip > 0 {
			p.conn = mem.Degrade(p.conn, mem.Network{RTT: c.load.roundTrip}, 1)
		}
		return p.conn, err
	}
}

// udp connects over UDP, through the socket of all clients.
func (c *crowd) udp(ctx context.Context, s *client.Server) (transport.Conn, error) {
	ticket, err := udp.ParseTicket(s.Answer.UDP)
	if err != nil {
		return nil, err
	}
	return c.socket.Dial(ctx, s.Answer.QUIC, ticket)
}

// frame makes a frame of the clients whose turn it is.
func (c *crowd) frame(turn int) {
	c.socket.Receive()
	defer c.socket.Flush()
	for i := turn; i < len(c.players); i += turns {
		p := c.players[i]
		if p.ended != nil {
			continue
		}
		if p.ended = p.Frame(p.play.Play(p.Client.Client)); p.ended != nil {
			c.lose(p)
			continue
		}
		p.Events()
		if c.load.objects > 0 {
			p.most = max(p.most, len(p.Entities()))
		}
		c.frames++
	}
}

// lose counts a client that has ended, and reports the first ones.
func (c *crowd) lose(p *player) {
	if c.lost++; c.lost <= shownLosses {
		fmt.Fprintf(os.Stderr, "player %d: %v\n", p.play.Number, p.ended)
	}
}

// sample reports what the clients have done, received and drawn.
func (c *crowd) sample() sample {
	s := newSample()
	s.Lost, s.Frames = c.lost, c.frames
	for _, p := range c.players {
		if p.Client == nil { // it could not join
			continue
		}
		stats, packets := p.Stats(), p.conn.Stats()
		s.Datagrams, s.Payload, s.PayloadOut = s.Datagrams+stats.In.Datagrams, s.Payload+stats.In.Bytes, s.PayloadOut+stats.Out.Bytes
		s.PacketsIn, s.EncryptedIn = s.PacketsIn+packets.PacketsIn, s.EncryptedIn+packets.EncryptedIn
		s.Agreed, s.Disagreed = s.Agreed+stats.Agreed, s.Disagreed+stats.Disagreed
		s.Corrections += stats.Moves.Corrections + stats.Moves.Timeouts + stats.Moves.Throttles
		if p.ended == nil && p.Phase() == session.Playing {
			s.Playing++
		}
		if s.Joined++; s.Joined == 1 || p.most < s.Drawn {
			s.Drawn = p.most
		}
	}
	return s
}

// close ends all clients.
func (c *crowd) close() {
	var closing sync.WaitGroup // each waits until its last packets are sent
	for _, p := range c.players {
		if p.Client != nil {
			closing.Go(p.Close)
		}
	}
	closed := make(chan struct{})
	go func() { closing.Wait(); close(closed) }()
	for {
		select {
		case <-closed:
			return
		case <-time.After(time.Millisecond):
			c.socket.Receive()
		}
	}
}
