package predict

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
)

// hear has a counter take a word that it must take well.
func hear(t testing.TB, c *Counter, said Count) (refused []uint32) {
	t.Helper()
	refused, err := c.Receive(said, nil)
	if err != nil {
		t.Fatal(err)
	}
	return refused
}

// loaded returns both ends of a counter of 30 that agree.
func loaded(t testing.TB, rounds int) (c Counter, tally Tally) {
	tally = NewTally(30)
	tally.Add(rounds - 30)
	hear(t, &c, tally.Word())
	return c, tally
}

// LAG-07: three quick shots: 29, 28, 27 are shown and stay, while the words about the first
// and the second come; open are 2, 1, 0.
func TestThreeQuickShots(t *testing.T) {
	c, tally := loaded(t, 30)
	var spends []Spend
	for _, want := range []int{29, 28, 27} {
		s, ok := c.Spend(1)
		if spends = append(spends, s); !ok || c.Shown() != want {
			t.Errorf("spent %v: shown %d want %d", ok, c.Shown(), want)
		}
	}
	for i, s := range spends {
		tally.Take(s, true)
		if hear(t, &c, tally.Word()); c.Shown() != 27 || len(c.Waiting()) != 2-i {
			t.Errorf("answer %d: shown %d want 27, open %d want %d", i, c.Shown(), len(c.Waiting()), 2-i)
		}
	}
}

// LAG-08, GAP-34 (b), (d): one round, two clicks: the second is none, and what is shown is 0
// and 0, also after the answer; refilled it begins at 30.
func TestTheSecondClickIsNone(t *testing.T) {
	c, tally := loaded(t, 1)
	first, ok := c.Spend(1)
	if _, dry := c.Spend(1); !ok || dry || c.Shown() != 0 || len(c.Waiting()) != 1 {
		t.Errorf("spent %v and %v, shown %d, open %d", ok, dry, c.Shown(), len(c.Waiting()))
	}
	tally.Take(first, true)
	if hear(t, &c, tally.Word()); c.Shown() != 0 || len(c.Waiting()) != 0 {
		t.Errorf("answered: shown %d, open %d", c.Shown(), len(c.Waiting()))
	}
	for _, n := range []int{1000, -5000, 31} {
		tally.Add(n)
	}
	if hear(t, &c, tally.Word()); c.Shown() != 30 {
		t.Errorf("refilled: shown %d want 30", c.Shown())
	}
	if tally.Add(-29); tally.Take(Spend{ID: 2, Cost: 2}, true) || tally.Value() != 1 {
		t.Errorf("2 of 1 were taken: %d", tally.Value())
	}
}

// LAG-09: a reload to 30 comes with one shot of ours that is younger: 29.
func TestAReloadIsAdopted(t *testing.T) {
	c, tally := loaded(t, 3)
	c.Spend(1)
	tally.Add(30)
	if hear(t, &c, tally.Word()); c.Shown() != 29 {
		t.Errorf("shown %d want 29", c.Shown())
	}
}

// GAP-34 (a): the authority's own player has no counter of spends that wait: what is shown
// is what there is, and it never grows by shooting.
func TestTheHostPlaysOnTheTally(t *testing.T) {
	tally := NewTally(30)
	for want := 29; want >= 0; want-- {
		if !tally.Use(1) || tally.Value() != want {
			t.Fatalf("got %d want %d", tally.Value(), want)
		}
	}
	if tally.Use(1) || tally.Value() != 0 {
		t.Errorf("dry: %d", tally.Value())
	}
}

// GAP-34 (c): of three shots one is refused, or lost on the way and never sent again: 28
// are left and shown; which was refused is said once.
func TestARefusedShotComesBack(t *testing.T) {
	for name, second := range map[string]func(tally *Tally, s Spend){
		"refused": func(tally *Tally, s Spend) { tally.Take(s, false) },
		"lost":    func(*Tally, Spend) {},
	} {
		c, tally := loaded(t, 30)
		a, _ := c.Spend(1)
		b, _ := c.Spend(1)
		d, _ := c.Spend(1)
		tally.Take(a, true)
		second(&tally, b)
		tally.Take(d, true)
		refused := hear(t, &c, tally.Word())
		if tally.Take(b, true) || c.Shown() != 28 || tally.Value() != 28 || !slices.Equal(refused, []uint32{2}) {
			t.Errorf("%s: shown %d, there are %d, refused %v; want 28, 28, 2", name, c.Shown(), tally.Value(), refused)
		}
		if refused = hear(t, &c, tally.Word()); len(refused) != 0 {
			t.Errorf("%s: refused again: %v", name, refused)
		}
	}
}

