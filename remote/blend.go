package remote

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// imperceptible is by how much news may move somebody without anybody seeing it, in metres: the
// grid that positions travel on.
const imperceptible = 0.001

// tolerableJump is by how much a picture may jump rather than that what came has to wait, in
// metres: a sixth of what a runner moves in a frame.
const tolerableJump = 0.015

// blending is which frames the picture of what is interpolated is drawn from.
type blending struct {
	viewTime  clock.Micros   // view time of the last picture
	seen      track.Received // that is drawn from
	blendFrom track.Received
	blendAt   clock.Micros
	// changedFrom is from when on the frames that came after the last picture may change it: the
	// oldest of the samples that were the newest of something moving; never: none.
	changedFrom clock.Micros
	lists       [3][]track.Entity
}

// never is later than any instant.
const never clock.Micros = 1<<63 - 1

// applyTo puts the frames into a view of what is interpolated.
func (m *blending) applyTo(v *track.View) {
	v.Seen, v.BlendFrom, v.BlendAt = m.seen, m.blendFrom, m.blendAt
}

// viewAt returns the picture of an instant from these frames.
func (m *blending) viewAt(at, platform clock.Micros) track.View {
	v := track.View{At: at, Platform: max(platform, at)}
	m.applyTo(&v)
	return v
}

// updateBlend decides from which frames the picture of view time at is drawn. As long as the
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
func (r *Remotes) updateBlend(at clock.Micros) {
	m := &r.blend
	last := m.viewTime
	m.viewTime = at
	if m.seen != r.seen {
		r.takeFrames(last)
	}
	if m.blendAt != 0 && at-m.blendAt >= track.BlendTime {
		m.blendFrom, m.blendAt = track.Received{}, 0
	}
}

// takeFrames takes in the frames that came since the last picture, which showed that instant.
func (r *Remotes) takeFrames(last clock.Micros) {
	m := &r.blend
	was := *m
	m.seen, m.changedFrom = r.seen, never
	if was.seen.Newest == 0 || was.changedFrom > last || last <= 0 {
		return
	}
	p := r.Interpolator(r.world)
	m.lists[0] = p.Entities(was.viewAt(last, r.platform), 0, m.lists[0][:0])
	m.lists[1] = p.Entities(m.viewAt(last, r.platform), 0, m.lists[1][:0])
	moved := maxDistance(m.lists[0], m.lists[1])
	if moved <= imperceptible || r.silence(was.seen.Newest) > maxSilence {
		return
	}
	if was.blendAt != 0 {
		anew := m.viewAt(last, r.platform)
		anew.BlendFrom, anew.BlendAt = was.seen, last
		m.lists[2] = p.Entities(anew, 0, m.lists[2][:0])
		cut := maxDistance(m.lists[0], m.lists[2])
		if min(moved, cut) > tolerableJump && r.recentEnough(was.seen.Newest) {
			m.seen, m.changedFrom = was.seen, was.changedFrom
			return
		}
		if cut >= moved {
			return
		}
	}
	m.blendFrom, m.blendAt = was.seen, last
}

// maxSilence is after how long a silence news heals. What it heals from is older by track.BlendTime
// until that is over, and a server rebuilds no picture from much older frames (shot.Limits):
// after a longer outage the picture jumps to what is true, and shots into it are judged as
// they were aimed.
const maxSilence = 260 * clock.Millisecond

// silence returns for how long the frame of a tick has been here.
func (r *Remotes) silence(tick uint32) clock.Micros { return r.now - r.arrivals.get(tick) }

// recentEnough reports whether the frame of a tick may be what the next picture is drawn from as
// well.
func (r *Remotes) recentEnough(tick uint32) bool {
	f := r.frames.Snapshot(tick)
	return f != nil && r.now-f.At <= MaxDelay
}

// maxDistance returns how far apart something is at most in two pictures of the same instant, of
// what goes on the same path in both.
func maxDistance(a, b []track.Entity) float64 {
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
