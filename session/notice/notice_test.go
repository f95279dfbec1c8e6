package notice

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

type number int

func (n *number) Pack(p *bits.Packer, _ clock.Micros) { p.Ranged((*int)(n), 0, 1000) }
func (n *number) MaxBits() int                        { return 100 }

// What did not fit does not count as sent, what is acknowledged goes, the oldest gives way,
// and each notice has a number of its own.
func TestQueue(t *testing.T) {
	var q Queue[number, *number]
	push := func(v number, tick uint32) { *q.Push(tick) = v }
	for i := range 5 {
		push(number(i), 10)
	}
	if got, left := q.Oldest(250, 11); len(got.Items) != 2 || got.Items[1] != 1 || got.First != 1 || left != 50 {
		t.Errorf("got %v and %d bits left, want the first two and 50", got, left)
	}
	if q.Acknowledge(10); q.n != 3 || q.items[q.first] != 2 {
		t.Errorf("%d wait, from %d; want 3 from 2", q.n, q.items[q.first])
	}
	if q.Acknowledge(9); q.n != 3 {
		t.Errorf("%d wait after an old acknowledgement, want 3", q.n)
	}
	for i := range 40 {
		push(number(100+i), 20)
	}
	if q.n != MaxWaiting || q.items[q.first] != 140-MaxWaiting {
		t.Errorf("%d wait, from %d", q.n, q.items[q.first])
	}
	if got, _ := q.Oldest(1<<20, 20); len(got.Items) != MaxSent || got.First != 5+40-MaxWaiting+1 {
		t.Errorf("%d at once from number %d, want %d from %d", len(got.Items), got.First, MaxSent, 5+40-MaxWaiting+1)
	}
	if got, _ := q.Oldest(-1, 21); len(got.Items) != 0 {
		t.Errorf("no room: got %v", got)
	}
	if q.Acknowledge(20); q.n != MaxWaiting {
		t.Errorf("%d wait, of which none was sent", q.n)
	}
}

// 100,000 notices over packets of which a third is lost and a third comes twice: each is
// taken once, in order, also where the numbers wrap; nothing is allocated.
func TestEachOnce(t *testing.T) {
	var q Queue[number, *number]
	var list List[number, *number]
	var r Reader
	var p bits.Packer
	var buffer [256]byte
	tick, made, taken, acked := uint32(0), 0, 0, uint32(0)
	step := func() {
		tick++
		for range 2 {
			if q.Len() < MaxWaiting {
				*q.Push(tick) = number(made % 1000)
				made++
			}
		}
		sent, _ := q.Oldest(1<<12, tick+1)
		p.Write(buffer[:])
		sent.Pack(&p, 0)
		b := p.Bytes()
		for range tick % 3 {
			p.Read(b)
			list.Pack(&p, 0)
			for _, n := range New(&r, &list) {
				if int(n) != taken%1000 {
					t.Fatalf("tick %d: took %d, want %d", tick, n, taken%1000)
				}
				taken++
			}
			acked = tick
		}
		q.Acknowledge(acked)
	}
	for range 100 {
		step()
	}
	if n := testing.AllocsPerRun(60_000, step); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	if taken < 100_000 || made-taken > MaxWaiting {
		t.Errorf("%d of %d were taken", taken, made)
	}
}
