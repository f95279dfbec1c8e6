package predict

import (
	"encoding/hex"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/internal/figures"
)

// plain is an owner without cleverness: every move since the newest known truth.
type plain struct {
	truth toyState
	moves []Command[toyInput] // after the truth
}

func (m *plain) state() toyState {
	s := m.truth
	for i := range m.moves {
		toy{}.glide(&s, &m.moves[i].Input, m.moves[i].Duration)
	}
	return s
}

// after makes the state after move number the truth.
func (m *plain) after(number uint32) {
	for len(m.moves) > 0 && m.moves[0].Number <= number {
		toy{}.glide(&m.truth, &m.moves[0].Input, m.moves[0].Duration)
		m.moves = m.moves[1:]
	}
}

// ACK-06 to ACK-11 against an oracle: random moves, acknowledgements and
// corrections in order, doubled and late; after every move the owner is where the
// newest truth and the moves since then lead. [ENT-08, GAP-13, GAP-33]
func TestOwnerAgainstAnOracle(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 5))
		o, m := newToyOwner(toyState{Ammo: 50}), plain{truth: toyState{Ammo: 50}}
		var old []toyVerdict
		stamp, acked, epoch, corrections := clock.Micros(0), uint32(0), uint8(0), 0
		for range 2000 {
			d := clock.Micros(1 + r.IntN(20000))
			stamp += d + clock.Micros(r.IntN(2)*r.IntN(5000))
			in := toyInput{r.IntN(3) - 1, r.IntN(3) - 1, r.IntN(9) == 0}
			if c := o.Advance(stamp, d, in); c != nil {
				m.moves = append(m.moves, *c)
			}
			if got, want := *o.State(), m.state(); got != want {
				t.Fatalf("seed %d: after move %d %v, want %v", seed, o.number, got, want)
			}
			if len(old) > 0 && r.IntN(4) == 0 {
				v := old[r.IntN(len(old))]
				o.Receive(&v)
			}
			if n := acked + uint32(r.IntN(12)); r.IntN(3) == 0 && n <= o.number {
				v := toyVerdict{Number: n}
				acked = n
				m.after(n)
				if r.IntN(4) == 0 {
					epoch++
					corrections++
					m.truth.Pos.X += r.NormFloat64()
					m.truth.Ammo = r.IntN(50)
					v = toyVerdict{Number: n, Correction: true, Epoch: epoch, State: m.truth}
					old = nil // an acknowledgement from before it cannot follow it
				}
				old = append(old, v)
				o.Receive(&v)
			}
		}
		o.ApplyCorrection()
		if c := o.Counters(); corrections < 50 || c.Corrections != corrections || c.Dropped != 0 {
			t.Errorf("seed %d: %d corrections were sent\n%+v", seed, corrections, c)
		}
	}
}

// Packets in any order, doubled and lost: every move that came while it could still
// be run is run once, in order, with exactly its missing time before it. [SRV-02]
func TestAuthorityAgainstAnOracle(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 6))
		o, a := newToyOwner(toyState{Ammo: 50}), newToyAuthority(toyState{Ammo: 50})
		o.Redundancy, o.lossRedundancy = 2, 1
		a.Limits.SilenceTimeout, a.Limits.MaxReorderWait = -1, -1
		want := toyState{Ammo: 50}
		made := map[uint32]Command[toyInput]{}
		have := map[uint32]bool{}
		var bag [][]byte
		now, last, at := clock.Second, uint32(0), clock.Micros(0)
		for range 1500 {
			d := clock.Micros(1 + r.IntN(16000))
			now += d
			c := o.Advance(now, d, toyInput{r.IntN(3) - 1, r.IntN(3) - 1, r.IntN(9) == 0})
			if c == nil {
				continue
			}
			made[c.Number] = *c
			bag = append(bag, sealed(o, 1000))
			if r.IntN(3) > 0 {
				continue
			}
			for range r.IntN(5) {
				b := bag[max(0, len(bag)-1-r.IntN(6))]
				for m, i := opened(a, b, now), 0; i < m.count && !m.missingBaseline; i++ {
					have[m.moves[i].Number] = true
				}
				if err := open(a, now, b); err != nil {
					t.Fatal(err)
				}
			}
			for n := last + 1; n <= o.number; n++ {
				c, ok := made[n]
				if !ok || !have[n] {
					continue
				}
				if begin := c.Stamp - c.Duration; last > 0 && n != last+1 && begin > at {
					held := c.Input
					held.Fire = false
					toy{}.glide(&want, &held, min(begin-at, MaxDuration))
				}
				toy{}.glide(&want, &c.Input, c.Duration)
				last, at = n, c.Stamp
			}
			for a.Next(now) {
			}
			if *a.State() != want || a.Number() != last {
				t.Fatalf("seed %d: after move %d %v, want %d and %v", seed, a.Number(), *a.State(), last, want)
			}
		}
		if c := a.Counters(); c.Refused+c.Stale != 0 || c.GapFills < 5 || c.Duplicates < 100 {
			t.Errorf("seed %d: %+v", seed, c)
		}
	}
}

