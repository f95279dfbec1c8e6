package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// teleportAt is the distance in metres from which SetState is a teleport for other clients: they do not
// interpolate across it.
const teleportAt = 0.5

// Tick advances the match to the last tick that is due at match time now. In this order it runs the players'
// moves, by ascending id; lets the game move its entities (ServerConfig.Simulate); records all players and
// entities; judges the shots of these moves against that record [GAP-60]; and advances projectiles. Missed
// ticks are skipped. It panics if no new tick is due.
func (s *Server[S, C]) Tick(now clock.Micros) {
	s.advance(now)
	s.moveAll()
	if s.config.Simulate != nil {
		s.config.Simulate(s.now)
	}
	s.record()
	s.updateFields()
	s.combat.Resolve(s.tick, s.now, s.sent.newest)
	s.freeSeats()
	s.admitFromQueue()
}

// freeSeats frees the seats of players that were away for longer than ReconnectTime, and of clients that
// sent nothing after their hello.
func (s *Server[S, C]) freeSeats() {
	for i := range s.seats {
		t := &s.seats[i]
		if t.link.since == 0 {
			t.link.since = s.now
		}
		switch {
		case !t.taken:
		case !t.present():
			if s.now-t.away > s.config.ReconnectTime {
				s.vacate(t)
			}
		case !t.link.receivedAny() && t.link.silence(s.now) > firstDatagramTimeout:
			s.expel(t, t.peer, errNoDatagram.Error())
		}
	}
}

// moveAll runs the moves of all players. Their shots follow in the order of ids.
func (s *Server[S, C]) moveAll() {
	w := &s.batches
	w.active = w.active[:0]
	for i := range s.seats {
		if s.seats[i].authority != nil {
			w.active = append(w.active, int32(i))
		}
	}
	most := len(w.all)
	if s.rules.triggers.log != nil {
		most = 1 // a move collides with what earlier ones have triggered
	}
	for _, l := range w.runInBatches(most, w.moveBatch) {
		for i := range l.steps {
			s.observer.ObserveMove(&l.steps[i])
		}
		for i := range l.shots {
			s.combat.Fire(&l.shots[i])
		}
		l.steps, l.shots = l.steps[:0], l.shots[:0]
	}
	for _, i := range w.active {
		s.watchTime(&s.seats[i])
		s.watchPredictions(&s.seats[i])
	}
}

// moveSeats runs the moves of a batch of players.
func (s *Server[S, C]) moveSeats(n int) {
	l := s.batches.all[n]
	for _, i := range l.seats {
		s.move(l, &s.seats[i])
	}
}

// move runs the commands that arrived from a player, and what the authority simulates in place of
// missing ones.
func (s *Server[S, C]) move(l *batch[S, C], t *seat[S, C]) {
	if o := l.rules.obstacles; o != nil {
		o.self, o.firstSent, o.sent = t.id, t.link.firstSent, t.link.sentLog()
	}
	s.recordTriggers(l, t)
	t.authority.Use(l.rules, &l.moves)
	t.authority.RoundTrip = t.link.roundTrip.least(s.now)
	for t.authority.Next(s.now) {
		if t.authority.GapFill() && !t.authority.ServerDriven() {
			pose := l.rules.Pose(t.authority.State())
			s.stepped(l, t, &pose) // the command that follows has the time
			continue
		}
		at := t.authority.Command().Stamp
		if t.authority.ServerDriven() { // not a measurement of the connection
			at += t.remote.mapping.Delay()
		} else {
			at = t.remote.mapping.Map(at, min(t.authority.Arrived()+t.inputDelay, s.now))
		}
		s.moved(l, t, at, t.authority.Arrived())
	}
}

// stepped updates a player's pose after the latest step of its authority, and reports the step to the observer.
func (s *Server[S, C]) stepped(l *batch[S, C], t *seat[S, C], pose *track.Sample) {
	from, c := l.rules.Pose(t.authority.StateBefore()), t.authority.Command()
	t.remote.motion.update(&from, pose, c.Duration)
	if s.observer == nil {
		return
	}
	l.step = MoveStep{t.id, c.Number, t.authority.GapFill() || t.authority.ServerDriven(), c.Duration,
		l.rules.Position(t.authority.State()), s.pose(t)}
	if l.alone {
		s.observer.ObserveMove(&l.step)
	} else {
		l.steps = append(l.steps, l.step)
	}
}

