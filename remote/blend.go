package remote

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// imperceptible is a displacement in metres that is not visible: the grid of positions on the wire.
const imperceptible = 0.001

// tolerableJump is the jump of a view in metres that is preferred to a delay of new snapshots: a sixth
// of what a runner moves in a frame.
const tolerableJump = 0.015

// blending holds the snapshots from which interpolated entities are drawn.
type blending struct {
	viewTime  clock.Micros   // view time of the last view
	seen      track.Received // the snapshots that the view is drawn from
	blendFrom track.Received
	blendAt   clock.Micros
	// changedFrom is the earliest instant that snapshots after the last view can change: the oldest
	// among the newest samples of the moving entities. never means that they change nothing.
	changedFrom clock.Micros
	lists       [3][]track.Entity
}

// never is later than any instant.
const never clock.Micros = 1<<63 - 1

// applyTo sets the snapshots of a view of interpolated entities.
func (m *blending) applyTo(v *track.View) {
	v.Seen, v.BlendFrom, v.BlendAt = m.seen, m.blendFrom, m.blendAt
}

// viewAt returns the view of an instant from these snapshots.
func (m *blending) viewAt(at, platform clock.Micros) track.View {
	v := track.View{At: at, Platform: max(platform, at)}
	m.applyTo(&v)
	return v
}

// updateBlend decides from which snapshots the view at time at is drawn. Snapshots that only
// describe what is later than the last view are adopted at once. Others also change the last view: it
// extrapolated an entity past its last sample, or drew it across a gap that is filled now. Then the
// displacement of every entity is blended out from there on (View.BlendFrom, View.BlendAt).
//
// A view has space for one such blend. If another becomes necessary before the first is over,
// either the first continues, ending at what is known now, or it is cut short and the other begins,
// whichever moves entities less. If both move an entity too far, the new snapshots wait until the
// first is over, provided that the old snapshots are recent enough to draw the next view from as well.
func (r *Remotes) updateBlend(at clock.Micros) {
	m := &r.blend
	last := m.viewTime
	m.viewTime = at
	if m.seen != r.seen {
		r.takeSnapshots(last)
	}
	if m.blendAt != 0 && at-m.blendAt >= track.BlendTime {
		m.blendFrom, m.blendAt = track.Received{}, 0
	}
}

// takeSnapshots adopts the snapshots that arrived since the last view, which was at last.
func (r *Remotes) takeSnapshots(last clock.Micros) {
	m := &r.blend
	before := *m
	m.seen, m.changedFrom = r.seen, never
	// Nothing was drawn yet, or nothing that was drawn changes: no blend, and no views to compare.
	if before.seen.Newest == 0 || before.changedFrom > last || last <= 0 {
		return
	}
	p := r.Interpolator(r.world)
	m.lists[0] = p.Entities(before.viewAt(last, r.platform), 0, m.lists[0][:0])
	m.lists[1] = p.Entities(m.viewAt(last, r.platform), 0, m.lists[1][:0])
	moved := maxDistance(m.lists[0], m.lists[1])
	if moved <= imperceptible || r.silence(before.seen.Newest) > maxSilence {
		return
	}
	if before.blendAt != 0 {
		next := m.viewAt(last, r.platform)
		next.BlendFrom, next.BlendAt = before.seen, last
		m.lists[2] = p.Entities(next, 0, m.lists[2][:0])
		cut := maxDistance(m.lists[0], m.lists[2])
		if min(moved, cut) > tolerableJump && r.recentEnough(before.seen.Newest) {
			m.seen, m.changedFrom = before.seen, before.changedFrom
			return
		}
		if cut >= moved {
			return
		}
	}
	m.blendFrom, m.blendAt = before.seen, last
}

// maxSilence is the longest silence after which new snapshots are blended in. The snapshots that a blend
// starts from age by track.BlendTime until it is over, and a server rebuilds no view from much
// older snapshots (shot.Limits). After a longer outage the view jumps to the true positions, and shots
// into it are judged as they were aimed.
const maxSilence = 260 * clock.Millisecond

// silence returns how long ago the snapshot of a tick arrived.
func (r *Remotes) silence(tick uint32) clock.Micros { return r.now - r.arrivals.get(tick) }

// recentEnough reports whether the next view may be drawn from the snapshot of a tick as well.
func (r *Remotes) recentEnough(tick uint32) bool {
	f := r.snapshots.Snapshot(tick)
	return f != nil && r.now-f.At <= MaxDelay
}

// maxDistance returns the largest distance in metres between two views of the same instant, over
// the entities that are on the same path in both.
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
