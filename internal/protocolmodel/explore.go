package protocolmodel

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Report is what an exploration found.
type Report struct {
	Players int // states of one player
	States  int // states of the match, each once
	Steps   int // transitions, each followed
	Depth   int // of the farthest state
	Bytes   int // of the table of states
	// Broken is the first property that does not hold, with the actions of the player that lead to it; empty:
	// all hold.
	Broken Violation
	Trace  []Action
}

// edge is a step of one player, by the indices of its states.
type edge struct {
	to     uint32
	flight int8 // datagrams more in flight
}

// component is the states of one player and their steps.
type component struct {
	states []Player
	flight []int8
	edges  [][]edge
	away   []uint32 // the state after a restart
	from   []uint32 // how each state was reached first
	by     []Action
}

// Explore explores every state of a match of three players within the bounds, breadth first from the quiet
// one, and checks the properties at each step. Most is how many states there is room for; it panics beyond
// 7/8 of it.
func Explore(b Bounds, f Flaws, most int) Report {
	c, r := enumerate(&b, f)
	if r.Broken != "" || most == 0 {
		return r
	}
	m := newMatch(c, &b, most)
	m.explore()
	r.States, r.Steps, r.Depth, r.Bytes = int(m.states.Load()), int(m.steps.Load()), m.depth, 8*len(m.table)
	return r
}

// enumerate enumerates the states of one player, breadth first.
func enumerate(b *Bounds, f Flaws) (*component, Report) {
	c := &component{}
	index := map[Player]uint32{}
	add := func(p Player, from uint32, by Action) uint32 {
		i, there := index[p]
		if !there {
			i = uint32(len(c.states))
			index[p] = i
			c.states, c.flight = append(c.states, p), append(c.flight, int8(p.InFlight()))
			c.from, c.by = append(c.from, from), append(c.by, by)
		}
		return i
	}
	add(Player{}, 0, Action{})
	for i := 0; i < len(c.states); i++ {
		p := c.states[i]
		if _, ok := p.Settle(b, f); !ok {
			return c, Report{Players: len(c.states), Broken: Stuck, Trace: c.trace(uint32(i))}
		}
		var edges []edge
		for _, a := range p.Actions() {
			next, ok, broken := p.Step(a, b, f)
			if broken != "" {
				return c, Report{Players: len(c.states), Broken: broken, Trace: append(c.trace(uint32(i)), a)}
			}
			if !ok || next == p {
				continue
			}
			to := add(next, uint32(i), a)
			if e := (edge{to, c.flight[to] - c.flight[i]}); !slices.Contains(edges, e) {
				edges = append(edges, e)
			}
		}
		c.edges = append(c.edges, edges)
		gone := p
		gone.lose(f)
		c.away = append(c.away, add(gone, uint32(i), Action{Kind: Restart}))
	}
	return c, Report{Players: len(c.states)}
}

// trace returns the actions that lead to a state.
func (c *component) trace(i uint32) (list []Action) {
	for ; i != 0; i = c.from[i] {
		list = append(list, c.by[i])
	}
	slices.Reverse(list)
	return list
}

// match is an exploration of three players.
type match struct {
	*component
	most   int8
	table  []uint64 // open addressing; 0 is free: a state is stored plus one
	mask   uint64
	states atomic.Int64
	steps  atomic.Int64
	depth  int
}

// indexBits is of one player's state in a word.
const indexBits = 21

func newMatch(c *component, b *Bounds, most int) *match {
	if len(c.states) >= 1<<indexBits {
		panic(fmt.Sprintf("protocolmodel: %d states of one player are more than a word has room for", len(c.states)))
	}
	size := 1
	for size < most {
		size *= 2
	}
	return &match{component: c, most: int8(b.Flight), table: make([]uint64, size), mask: uint64(size - 1)}
}

// word packs three states. Players are alike, so their order does not count.
func word(x, y, z uint32) uint64 {
	if x > y {
		x, y = y, x
	}
	if y > z {
		y, z = z, y
	}
	if x > y {
		x, y = y, x
	}
	return uint64(x)<<(2*indexBits) | uint64(y)<<indexBits | uint64(z)
}

// insert notes a state and reports whether it is new.
func (m *match) insert(w uint64) bool {
	h := w * 0x9e3779b97f4a7c15
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	for at := (h ^ h>>29) & m.mask; ; at = (at + 1) & m.mask {
		switch got := atomic.LoadUint64(&m.table[at]); {
		case got == w+1:
			return false
		case got == 0:
			if atomic.CompareAndSwapUint64(&m.table[at], 0, w+1) {
				return true
			}
			if atomic.LoadUint64(&m.table[at]) == w+1 {
				return false
			}
		}
	}
}

// explore follows all steps from the quiet state.
func (m *match) explore() {
	frontier := []uint64{word(0, 0, 0)}
	m.insert(frontier[0])
	m.states.Store(1)
	for {
		next := m.layer(frontier)
		if len(next) == 0 {
			return
		}
		m.depth++
		frontier = next
	}
}

// layer returns the states that are new after those of the frontier, on all processors.
func (m *match) layer(frontier []uint64) []uint64 {
	workers := runtime.GOMAXPROCS(0)
	parts := make([][]uint64, workers)
	var at atomic.Int64
	var group sync.WaitGroup
	const chunk = 1 << 10
	for i := range workers {
		group.Go(func() {
			steps := 0
			for {
				from := int(at.Add(chunk)) - chunk
				if from >= len(frontier) {
					break
				}
				before := len(parts[i])
				for _, w := range frontier[from:min(from+chunk, len(frontier))] {
					parts[i], steps = m.expand(w, parts[i], steps)
				}
				if m.states.Add(int64(len(parts[i])-before)) > int64(len(m.table)/8*7) {
					panic("protocolmodel: there are more states than there is room for")
				}
			}
			m.steps.Add(int64(steps))
		})
	}
	group.Wait()
	return slices.Concat(parts...)
}

// expand follows all steps from a state.
func (m *match) expand(w uint64, into []uint64, steps int) ([]uint64, int) {
	const low = 1<<indexBits - 1
	s := [3]uint32{uint32(w >> (2 * indexBits)), uint32(w >> indexBits & low), uint32(w & low)}
	flight := m.flight[s[0]] + m.flight[s[1]] + m.flight[s[2]]
	for i, x := range s {
		if i > 0 && x == s[i-1] {
			continue // alike: the same steps
		}
		y, z := s[(i+1)%3], s[(i+2)%3]
		for _, e := range m.edges[x] {
			if flight+e.flight > m.most {
				continue
			}
			steps++
			if next := word(e.to, y, z); m.insert(next) {
				into = append(into, next)
			}
		}
	}
	steps++
	if next := word(m.away[s[0]], m.away[s[1]], m.away[s[2]]); m.insert(next) {
		into = append(into, next)
	}
	return into, steps
}