// moved updates a player's pose after a move, and queues the shot that the move claims. at is when others see
// the pose, and arrived when the move arrived: whether a view is plausible depends on when the shot arrived, not on
// how long it waited.
func (s *Server[S, C]) moved(l *batch[S, C], t *seat[S, C], at, arrived clock.Micros) {
	c := t.authority.Command()
	t.remote.stamp = max(at, t.remote.stamp+1)
	pose := l.rules.Pose(t.authority.State())
	t.remote.frame.update(&pose, c.Stamp, t.remote.stamp, &s.frames)
	t.remote.clip.update(&pose, t.remote.stamp-c.Stamp)
	s.stepped(l, t, &pose)
	claim := *l.rules.Trigger(&c.Input.Game)
	late := min(arrived, s.now) - (at - t.inputDelay)
	if t.link.viewAge != nil {
		t.link.viewAge.ran(arrived, late, t.authority.Began())
	}
	if !claim.Fire || t.authority.ServerDriven() {
		return
	}
	before := t.authority.StateBefore()
	shown, eye := c.Stamp-t.authority.Began(), t.authority.DrawnState()
	// A frame that stood for longer, after a freeze: no view is granted for that, so none of it counts.
	if shown > shot.MaxDisplayTime {
		shown, eye = 0, before
	} else if since := t.link.viewAge.displayTime(c.Stamp); since <= shot.MaxDisplayTime {
		shown = max(shown, since)
	}
	if !s.wasSent(t.link.firstSent, &claim.View.Seen) {
		claim.View.Seen = track.Received{} // drawn from what was never sent
	}
	if !s.wasSent(t.link.firstSent, &claim.View.BlendFrom) {
		claim.View.BlendFrom, claim.View.BlendAt = track.Received{}, 0
	}
	// The client does not choose this one: the movers of the level stand where the command began, on both
	// ends.
	claim.View.Platform = t.authority.Began()
	l.shots = append(l.shots, shot.Shot{
		Number:  c.Number,
		Shooter: t.id,
		Sent:    t.link.sentLog(),
		Claim:   claim,
		Eye:     l.rules.Eye(eye),
		Alive:   !l.rules.Pose(before).Dead,
		Result:  l.rules.Fired(before, &c.Input.Game, t.authority.State()),
		Now:     min(arrived, s.now),
		Age:     t.viewAge(late, shown),
		Present: t.optedOut,
	})
}

// watchTime reports when a player's time discrepancy begins, and when it is over.
func (s *Server[S, C]) watchTime(t *seat[S, C]) {
	resolving := t.authority.Discrepancy().Resolving
	if resolving && !t.discrepancy.reported {
		t.discrepancy.reported = true
		s.event(Event{Kind: TimeDiscrepancy, Player: t.id, Peer: t.peer, Name: t.name, Discrepancy: t.timeDiscrepancy()})
	} else if !resolving {
		s.clearDiscrepancy(t)
	}
}

// clearDiscrepancy reports that a player's time is not ahead any more, if it was.
func (s *Server[S, C]) clearDiscrepancy(t *seat[S, C]) {
	if t.discrepancy.reported {
		t.discrepancy.reported = false
		s.event(Event{Kind: TimeDiscrepancyCleared, Player: t.id, Peer: t.peer, Name: t.name, Discrepancy: t.timeDiscrepancy()})
	}
}

// A client that mispredicts more often than badPredictions in a span of predictionSpan is reported: one on a
// link with 30 % loss stays far below it, and a client with other rules is corrected that often each
// second.
const (
	badPredictions = 30
	predictionSpan = 10 * clock.Second
)

// watchPredictions reports a client that always mispredicts. [THR-67]
func (s *Server[S, C]) watchPredictions(t *seat[S, C]) {
	p := &t.predicting
	if s.now-p.since < predictionSpan {
		return
	}
	made := t.authority.Counters().Corrections
	// Of a new connection there is no span yet: the first call only begins one.
	if n := made - p.count; n >= badPredictions && p.since > 0 {
		s.event(Event{Kind: Mispredicting, Player: t.id, Peer: t.peer, Name: t.name, Count: n})
	}
	p.since, p.count = s.now, made
}

// record records every player at its own stamp, and every entity, after all moves of the tick
// [GAP-60]: a shot must not depend on the order in which players moved.
func (s *Server[S, C]) record() {
	frame := s.history.Record(s.tick, s.now)
	for i := range s.seats {
		t := &s.seats[i]
		if t.authority == nil {
			continue
		}
		frame.Add(t.id, s.pose(t))
	}
	s.entityTable.record(frame)
	if s.visible != nil {
		s.updateVisibility(frame)
	}
}

// updateVisibility finds what each client may be sent.
func (s *Server[S, C]) updateVisibility(frame *track.Snapshot) {
	s.visible.Begin(frame)
	for i := range s.seats {
		if t := &s.seats[i]; t.peer != 0 && t.authority != nil {
			s.visible.AddViewer(t.id, s.rules.Eye(t.authority.State()))
		}
	}
	s.visible.Update()
}

// pose is what others see of a player now.
func (s *Server[S, C]) pose(t *seat[S, C]) track.Sample {
	return t.remote.sample(s.rules.Pose(t.authority.State()), s.config.World, t.authority.Stamp())
}
