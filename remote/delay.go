package remote

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// The delay's bounds and habits.
const (
	// MaxDelay is the furthest the view is kept behind the match. The server
	// grants no more (shot.Limits), so a client with worse jitter sees others
	// extrapolated instead.
	MaxDelay = 250 * clock.Millisecond
	// firstDelay is used until arrivals have been measured, and longer by what
	// snapshots are further apart than ticks.
	firstDelay = 100 * clock.Millisecond
	// margin is added to the measured lateness, for the client's own frame.
	margin = 2 * clock.Millisecond
	// permille of arrivals that the delay covers: the rest is extrapolated, which
	// for a few milliseconds nobody sees.
	permille = 975
	// enough measurements to go below firstDelay.
	enough = 30
	// settle is the time constant with which the view approaches its delay.
	settle = 200 * clock.Millisecond
	// jump is how late a view may be before it jumps forward, and how early before
	// it stands still.
	jump = 500 * clock.Millisecond
)

// The histogram: lateness in buckets of 1 ms, over eight spans of half a second.
const (
	bucket  = clock.Millisecond
	buckets = int(MaxDelay/bucket) + 1
	spans   = 8
	span    = clock.Second / 2
)

// delay estimates how late samples come: the smallest delay with which all but a
// few arrivals would have been in time to interpolate.
type delay struct {
	count  [spans][buckets]uint16
	total  [buckets]int
	sum    int
	span   int          // being filled
	until  clock.Micros // when it ends
	tick   clock.Micros
	apart  clock.Micros // between two snapshots, the least seen; 0: only one has come
	wanted clock.Micros
}

func (d *delay) begin(tick clock.Micros) {
	d.tick = tick
	d.wanted = d.first()
}

// first is the delay before enough is measured.
func (d *delay) first() clock.Micros {
	return min(max(firstDelay+max(d.apart-d.tick, 0), d.tick), MaxDelay)
}

// space notes how far apart two snapshots were that came one after the other.
func (d *delay) space(apart clock.Micros) {
	if d.apart == 0 || apart < d.apart {
		d.apart = apart
		if d.sum == 0 {
			d.wanted = d.first()
		}
	}
}

// add notes one lateness at match time now.
func (d *delay) add(late, now clock.Micros) {
	d.turn(now)
	i := int(min(max(late, 0)/bucket, clock.Micros(buckets-1)))
	if d.count[d.span][i] == 1<<16-1 {
		return
	}
	d.count[d.span][i]++
	d.total[i]++
	d.sum++
}

// turn begins a new span when the current one is over, forgetting the oldest.
func (d *delay) turn(now clock.Micros) {
	if now < d.until {
		return
	}
	d.until = now + span
	d.span = (d.span + 1) % spans
	old := &d.count[d.span]
	for i, n := range old {
		d.total[i] -= int(n)
		d.sum -= int(n)
	}
	*old = [buckets]uint16{}
}

// update recomputes the wanted delay from the last spans.
func (d *delay) update() {
	if d.sum == 0 {
		return
	}
	rest := d.sum - d.sum*permille/1000 // how many may be later
	i := buckets - 1
	for ; i > 0; i-- {
		if rest -= d.total[i]; rest < 0 {
			break
		}
	}
	want := clock.Micros(i+1)*bucket + margin
	if d.sum < enough {
		want = max(want, d.first())
	}
	d.wanted = min(max(want, d.tick), MaxDelay)
}

// measure notes how late each moving thing's new sample came: the age, on
// arrival, of the newest sample before it is the delay that would just have kept
// it interpolated.
func (r *Remotes) measure(old, f *track.Frame, now clock.Micros) {
	for i := range f.Entities {
		e := &f.Entities[i]
		before := old.Find(e.ID)
		if before == nil || e.At <= before.At || !before.Continues(&e.Sample) {
			continue
		}
		if e.Velocity == (geom.Vec3{}) && before.Velocity == (geom.Vec3{}) {
			continue
		}
		r.delay.add(now-before.At, now)
	}
	r.delay.update()
}

// advance moves the view time on to now.
func (r *Remotes) advance(now clock.Micros) {
	want := now - r.delay.wanted
	if !r.begun {
		r.begun, r.now, r.at = true, now, want
		return
	}
	d := max(now-r.now, 0)
	r.now = max(now, r.now)
	off := want - (r.at + d)
	if off > jump {
		r.at = want
		return
	}
	if off < -jump {
		return
	}
	step := off * min(d, settle) / settle
	r.at += d + min(max(step, -d/10), d/10)
}