// An answer to what was never spent is a fault of the authority, and changes nothing; of 33
// spends without an answer the last has to wait.
func TestCountsThatCannotBe(t *testing.T) {
	c, tally := loaded(t, 30)
	c.Spend(1)
	if _, err := c.Receive(Count{Word: Word{Number: 99, Last: 2}, Value: 5}, nil); err != ErrUnknownNumber || c.Shown() != 29 {
		t.Errorf("%v, shown %d; want %v, 29", err, c.Shown(), ErrUnknownNumber)
	}
	tally.capacity = 100
	tally.Add(70)
	hear(t, &c, tally.Word())
	for range 40 {
		c.Spend(1)
	}
	if len(c.Waiting()) != MaxSpends || c.Shown() != 100-MaxSpends {
		t.Errorf("%d wait, shown %d", len(c.Waiting()), c.Shown())
	}
}

// LAG-06: the newest change is 7: a word about 5 is ignored, about 7 adopted, after which
// nothing is open, about 8 a protocol error.
func TestLatest(t *testing.T) {
	var l Latest[string]
	for _, v := range []string{"a", "b", "c", "d", "e", "f", "mine"} {
		l.Set(v)
	}
	for _, c := range []struct {
		last    uint32
		adopted bool
		err     error
		value   string
		open    bool
	}{
		{5, false, nil, "mine", true},
		{8, false, ErrUnknownNumber, "mine", true},
		{7, true, nil, "theirs", false},
		{5, false, nil, "theirs", false},
		{8, false, ErrUnknownNumber, "theirs", false},
	} {
		adopted, err := l.Receive(Word{Last: c.last}, "theirs")
		if _, _, open := l.Waiting(); adopted != c.adopted || err != c.err || l.Value() != c.value || open != c.open {
			t.Errorf("%d: adopted %v (%v), value %q, open %v; want %+v", c.last, adopted, err, l.Value(), open, c)
		}
	}
}

// LAG-10: a round trip of 300 ms, aiming on and off within 100 ms: the owner sees exactly
// two changes, and both ends end alike. A refused one is a third: back.
func TestToggle(t *testing.T) {
	for _, allowed := range []bool{true, false} {
		var own Toggle
		var real Decided[bool]
		type mail struct {
			at     int
			number uint32
			word   Word
			flag   bool
		}
		var up, down []mail
		changes, before := 0, own.Value()
		for now := 0; now < 1000; now += 10 {
			if now == 0 || now == 100 {
				own.Flip()
			}
			if n, v, open := own.Waiting(); open {
				up = append(up, mail{at: now + 150, number: n, flag: v})
			}
			for ; len(up) > 0 && up[0].at <= now; up = up[1:] {
				real.Take(up[0].number, up[0].flag, allowed || !up[0].flag)
			}
			down = append(down, mail{at: now + 150, word: real.Word(), flag: real.Value()})
			for ; len(down) > 0 && down[0].at <= now; down = down[1:] {
				if _, err := own.Receive(down[0].word, down[0].flag); err != nil {
					t.Fatal(err)
				}
			}
			if own.Value() != before {
				before = own.Value()
				changes++
			}
		}
		if _, _, open := own.Waiting(); changes != 2 || own.Value() != real.Value() || open {
			t.Errorf("allowed %v: %d changes, %v here and %v there, open %v; want 2", allowed, changes, own.Value(), real.Value(), open)
		}
	}
	var own Toggle
	var real Decided[bool]
	own.Flip()
	real.Take(1, true, false)
	if adopted, _ := own.Receive(real.Word(), real.Value()); !adopted || own.Value() {
		t.Error("a refused flip stays")
	}
	real.Set(true)
	if adopted, _ := own.Receive(real.Word(), real.Value()); !adopted || !own.Value() {
		t.Error("what the game sets does not come through")
	}
}

// mess is a line that loses a third, doubles a third, and delays by up to 30 steps, so that
// everything overtakes everything.
type mess[T any] struct {
	r   *rand.Rand
	way []T
	at  []int
}

func (m *mess[T]) send(now int, x T) {
	for n := []int{0, 1, 2}[m.r.IntN(3)]; n > 0; n-- {
		m.way, m.at = append(m.way, x), append(m.at, now+m.r.IntN(30))
	}
}

func (m *mess[T]) come(now int) (list []T) {
	for i := 0; i < len(m.way); i++ {
		if m.at[i] <= now {
			list = append(list, m.way[i])
			m.way, m.at = slices.Delete(m.way, i, i+1), slices.Delete(m.at, i, i+1)
			i--
		}
	}
	return list
}

