package clock

// Quality is how well a line is fit for play: 0 … 4 bars.
type Quality uint8

// What each number of bars lets a player expect.
const (
	Bad  Quality = iota // 0 bars: what is seen and done is seconds behind, or lost
	Poor                // 1: moves are corrected and others halt
	Fair                // 2: felt, in close fights
	Good                // 3: felt only where one looks for it
	Fine                // 4: like a local game
)

// qualityLimits is what a line may have at most for a number of bars.
//
//	bars   RTT      jitter   loss   where the figure comes from
//	4      60 ms    10 ms     1 %   the delay of remotes stays below 100 ms; a lost move rides twice more
//	3     120 ms    20 ms     3 %   rewinding covers it within half its limit
//	2     200 ms    40 ms     5 %   LAG-02's threshold, up to which shots are rewound; at 5 % the redundancy is still the least
//	1     400 ms    80 ms    20 %   above 20 % the redundancy that a packet has room for no longer fills the holes
var qualityLimits = [...]struct {
	bars        Quality
	rtt, jitter Micros
	loss        float64
}{
	{Fine, 60 * Millisecond, 10 * Millisecond, 0.01},
	{Good, 120 * Millisecond, 20 * Millisecond, 0.03},
	{Fair, 200 * Millisecond, 40 * Millisecond, 0.05},
	{Poor, 400 * Millisecond, 80 * Millisecond, 0.20},
}

// RateLink returns the bars of a line by the worst of its smoothed round trip, its
// jitter (as Sync has them) and the share of packets lost on the way up and down,
// each 0 … 1. A limit itself still counts as within. What is no number is Bad.
func RateLink(rtt, jitter Micros, up, down float64) Quality {
	for _, l := range qualityLimits {
		if rtt <= l.rtt && jitter <= l.jitter && up <= l.loss && down <= l.loss {
			return l.bars
		}
	}
	return Bad
}

// String returns the word for it: fine, good, fair, poor or bad.
func (q Quality) String() string {
	switch q {
	case Fine:
		return "fine"
	case Good:
		return "good"
	case Fair:
		return "fair"
	case Poor:
		return "poor"
	}
	return "bad"
}
