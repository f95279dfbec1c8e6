package clock

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// fullLink is one direction that carries so many bytes a second and queues what is more.
type fullLink struct {
	rate      int     // bytes a second; 0: all
	queue     Micros  // longest
	delay     Micros  // of the way
	others    Micros  // queue of others on the way
	jitter    Micros  // at most
	loss      float64 // 0 … 1
	busyUntil Micros
	inFlight  []fullArrival
	dice      *rand.Rand
}

// fullArrival is a packet's arrival, and when its sender knows of it.
type fullArrival struct {
	number    uint32
	at, known Micros
}

// wayBack is how long an acknowledgement takes.
const wayBack = 50 * Millisecond

func (l *fullLink) send(now Micros, number uint32, bytes int) {
	leaves := now
	if l.rate > 0 {
		begin := max(now, l.busyUntil)
		if begin-now > l.queue {
			return
		}
		l.busyUntil = begin + Micros(int64(bytes)*int64(Second)/int64(l.rate))
		leaves = l.busyUntil
	}
	if l.dice.Float64() < l.loss {
		return
	}
	at := leaves + l.delay + l.others + Micros(l.dice.Int64N(int64(l.jitter)+1))
	l.inFlight = append(l.inFlight, fullArrival{number, at, at + wayBack})
}

// play lets a sender that wants so many bytes a second use the link until a time, 60 packets a second, as a server
// does; change may change the link before each. It returns the limit (what is wanted, where there is none) and the
// queue of each packet.
func (l *fullLink) play(wanted int, until Micros, change func(now Micros)) (limits []int, queues []Micros) {
	var c Capacity
	l.dice = rand.New(rand.NewPCG(1, 2))
	allowed := 0
	for n, now := uint32(1), Micros(0); now < until; now += Second / 60 {
		if change != nil {
			change(now)
		}
		slices.SortStableFunc(l.inFlight, func(a, b fullArrival) int { return int(a.known - b.known) })
		for len(l.inFlight) > 0 && l.inFlight[0].known <= now {
			c.Arrived(l.inFlight[0].number, l.inFlight[0].at)
			l.inFlight = l.inFlight[1:]
		}
		bytes, limit := wanted/60, c.Limit()
		if limit > 0 {
			allowed = min(allowed+limit/60, 240+limit/30)
			bytes = min(bytes, allowed)
		}
		if limit == 0 || allowed >= 120 {
			if allowed -= bytes; limit == 0 {
				allowed = 0
			}
			c.Sent(n, now, bytes)
			l.send(now, n, bytes)
			n++
		}
		if limit == 0 {
			limit = wanted
		}
		limits, queues = append(limits, min(limit, wanted)), append(queues, max(l.busyUntil-now, 0))
	}
	return limits, queues
}

// percent returns the mean of a list in percent of another.
func percent[T ~int | ~int64](list []T, of T) int {
	sum := T(0)
	for _, x := range list {
		sum += x
	}
	return int(sum * 100 / T(len(list)) / of)
}

// SND-10: a link of 3 to 30 kB/s is sent about twice what it carries, from the first packet on, with queues of 0.1 to
// 2 s and losses of 0 to 30 %. From 10 s on most of what it carries is used, and the queue is short.
func TestACapacityIsFound(t *testing.T) {
	for _, rate := range []int{3000, 5000, 12_000, 30_000} {
		for _, queue := range []Micros{100 * Millisecond, 500 * Millisecond, 2 * Second} {
			for _, c := range []struct {
				loss        float64
				least, most int    // limit, % of the rate
				late        Micros // p99 of the queue
			}{{0, 90, 101, 200 * Millisecond}, {.05, 85, 101, 350 * Millisecond}, {.3, 55, 101, 600 * Millisecond}} {
				l := &fullLink{rate: rate, queue: queue, delay: 40 * Millisecond, jitter: 10 * Millisecond, loss: c.loss}
				limits, queues := l.play(2*rate+6000, 60*Second, nil)
				share := percent(limits[600:], rate)
				late := slices.Sorted(slices.Values(queues[600:]))
				p50, p99 := late[len(late)/2], late[len(late)*99/100]
				if share < c.least || share > c.most || p50 > 100*Millisecond || p99 > c.late {
					t.Errorf("%d B/s, queue of %v ms, loss %v: uses %d %% of it, queue %d ms p50, %d ms p99; want %d to %d %%, 100 and %d ms", rate,
						queue/Millisecond, c.loss, share, p50/Millisecond, p99/Millisecond, c.least, c.most, c.late/Millisecond)
				}
			}
		}
	}
}

