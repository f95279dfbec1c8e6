package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/shot"
)

// MaxWorkers is the largest ServerConfig.Workers: more parts of a tick are too small to be worth it.
const MaxWorkers = 64

// leastPart is how many players a part of a tick has at least. A move or a snapshot takes some microseconds,
// and so does waking another goroutine: a smaller part would not be faster there.
const leastPart = 16

// partsPerWorker is how many parts a tick has at most for each of ServerConfig.Workers: a core that begins late
// takes one part and leaves the others to those that have begun.
const partsPerWorker = 2

// lane is the memory in which a part of a match's players are moved and sent their snapshots. The parts of a
// tick may run at once, since each writes only to its lane and to the seats of its players, and only reads
// what the Server has for all. What has to happen in the order of ids waits in the lanes until all have run.
type lane[S comparable, C any] struct {
	rules  *rules[S, C]
	moves  predict.Scratch[S, move[C]]
	draft  *replicate.Draft // nil: the match's
	seats  []int32          // indices of its players, ascending
	alone  bool             // no other lane runs
	shots  []shot.Shot      // of its moves
	steps  []MoveStep       // for the observer, unless it is alone
	output *outbox          // of the first lane the match's, so its packets come first

	step     MoveStep // scratch
	packer   bits.Packer
	datagram [maxDatagram]byte
	notices  notices
	updates  triggerUpdates
}

// lanes are those of a match, the first of which is used by a match on one core.
type lanes[S comparable, C any] struct {
	all     []*lane[S, C]
	run     func(parts int, work func(part int)) // ServerConfig.Parallel
	least   int                                  // leastPart
	working []int32                              // the seats that a phase of a tick is about, ascending
	// The phases as functions, made once because a method value allocates.
	movePart, sendPart func(part int)
}

// makeLanes makes the lanes of a match.
func (s *Server[S, C]) makeLanes() {
	w := &s.lanes
	w.run, w.least, w.movePart, w.sendPart = s.config.Parallel, leastPart, s.moveSeats, s.sendSeats
	w.all = []*lane[S, C]{{rules: &s.rules, output: &s.packets}}
	for s.config.Workers > 1 && len(w.all) < partsPerWorker*s.config.Workers {
		l := &lane[S, C]{rules: new(rules[S, C]), draft: new(replicate.Draft), output: new(outbox)}
		*l.rules = s.rules
		if o := s.rules.obstacles; o != nil {
			l.rules.obstacles = &obstacleFinder{shape: o.shape, character: o.character, snapshots: o.snapshots, timeline: o.timeline}
		}
		w.all = append(w.all, l)
	}
}

// spread runs a phase of a tick for the seats in working: in at most so many lanes, each with as many seats that
// follow each other. It returns the lanes.
func (w *lanes[S, C]) spread(most int, work func(part int)) []*lane[S, C] {
	n := max(1, min(most, len(w.working)/w.least))
	used := w.all[:n]
	for k, l := range used {
		l.alone = n == 1
		l.seats = w.working[k*len(w.working)/n : (k+1)*len(w.working)/n]
	}
	if n > 1 && w.run != nil {
		w.run(n, work)
		return used
	}
	for part := range used {
		work(part)
	}
	return used
}
