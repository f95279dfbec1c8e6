package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/shot"
)

// MaxWorkers is the largest ServerConfig.Workers: more batches of a tick are too small to be worth it.
const MaxWorkers = 64

// minBatch is the least number of players of a batch. A move or a snapshot takes some microseconds, and so does
// waking another goroutine, so a smaller batch would gain nothing.
const minBatch = 16

// batchesPerWorker is how many batches a tick has at most for each of ServerConfig.Workers: a core that begins
// late takes one batch and leaves the others to those that have begun.
const batchesPerWorker = 2

// batch is a part of a match's players, and the memory for their moves and snapshots. The batches of a tick may run
// concurrently: each writes only to itself and to the seats of its players, and only reads the rest of the Server.
// Results whose order matters wait in the batches until all have run.
type batch[S comparable, C any] struct {
	rules     *rules[S, C]
	moves     predict.Scratch[S, move[C]]
	snapshots *replicate.Scratch // nil: the match's
	seats     []int32            // indices of its players, ascending
	alone     bool               // the only batch of the tick
	shots     []shot.Shot        // of its moves
	steps     []MoveStep         // for the observer, unless it is alone
	output    *outbox            // the match's for the first batch, so its packets come first

	step     MoveStep // scratch
	packer   bits.Packer
	datagram [maxDatagram]byte
	notices  notices
	updates  triggerUpdates
}

// batches are those of a match. A match on one core uses the first.
type batches[S comparable, C any] struct {
	all    []*batch[S, C]
	run    func(batches int, work func(batch int)) // ServerConfig.Parallel
	least  int                                     // minBatch
	active []int32                                 // the seats of the current phase of a tick, ascending
	// The phases as functions, made once because a method value allocates.
	moveBatch, sendBatch func(batch int)
}

// makeBatches makes the batches of a match.
func (s *Server[S, C]) makeBatches() {
	w := &s.batches
	w.run, w.least, w.moveBatch, w.sendBatch = s.config.Parallel, minBatch, s.moveSeats, s.sendSeats
	w.all = []*batch[S, C]{{rules: &s.rules, output: &s.packets}}
	for s.config.Workers > 1 && len(w.all) < batchesPerWorker*s.config.Workers {
		l := &batch[S, C]{rules: new(rules[S, C]), snapshots: new(replicate.Scratch), output: new(outbox)}
		*l.rules = s.rules
		// The copy of the rules would share the finder, which has scratch.
		if o := s.rules.obstacles; o != nil {
			l.rules.obstacles = &obstacleFinder{shape: o.shape, character: o.character, snapshots: o.snapshots, timeline: o.timeline}
		}
		w.all = append(w.all, l)
	}
}

// runInBatches runs a phase of a tick for the active seats, in at most maxBatches batches of seats that follow
// each other, and returns these batches.
func (w *batches[S, C]) runInBatches(maxBatches int, work func(batch int)) []*batch[S, C] {
	n := max(1, min(maxBatches, len(w.active)/w.least))
	used := w.all[:n]
	for k, l := range used {
		l.alone = n == 1
		l.seats = w.active[k*len(w.active)/n : (k+1)*len(w.active)/n]
	}
	if n > 1 && w.run != nil {
		w.run(n, work)
		return used
	}
	for i := range used {
		work(i)
	}
	return used
}