// GAP-34 over a line that loses, doubles and reorders: no spend counts twice, what is shown
// is never below zero nor above the capacity, without refusals and refills it never rises,
// every refusal is told once, and in the end both ends agree, also where numbers wrap
// (THR-31). [LAG-07]
func TestCounterOverABadLine(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 34))
		strict := seed%3 == 0 // neither refused nor refilled
		c, tally := loaded(t, 30)
		c.sent, c.heard.Last, tally.count.Last = ^uint32(0)-10, ^uint32(0)-10, ^uint32(0)-10
		up, down := mess[[]Spend]{r: r}, mess[Count]{r: r}
		counted, told := map[uint32]int{}, map[uint32]int{}
		spent, added, shown := 0, 0, c.Shown()
		for now := range 900 {
			if now < 600 && r.IntN(6) == 0 {
				if s, ok := c.Spend(uint16(1 + r.IntN(2))); ok {
					shown -= int(s.Cost)
				}
			}
			up.send(now, slices.Clone(c.Waiting()))
			for _, list := range up.come(now) {
				for _, s := range list {
					if tally.Take(s, strict || r.IntN(4) > 0) {
						counted[s.ID]++
						spent += int(s.Cost)
					}
				}
			}
			if n := tally.Value(); !strict && r.IntN(50) == 0 {
				tally.Add(10)
				added += tally.Value() - n
			}
			down.send(now, tally.Word())
			for _, said := range down.come(now) {
				for _, id := range hear(t, &c, said) {
					told[id]++
				}
			}
			if got := c.Shown(); got < 0 || got > 30 || strict && got != shown {
				t.Fatalf("seed %d, step %d: shown %d (expected %d)", seed, now, got, shown)
			}
		}
		for id, n := range counted {
			if n != 1 || told[id] != 0 {
				t.Errorf("seed %d: spend %d counted %d times, refused %d times", seed, id, n, told[id])
			}
		}
		for id, n := range told {
			if n != 1 || strict {
				t.Errorf("seed %d: spend %d was refused %d times", seed, id, n)
			}
		}
		if c.Shown() != tally.Value() || len(c.Waiting()) != 0 || tally.Value() != 30-spent+added {
			t.Errorf("seed %d: shown %d, there are %d, want %d; %d open", seed, c.Shown(), tally.Value(), 30-spent+added, len(c.Waiting()))
		}
		if total := uint32(len(counted) + len(told)); total != c.sent+11 {
			t.Errorf("seed %d: %d of %d spends have an answer", seed, total, c.sent+11)
		}
	}
}

// LAG-06, LAG-10 over the same line: what the owner sees changes only when it changes it, as
// long as all is allowed; in the end both have the last.
func TestLatestOverABadLine(t *testing.T) {
	type change struct {
		number uint32
		value  int
	}
	type answer struct {
		word  Word
		value int
	}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 6))
		strict := seed%2 == 0
		own, real := Latest[int]{sent: ^uint32(0) - 5}, Decided[int]{word: Word{Last: ^uint32(0) - 5}}
		own.heard = real.word
		up, down := mess[change]{r: r}, mess[answer]{r: r}
		mine := 0
		for now := range 600 {
			if now < 300 && r.IntN(10) == 0 {
				mine = now
				own.Set(mine)
			}
			if n, v, open := own.Waiting(); open {
				up.send(now, change{n, v})
			}
			for _, c := range up.come(now) {
				real.Take(c.number, c.value, strict || r.IntN(3) > 0)
			}
			if !strict && now < 300 && r.IntN(30) == 0 {
				real.Set(-now)
			}
			down.send(now, answer{real.Word(), real.Value()})
			for _, a := range down.come(now) {
				if _, err := own.Receive(a.word, a.value); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			if strict && own.Value() != mine {
				t.Fatalf("seed %d, step %d: shown %d, mine is %d", seed, now, own.Value(), mine)
			}
		}
		if _, _, open := own.Waiting(); open || own.Value() != real.Value() {
			t.Errorf("seed %d: %d here, %d there, open %v", seed, own.Value(), real.Value(), open)
		}
	}
}

// What travels is read as it was written.
func TestCountAndSpendPack(t *testing.T) {
	count, spend := Count{Word{7, 8}, 9, 10}, Spend{11, 12}
	var p bits.Packer
	p.Write(make([]byte, 32))
	count.Pack(&p)
	spend.Pack(&p)
	if want := []byte{7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 10, 0, 0, 0, 11, 0, 0, 0, 12, 0}; !bytes.Equal(p.Bytes(), want) {
		t.Errorf("got % x want % x", p.Bytes(), want)
	}
	var c Count
	var s Spend
	p.Read(p.Bytes())
	c.Pack(&p)
	s.Pack(&p)
	if p.End(); p.Err() != nil || c != count || s != spend {
		t.Errorf("%+v, %+v (%v)", c, s, p.Err())
	}
}
