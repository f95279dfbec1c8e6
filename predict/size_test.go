package predict

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
)

// turner is a walker who looks around: its inputs are written as movement writes its
// commands (1 bit as before, 12 for a turn by up to 512 steps of 65,536, 23 for any
// other, 30 for more than a turn).
type turner struct{ toy }

type turnInput struct {
	toyInput
	Yaw uint16
}

func (turner) Step(s *toyState, c *Command[turnInput]) {
	toy{}.glide(s, &c.Input.toyInput, c.Duration)
}
func (turner) ClearOneTime(c *turnInput) {}
func (turner) PackCommand(p *bits.Packer, c, before *turnInput) {
	same := *c == *before
	if p.Bool(&same); same {
		*c = *before
		return
	}
	by := int(int16(c.Yaw - before.Yaw))
	near := c.toyInput == before.toyInput && max(by, -by) <= 512
	if p.Bool(&near); near {
		up := by > 0
		p.Bool(&up)
		n := uint64(max(by, -by) - 1)
		p.Uint(&n, 9)
		if by = int(n) + 1; !up {
			by = -by
		}
		c.toyInput, c.Yaw = before.toyInput, before.Yaw+uint16(by)
		return
	}
	turned := c.toyInput == before.toyInput
	n := uint64(0)
	if p.Bool(&turned); turned {
		c.toyInput = before.toyInput
		p.Uint(&n, 4)
	} else {
		p.Uint(&n, 6)
		p.Ranged(&c.X, -1, 1)
		p.Ranged(&c.Z, -1, 1)
		p.Bool(&c.Fire)
	}
	p.Uint16(&c.Yaw)
}
func (turner) Combine(_, _ *toyState, first, second *Command[turnInput]) bool {
	return first.Input.toyInput == second.Input.toyInput
}

func (turner) Important(_, _ *toyState, _ *Command[turnInput]) bool { return false }

// walk lets a turner walk for 60 s at so many frames a second, with packets 60 times a
// second, acknowledged after 100 ms, and returns bytes and new moves a packet.
func walk(fps, fold int, uneven clock.Micros) (long, moves float64) {
	o := NewOwner[toyState, turnInput](turner{}, toyState{})
	a := NewAuthority[toyState, turnInput](turner{}, toyState{}, nil)
	o.Redundancy = fold
	o.SetLoss(0, 0)
	var p bits.Packer
	buf := make([]byte, 1000)
	var acks []Verdict[toyState]
	begin, sent, packets, total := clock.Second, clock.Micros(0), 0, 0
	before := begin
	for n := int64(1); n <= 60*int64(fps); n++ {
		now := begin + clock.TickTime(n, fps) + uneven*clock.Micros(n*7919%13)/13
		in := turnInput{toyInput{X: 1}, uint16(now / 1000 * 273 / 16)} // 94° a second
		o.Advance(now, now-before, in)
		before = now
		if now-sent < 16000 && !o.Urgent() {
			continue
		}
		sent = now
		p.Write(buf)
		o.Pack(&p, 600)
		total += p.Bits()
		packets++
		p.Read(p.Bytes())
		if a.Receive(now, now, &p) != nil {
			panic(p.Err())
		}
		for a.Next(now) {
		}
		acks = append(acks, *a.Verdict(now))
		if len(acks) > 6 {
			o.Receive(&acks[0])
			acks = acks[1:]
		}
	}
	if c := o.Counters(); c.Corrections != 0 || a.Counters().Executed != c.Sent {
		panic("the line is perfect, but moves were lost")
	}
	return float64(total) / 8 / float64(packets), float64(o.Counters().Sent) / float64(packets)
}

// GAP-21, WIR-13: how long a section of moves is, for somebody who walks and turns all
// the time.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		fps, fold int
		uneven    clock.Micros
		most      float64
	}{
		{60, 1, 0, 14}, {60, 3, 0, 16}, {60, 3, 500, 18}, {60, 8, 0, 26}, {144, 3, 0, 18}, {240, 3, 0, 16},
	} {
		bytes, moves := walk(c.fps, c.fold, c.uneven)
		if c.fold == 1 {
			figures.Check(t, "section", 0.05, "%.1f bytes", bytes/moves)
		}
		t.Logf("%d frames a second, uneven by %d µs, each move in %d packets: %.2f bytes a packet of %.2f new moves", c.fps, c.uneven, c.fold, bytes, moves)
		if bytes > c.most {
			t.Errorf("%d frames a second, each move in %d packets: %.2f bytes, want at most %v", c.fps, c.fold, bytes, c.most)
		}
	}
}

// The bits of a section by its parts, as docs/protocol.md has them. [WIR-11, WIR-13]
func TestBitsOfASection(t *testing.T) {
	o := newToyOwner(toyState{})
	bitsOf := func() int {
		var p bits.Packer
		p.Write(make([]byte, 1000))
		o.Pack(&p, 1000)
		return p.Bits()
	}
	if n := bitsOf(); n != 17 {
		t.Errorf("no moves: %d bits, want 17", n)
	}
	o.SetLoss(0, 0)
	o.Redundancy = 1
	o.Advance(clock.Second, 16680, toyInput{})
	if n, want := bitsOf(), 6+4+1+16+19+12+1+38; n != want {
		t.Errorf("a first move: %d bits, want %d", n, want)
	}
	o.Advance(clock.Second+16680, 16680, toyInput{})
	o.Receive(&toyVerdict{Number: 1})
	if n, want := bitsOf(), 6+4+1+10+5+(1+1+1)+38; n != want {
		t.Errorf("a move on the one before: %d bits, want %d", n, want)
	}
	o.ackDelay.age = clock.Second // otherwise so many moves would count as a stalled link
	for i := range clock.Micros(16) {
		o.Advance(clock.Second+16680*(i+2), 16680, toyInput{})
	}
	if n, want := bitsOf(), 6+4+7+1+10+5+16*(1+1+1)+38; n != want {
		t.Errorf("16 moves: %d bits, want %d", n, want)
	}
	if at := o.State().Pos; at != (geom.Vec3{}) {
		t.Errorf("stands at %v", at)
	}
}
