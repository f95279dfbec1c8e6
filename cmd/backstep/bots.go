package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/backstep-net/backstep/clock"
)

type botsCommand struct {
	N         int           `default:"4" help:"How many bots, 1 to 200."`
	URL       string        `default:"http://localhost:8080" help:"The server's page."`
	Match     string        `placeholder:"NAME" help:"Which match to join; the first by default."`
	TokenKey  string        `name:"token-key" type:"path" placeholder:"FILE" help:"A key for issuing the bots' connect tokens, for a server that requires them."`
	Transport string        `default:"quic" enum:"udp,quic,webtransport,websocket" help:"udp, quic, webtransport or websocket."`
	For       time.Duration `default:"0s" help:"Leave after this time; 0s means stay until interrupted."`
	Frames    int           `default:"60" help:"Frames per second of each bot, 1 to 1000."`
	Sharp     bool          `help:"Bots with a perfect aim."`
	RTT       time.Duration `name:"rtt" default:"0s" help:"Round-trip time added to each bot's network, at most 10s."`
	Jitter    time.Duration `default:"0s" help:"Largest random delay added to each packet, at most 10s."`
	Loss      float64       `default:"0" help:"Share of packets lost in each direction: 0.05 is 5 %."`
	Seed      uint64        `default:"1" help:"Seed of the bots' behaviour and of the simulated network."`
	JSON      bool          `name:"json" help:"Print each second, and the end, as a line of JSON."`
}

// Validate reports invalid flags. Kong calls it.
func (c *botsCommand) Validate() error {
	const most = 10 * time.Second
	switch {
	case c.N < 1 || c.N > 200:
		return fmt.Errorf("--n=%d: want 1 to 200", c.N)
	case c.Frames < 1 || c.Frames > 1000:
		return fmt.Errorf("--frames=%d: want 1 to 1000", c.Frames)
	case !(c.Loss >= 0 && c.Loss <= 1): // false for NaN too
		return fmt.Errorf("--loss=%g: want a share, 0 to 1", c.Loss)
	case c.RTT < 0 || c.RTT > most:
		return fmt.Errorf("--rtt=%v: want 0s to %v", c.RTT, most)
	case c.Jitter < 0 || c.Jitter > most:
		return fmt.Errorf("--jitter=%v: want 0s to %v", c.Jitter, most)
	case c.For < 0:
		return fmt.Errorf("--for=%v: want 0s or more", c.For)
	}
	return nil
}

// Run plays the bots and prints a line per second, and at once why a bot has ended. It ends
// with the context, or when no bot is left.
func (c *botsCommand) Run(ctx context.Context, out output) error {
	v, err := findTarget(ctx, c)
	if err != nil {
		if ctx.Err() != nil {
			return nil // interrupted
		}
		return err
	}
	if c.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.For)
		defer cancel()
	}
	bots := make([]*netBot, c.N)
	failed := make(chan error, c.N) // closed when all have ended
	var group sync.WaitGroup
	for i := range bots {
		bots[i] = newNetBot(c, v, i)
		group.Go(func() {
			if err := bots[i].run(ctx); err != nil {
				failed <- err
			}
		})
	}
	go func() { group.Wait(); close(failed) }()
	if failures := reportBots(out, bots, failed, c.JSON); failures > 0 {
		return fmt.Errorf("%d of %d bots failed", failures, c.N)
	}
	return nil
}

// reportBots prints the bots' state until all have ended, and returns how many failed. The last line has all of them.
func reportBots(out output, bots []*netBot, failed <-chan error, asJSON bool) (failures int) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	begun := time.Now()
	report := func(line func(totals, time.Duration) string) {
		past, sum := time.Since(begun), totalsOf(bots)
		if asJSON {
			fmt.Fprintln(out, sum.json(past, failures))
			return
		}
		fmt.Fprintln(out, line(sum, past))
	}
	for {
		select {
		case <-tick.C:
			report(totals.line)
		case err, ok := <-failed:
			if !ok {
				report(totals.lastLine)
				return failures
			}
			failures++
			fmt.Fprintln(out.errors, "backstep:", err)
		}
	}
}

// totals sums what all bots have done. The bots keep playing, so figures of one line may be of
// instants some milliseconds apart.
type totals struct {
	bots, playing, entered   int          // entered: has played at some time
	rtt                      clock.Micros // sum over the playing bots
	corrections              int
	hits, kills              uint64
	agreed, disagreed, bytes uint64
	verdicts                 map[int]int    // how many verdicts came so many ms after their shot, of all rays so far
	other                    map[string]int // verdicts other than what the bots saw, by reason
}

func totalsOf(bots []*netBot) (t totals) {
	t.bots, t.verdicts, t.other = len(bots), map[int]int{}, map[string]int{}
	for _, b := range bots {
		b.verdicts.addTo(t.verdicts, t.other)
		s := b.stats.Load()
		if b.playing.Load() {
			t.playing++
			t.rtt += s.RTT
		}
		if b.entered.Load() {
			t.entered++
		}
		t.corrections += s.Moves.Corrections
		t.hits += s.Hits
		t.kills += b.kills.Load()
		t.agreed += s.Agreed
		t.disagreed += s.Disagreed
		t.bytes += s.In.Bytes + s.Out.Bytes
	}
	return t
}

// json returns the totals as a line of JSON.
func (t totals) json(past time.Duration, failed int) string {
	b, err := json.Marshal(map[string]any{
		"seconds": past.Seconds(), "bots": t.bots, "playing": t.playing, "failed": failed, "corrections": t.corrections,
		"rtt_ms": float64(t.rtt) / 1000 / float64(max(t.playing, 1)), "agreed": t.agreed, "disagreed": t.disagreed,
		"hits": t.hits, "kills": t.kills, "bytes": t.bytes, "verdicts_ms": t.verdicts, "otherwise": t.other,
	})
	if err != nil {
		panic(err) // of numbers
	}
	return string(b)
}

// line returns the totals as a line of text, past after the beginning.
func (t totals) line(past time.Duration) string {
	rtt := "–"
	if t.playing > 0 {
		rtt = fmt.Sprintf("%.0f ms", float64(t.rtt)/1000/float64(t.playing))
	}
	return fmt.Sprintf("%4.0f s  players %d/%d  rtt %s  %s", past.Seconds(), t.playing, t.bots, rtt, t.activity())
}

// lastLine returns the line printed at the end.
func (t totals) lastLine(past time.Duration) string {
	return fmt.Sprintf("over after %.0f s  played %d/%d  %s", past.Seconds(), t.entered, t.bots, t.activity())
}

// activity returns what the bots did, as text. Agreement is the share of shots whose
// verdict was what the bot had seen.
func (t totals) activity() string {
	agreement := "–"
	shots := t.agreed + t.disagreed
	if shots > 0 {
		agreement = fmt.Sprintf("%.1f %%", 100*float64(t.agreed)/float64(shots))
	}
	return fmt.Sprintf("corrections %d  shots %d  hits %d  kills %d  agreement %s  %.1f MB",
		t.corrections, shots, t.hits, t.kills, agreement, float64(t.bytes)/1e6)
}
