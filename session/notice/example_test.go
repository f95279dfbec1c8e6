package notice_test

import (
	"fmt"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session/notice"
)

// Goal is a notice of a game: which team scored.
type Goal struct{ Team uint8 }

func (g *Goal) Pack(p *bits.Packer, _ clock.Micros) { p.Byte(&g.Team) }
func (g *Goal) MaxBits() int                        { return 8 }

// Two goals are sent with every datagram until one of them is acknowledged; the client, which
// gets two of those datagrams, takes each goal once.
func Example() {
	var queue notice.Queue[Goal, *Goal]
	queue.Push(7).Team = 1
	queue.Push(7).Team = 2

	var taken notice.Reader
	var received notice.List[Goal, *Goal]
	var p bits.Packer
	for tick := uint32(7); tick < 9; tick++ {
		sent, _ := queue.Oldest(1000, tick+1)
		p.Write(make([]byte, 100))
		sent.Pack(&p, 0)
		p.Read(p.Bytes())
		received.Pack(&p, 0)
		for _, g := range notice.New(&taken, &received) {
			fmt.Printf("tick %d: team %d scored\n", tick, g.Team)
		}
	}
	queue.Acknowledge(8)
	fmt.Println(queue.Len(), "wait")
	// Output:
	// tick 7: team 1 scored
	// tick 7: team 2 scored
	// 0 wait
}