// SND-10: where the link carries all that is wanted no limit is ever found, whatever the jitter and the losses, and
// none that lasts where the route becomes longer, or where others fill it.
func TestNoCapacityIsFoundWhereThereIsNone(t *testing.T) {
	for _, jitter := range []Micros{0, 10, 30, 100, 200} {
		for _, loss := range []float64{0, .05, .3} {
			l := &fullLink{delay: 40 * Millisecond, jitter: jitter * Millisecond, loss: loss}
			if limits, _ := l.play(12_000, 120*Second, nil); slices.Min(limits) < 12_000 {
				t.Errorf("jitter %d ms, loss %v: limited to %d B/s, want no limit", jitter, loss, slices.Min(limits))
			}
		}
	}
	for _, c := range []struct {
		what   string
		change func(l *fullLink, now Micros)
	}{
		{"the way becomes 100 ms longer after 30 s", func(l *fullLink, now Micros) { l.delay = 40*Millisecond + 100*Millisecond*min(now/(30*Second), 1) }},
		{"the way becomes shorter after 30 s", func(l *fullLink, now Micros) { l.delay = 140*Millisecond - 100*Millisecond*min(now/(30*Second), 1) }},
		{"others fill it with 300 ms from 30 s on", func(l *fullLink, now Micros) { l.others = 300 * Millisecond * min(now/(30*Second), 1) }},
	} {
		l := &fullLink{delay: 40 * Millisecond, jitter: 10 * Millisecond}
		limits, _ := l.play(12_000, 60*Second, func(now Micros) { c.change(l, now) })
		if got := slices.Min(limits[40*60:]); got < 12_000 {
			t.Errorf("%s: limited to %d B/s 10 s later, want no limit", c.what, got)
		}
	}
}

// SND-10: a link that narrows from 30 to 4 kB/s is given way to within 5 s, and whole again within 15 s when it widens.
func TestACapacityThatChanges(t *testing.T) {
	l := &fullLink{rate: 30_000, queue: Second, delay: 40 * Millisecond, jitter: 10 * Millisecond}
	limits, queues := l.play(12_000, 60*Second, func(now Micros) {
		if l.rate = 30_000; now > 20*Second && now < 40*Second {
			l.rate = 4000
		}
	})
	if got := slices.Min(limits[:20*60]); got < 12_000 {
		t.Errorf("at 30 kB/s: limited to %d B/s, want no limit", got)
	}
	narrow := queues[25*60 : 40*60]
	if p := percent(limits[25*60:40*60], 4000); p < 80 || p > 101 {
		t.Errorf("at 4 kB/s, after 5 s: %d %% of it are used, want 80 to 101", p)
	}
	if late := slices.Max(narrow); late > 250*Millisecond {
		t.Errorf("at 4 kB/s, after 5 s: a queue of %d ms, want 250 at most", late/Millisecond)
	}
	if got := slices.Min(limits[55*60:]); got < 12_000 {
		t.Errorf("15 s after it has widened: limited to %d B/s, want no limit", got)
	}
}

// A Capacity allocates nothing.
func TestCapacityAllocatesNothing(t *testing.T) {
	var c Capacity
	n := uint32(0)
	if got := testing.AllocsPerRun(1000, func() {
		n++
		c.Sent(n, Micros(n)*16_667, 100)
		c.Arrived(n, Micros(n)*20_000)
	}); got != 0 {
		t.Errorf("%v allocations a packet", got)
	}
}
