package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/backstep-net/backstep/lab"
)

// maxTries bounds the cases that are played to shrink one.
const maxTries = 400

// shrink makes the case smaller as long as the same invariant breaks: greedily, the largest parts
// first, until no part can go.
func (f *Failure) shrink(ctx context.Context, g lab.Game) {
	for again := true; again; {
		again = false
		for _, less := range []func(*Case) []Case{shorter, fewerPlayers, fewerFaults, fewerEntries, fewerKeys, shorterFaults, sooner} {
			for f.smaller(ctx, g, less(&f.Case)) {
				again = true
			}
		}
	}
	f.Case.Name = fmt.Sprintf("swarm, seed %d, shrunk", f.Seed)
	f.Case.Comments = []string{"Breaks the invariant: " + f.Broken.Invariant + "."}
}

// smaller tries smaller cases and takes the first that breaks the same invariant.
func (f *Failure) smaller(ctx context.Context, g lab.Game, less []Case) bool {
	for i := range less {
		if f.Tried >= maxTries || ctx.Err() != nil {
			return false
		}
		f.Tried++
		_, _, err := play(ctx, g, &less[i])
		var b *Broken
		if errors.As(err, &b) && b.Invariant == f.Broken.Invariant {
			f.Case, f.Broken = less[i], b
			return true
		}
	}
	return false
}

// shorter returns the case with a shorter time; what would be later is left out.
func shorter(c *Case) (less []Case) {
	for _, seconds := range []int{c.Seconds / 4, c.Seconds / 2, c.Seconds * 3 / 4, c.Seconds - 1} {
		if seconds >= 1 && seconds < c.Seconds {
			n := c.clone()
			n.Seconds = seconds
			n.Faults = slices.DeleteFunc(n.Faults, func(f Fault) bool { return f.At+f.For > seconds*1000 })
			for i := range n.Players {
				n.Players[i].Script = slices.DeleteFunc(n.Players[i].Script, func(e Entry) bool { return e.At > seconds*1000 })
			}
			less = append(less, n)
		}
	}
	return less
}

// fewerPlayers returns the case without half of its players, and without each.
func fewerPlayers(c *Case) []Case {
	return without(c, len(c.Players), func(n *Case, from, to int) bool {
		for _, p := range n.Players[from:to] {
			n.Faults = slices.DeleteFunc(n.Faults, func(f Fault) bool { return f.Player == p.Name })
			for i := range n.Players {
				n.Players[i].Script = slices.DeleteFunc(n.Players[i].Script, func(e Entry) bool { return e.Target == p.Name })
			}
		}
		n.Players = slices.Delete(n.Players, from, to)
		return len(n.Players) > 0
	})
}

func fewerFaults(c *Case) []Case {
	return without(c, len(c.Faults), func(n *Case, from, to int) bool {
		n.Faults = slices.Delete(n.Faults, from, to)
		return true
	})
}

func fewerEntries(c *Case) (less []Case) {
	for i := range c.Players {
		less = append(less, without(c, len(c.Players[i].Script), func(n *Case, from, to int) bool {
			n.Players[i].Script = slices.Delete(n.Players[i].Script, from, to)
			return true
		})...)
	}
	return less
}

// fewerKeys returns the case with a default in the place of each key.
func fewerKeys(c *Case) (less []Case) {
	less = without(c, len(c.Server), func(n *Case, from, to int) bool {
		n.Server = slices.Delete(n.Server, from, to)
		return true
	})
	for i := range c.Players {
		less = append(less, without(c, len(c.Players[i].Keys), func(n *Case, from, to int) bool {
			p := &n.Players[i]
			if slices.ContainsFunc(p.Keys[from:to], func(k Key) bool { return k.Name == "at" }) {
				return false
			}
			p.Keys = slices.Delete(p.Keys, from, to)
			return true
		})...)
	}
	return less
}

func shorterFaults(c *Case) (less []Case) {
	for i := range c.Faults {
		if c.Faults[i].For >= 100 {
			n := c.clone()
			n.Faults[i].For /= 2
			less = append(less, n)
		}
	}
	return less
}

// sooner returns the case without the wait before anything happens, and with half of it: then it can be shorter.
func sooner(c *Case) (less []Case) {
	wait := c.Seconds * 1000
	for _, f := range c.Faults {
		wait = min(wait, f.At)
	}
	for i := range c.Players {
		for _, e := range c.Players[i].Script {
			wait = min(wait, e.At)
		}
	}
	for _, by := range []int{wait, wait / 2} {
		if by < 100 || wait == c.Seconds*1000 {
			break
		}
		n := c.clone()
		for i := range n.Faults {
			n.Faults[i].At -= by
		}
		for i := range n.Players {
			for k := range n.Players[i].Script {
				n.Players[i].Script[k].At -= by
			}
		}
		less = append(less, n)
	}
	return less
}

// without returns the case without each half of n members, each quarter, and so on to single ones.
func without(c *Case, n int, cut func(c *Case, from, to int) bool) (less []Case) {
	for size := n; size >= 1; size /= 2 {
		for from := 0; from < n; from += size {
			if next := c.clone(); cut(&next, from, min(from+size, n)) {
				less = append(less, next)
			}
		}
	}
	return less
}

// clone returns a copy that shares nothing that shrinking changes.
func (c *Case) clone() Case {
	n := *c
	n.Server, n.Faults, n.Players = slices.Clone(c.Server), slices.Clone(c.Faults), slices.Clone(c.Players)
	for i := range n.Players {
		n.Players[i].Keys, n.Players[i].Script = slices.Clone(c.Players[i].Keys), slices.Clone(c.Players[i].Script)
	}
	return n
}