// THR-22 and THR-23: random packets of an owner that tries everything. Stamps and
// numbers of what is run only grow, no more time is run than passed, and the state
// stays finite.
func TestAdversary(t *testing.T) {
	executed := uint64(0)
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 8))
		a := newToyAuthority(toyState{Ammo: 50})
		var m packet[toyState, toyInput]
		var run, stamp clock.Micros
		var number uint32
		begin := 60 * clock.Second
		now := begin
		for range 3000 {
			now += clock.Micros(r.IntN(20000))
			m.epoch, m.count = uint8(r.IntN(3)), 1+r.IntN(MaxMoves)
			first := number + uint32(r.IntN(5))
			if r.IntN(50) == 0 {
				first += uint32(r.IntN(3000))
			}
			at := max(now+clock.Micros(r.NormFloat64()*200e3), 1) / TimeQuantum * TimeQuantum
			for i := range m.count {
				d := TimeQuantum * (1 + clock.Micros(r.IntN(int(MaxDuration/TimeQuantum))))
				at += TimeQuantum * (1 + clock.Micros(r.IntN(750)))
				m.moves[i] = Command[toyInput]{first + uint32(i), at, d, toyInput{X: r.IntN(3) - 1}}
			}
			var p bits.Packer
			p.Write(make([]byte, 2000))
			m.pack(&p, toy{}, now, nil)
			if err := open(a, now, p.Bytes()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for a.Next(now) {
				c := a.Command()
				run += c.Duration
				if c.Stamp < stamp || newer(c.Number, number) < 0 || c.Duration > MaxDuration {
					t.Fatalf("seed %d: move %d at %d after %d at %d", seed, c.Number, c.Stamp, number, stamp)
				}
				stamp, number = c.Stamp, c.Number
			}
			if v := a.Verdict(now); v != nil && r.IntN(3) > 0 {
				number = max(number, v.Number)
			}
			if most := now - begin + 2*a.limits.MaxTimeDiscrepancy + 6*clock.Second; run > most {
				t.Fatalf("seed %d: %d µs were run by %d", seed, run, most)
			}
		}
		if !a.State().Pos.Finite() || a.Counters().Executed < 100 {
			t.Errorf("seed %d: %v %+v", seed, a.State(), a.Counters())
		}
		executed += uint64(a.Counters().Executed)
	}
	figures.Check(t, "executed", 0, "30,000 hostile packets, %d moves of them run, none back in time", executed)
}

// GAP-04: the packet's form is frozen; a change of these bytes is a new protocol. [WIR-13]
func TestGoldenPacket(t *testing.T) {
	const file = "testdata/packet.hex"
	o := newToyOwner(toyState{Ammo: 5})
	for i := range clock.Micros(5) {
		o.Advance(70000+i*20000, 20000-i%2*5000, toyInput{X: int(i%3) - 1, Fire: i == 3})
	}
	got := hex.EncodeToString(sealed(o, 1000)) + "\n"
	if *update {
		os.WriteFile(file, []byte(got), 0o644)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got %swant %s", got, want)
	}
}
