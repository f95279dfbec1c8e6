package remote

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// unseen is by how much news may move somebody without anybody seeing it, in metres: the
// grid that positions travel on.
const unseen = 0.001

// bearable is by how much a picture may jump rather than that what came has to wait, in
// metres: a sixth of what a runner moves in a frame.
const bearable = 0.015

// mending is which frames the picture of what is interpolated is drawn from.
type mending struct {
	at     clock.Micros   // view time of the last picture
	seen   track.Received // that is drawn from
	before track.Received
	healed clock.Micros
	// since is from when on the frames that came after the last picture may change it: the
	// oldest of the samples that were the newest of something moving; never: none.
	since clock.Micros
	lists [3][]track.Entity
}

// never is later than any instant.
const never clock.Micros = 1<<63 - 1

// into puts the frames into a view of what is interpolated.
func (m *mending) into(v *track.View) { v.Seen, v.BlendFrom, v.BlendAt = m.seen, m.before, m.healed }

// view returns the picture of an instant from these frames.
func (m *mending) view(at, platform clock.Micros) track.View {
	v := track.View{At: at, Platform: max(platform, at)}
	m.into(&v)
	return v
}

// recover decides from which frames the picture of view time at is drawn. As long as the
// frames that came only tell of what is later than the last picture, they are simply taken
// in. Where they would have moved somebody in that, who had been carried on past what was
// known or had been drawn across a gap that is filled now, what they move everybody by is
// healed from there on (View.BlendFrom, View.BlendAt).
//
// A view has room for one such change. Where another comes before the first is over,
// either the first goes on, its end being what is known now, or it is cut short and the
// other begins, whichever moves everybody less; and where both move somebody too far, what
// came waits until the first is over, if the frames are young enough to draw the next
// picture from as well.
func (r *Remotes) recover(at clock.Micros) {
	m := &r.mend
	last := m.at
	m.at = at
	if m.seen != r.seen {
		r.mended(last)
	}
	if m.healed != 0 && at-m.healed >= track.BlendTime {
		m.before, m.healed = track.Received{}, 0
	}
}

// mended takes in the frames that came since the last picture, which showed that instant.
func (r *Remotes) mended(last clock.Micros) {
	m := &r.mend
	was := *m
	m.seen, m.since = r.seen, never
	if was.seen.Newest == 0 || was.since > last || last <= 0 {
		return
	}
	p := r.Interpolator(r.world)
	m.lists[0] = p.Entities(was.view(last, r.platform), 0, m.lists[0][:0])
	m.lists[1] = p.Entities(m.view(last, r.platform), 0, m.lists[1][:0])
	moved := apart(m.lists[0], m.lists[1])
	if moved <= unseen || r.silence(was.seen.Newest) > healable {
		return
	}
	if was.healed != 0 {
		anew := m.view(last, r.platform)
		anew.BlendFrom, anew.BlendAt = was.seen, last
		m.lists[2] = p.Entities(anew, 0, m.lists[2][:0])
		cut := apart(m.lists[0], m.lists[2])
		if min(moved, cut) > bearable && r.young(was.seen.Newest) {
			m.seen, m.since = was.seen, was.since
			return
		}
		if cut >= moved {
			return
		}
	}
	m.before, m.healed = was.seen, last
}

// healable is after how long a silence news heals. What it heals from is older by track.BlendTime
// until that is over, and a server rebuilds no picture from much older frames (shot.Limits):
// after a longer outage the picture jumps to what is true, and shots into it are judged as
// they were aimed.
const healable = 260 * clock.Millisecond

// silence returns for how long the frame of a tick has been here.
func (r *Remotes) silence(tick uint32) clock.Micros { return r.now - r.arrived.of(tick) }

// young reports whether the frame of a tick may be what the next picture is drawn from as
// well.
func (r *Remotes) young(tick uint32) bool {
	f := r.frames.Snapshot(tick)
	return f != nil && r.now-f.At <= MaxDelay
}

// apart returns how far apart something is at most in two pictures of the same instant, of
// what goes on the same path in both.
func apart(a, b []track.Entity) float64 {
	most, j := 0.0, 0
	for i := range a {
		for j < len(b) && b[j].ID < a[i].ID {
			j++
		}
		if j == len(b) {
			break
		}
		if b[j].ID == a[i].ID && a[i].Continues(&b[j].Sample) {
			most = max(most, a[i].Position.Sub(b[j].Position).LenSq())
		}
	}
	return math.Sqrt(most)
}
