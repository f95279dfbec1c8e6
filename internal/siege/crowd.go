package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// crowd is the honest players: a process of backstep bots for each match.
type crowd struct {
	processes []*process
	begun     tally
}

// startCrowd lets bots join every match over QUIC, and waits until all of them play.
func startCrowd(ctx context.Context, o options, s *server) (*crowd, error) {
	c := &crowd{}
	for i, left := 0, o.bots; left > 0; i, left = i+1, left-o.seats {
		name := "arena"
		if i > 0 {
			name += "-" + strconv.Itoa(i+1)
		}
		p, err := startProgram(context.WithoutCancel(ctx), o.backstep, "bots", "--json", "--url", s.url, "--match", name,
			"--n", strconv.Itoa(min(left, o.seats)), "--seed", strconv.Itoa(1+1000*i))
		if err != nil {
			c.stop()
			return nil, err
		}
		c.processes = append(c.processes, p)
	}
	for range 120 {
		if t := c.now(); t.Playing == o.bots {
			return c, nil
		}
		if !sleep(ctx, time.Second) {
			break
		}
	}
	t := c.now()
	c.stop()
	return nil, fmt.Errorf("%d of %d bots play", t.Playing, o.bots)
}

// stop ends all of them.
func (c *crowd) stop() {
	for _, p := range c.processes {
		p.stop()
	}
}

// ended returns an error if a process of bots has ended: its last line would go on to say that they play.
func (c *crowd) ended() error {
	for i, p := range c.processes {
		select {
		case <-p.ended:
			return fmt.Errorf("the process of bots number %d has ended; its last line is %q", i+1, p.now())
		default:
		}
	}
	return nil
}

// tally is what bots have done so far, as backstep bots --json prints it.
type tally struct {
	Playing     int            `json:"playing"`
	Failed      int            `json:"failed"`
	Corrections int            `json:"corrections"`
	Agreed      int            `json:"agreed"`
	Disagreed   int            `json:"disagreed"`
	Verdicts    map[int]int    `json:"verdicts_ms"`
	Otherwise   map[string]int `json:"otherwise"`
}

// now sums all processes.
func (c *crowd) now() tally {
	sum := tally{Verdicts: map[int]int{}, Otherwise: map[string]int{}}
	for _, p := range c.processes {
		var t tally
		if json.Unmarshal([]byte(p.now()), &t) != nil {
			continue // nothing printed yet
		}
		sum.Playing += t.Playing
		sum.Failed += t.Failed
		sum.Corrections += t.Corrections
		sum.Agreed += t.Agreed
		sum.Disagreed += t.Disagreed
		for ms, n := range t.Verdicts {
			sum.Verdicts[ms] += n
		}
		for why, n := range t.Otherwise {
			sum.Otherwise[why] += n
		}
	}
	return sum
}

// begin and end bound a phase; end returns what was done in it. Playing and Failed are those at the end.
func (c *crowd) begin() { c.begun = c.now() }

func (c *crowd) end() tally {
	t := c.now()
	t.Failed -= c.begun.Failed
	t.Corrections -= c.begun.Corrections
	t.Agreed -= c.begun.Agreed
	t.Disagreed -= c.begun.Disagreed
	for ms, n := range c.begun.Verdicts {
		t.Verdicts[ms] -= n
	}
	for why, n := range c.begun.Otherwise {
		t.Otherwise[why] -= n
	}
	return t
}

// reasons lists the shots that were judged otherwise, by reason.
func (t *tally) reasons() string {
	var all []string
	for _, why := range slices.Sorted(maps.Keys(t.Otherwise)) {
		if n := t.Otherwise[why]; n > 0 {
			all = append(all, fmt.Sprintf("%d %s", n, why))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// verdict returns the time in ms within which a share of the verdicts came.
func (t *tally) verdict(share float64) int {
	total := 0
	var times []int
	for ms, n := range t.Verdicts {
		times = append(times, ms)
		total += n
	}
	slices.Sort(times)
	seen := 0
	for _, ms := range times {
		if seen += t.Verdicts[ms]; float64(seen) >= share*float64(total) {
			return ms
		}
	}
	return 0
}
