package session

import (
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Local is a player who sits at the server's own machine (a listen host), without a
// line: Server.JoinLocal makes it. To the game it is a Player like any Client.
//
// A frame's command is simulated once, in the server's own state, in the call of Frame:
// nothing is saved, sent, tested or corrected (ENT-07), so Offset is always zero. Others
// are drawn as a client without any delay would draw them, smoothly a little behind the
// match (SRV-10), and shots are judged by the same rewind.
//
// Its time is the match's. Frame is handed the match time of the drawn frame, by the
// clock that Tick is handed. Frames may come as often as they like between two ticks:
// each moves the player on at once, and the tick that follows records the pose where the
// newest frame left it, stamped with that frame's time. That may be later than the
// tick's own: others are drawn further back than that, and find it between two poses as
// anybody's. While the match stands its player's time stands, too: no frame goes beyond
// the next tick by more than predict.MaxDuration. Where it is the frames that do not come,
// for more than predict.Limits.SilenceTimeout, the ticks carry the player on as anybody (GAP-11).
type Local[S comparable, C any] struct {
	screen
	config ClientConfig
	server *Server[S, C]
	seat   *seat[S, C]
	phase  Phase

	begun  clock.Micros // where the first command begins
	pace   *pace[S, C]  // of fixed ticks, else nil
	share  float64
	frame  clock.Micros   // of the newest frame, on the grain
	pulled uint32         // newest snapshot taken in
	placed int            // placements that the game was told of
	whole  track.Snapshot // scratch: a snapshot without this player
	shots  []pending      // until the tick
	events queue[Event]
	stats  Stats
}

// JoinLocal seats a player who plays on the server's own machine: the Server tells Joined, as
// of anybody, and the Local Welcomed. Of config only what concerns the making of
// commands counts, not the line. The error is CheckName's, or that the match is full.
func (s *Server[S, C]) JoinLocal(name string, config ClientConfig) (*Local[S, C], error) {
	config.check()
	if err := CheckName(name); err != nil {
		return nil, err
	}
	t := s.seatFor(Key{})
	if t == nil {
		return nil, errFull
	}
	l := &Local[S, C]{config: config, server: s, seat: t, phase: Loading, pulled: s.ticks.newest}
	if config.Tick > 0 {
		l.pace = newPace(s.rules.Game, config.Tick)
	}
	l.cast, l.air.scene = newScene(s.rules.Game), newScene(s.rules.Game)
	s.begin()
	l.me, l.caster.Seed = t.id, s.seed
	l.others = remote.New(clock.TickTime(1, s.config.TickRate))
	l.others.SetDefaultMode(config.Mode)
	l.others.SetBodyShape(solidOf(s.rules.Game))
	s.locals++
	*t = seat[S, C]{id: t.id, taken: true, local: l, name: name, teleports: t.teleports, stamp: t.stamp}
	s.event(Event{Kind: Joined, Player: t.id, Name: name})
	l.event(Event{Kind: Welcomed, Player: t.id, Text: s.config.LevelHash, Bytes: slices.Clone(s.config.MatchInfo)})
	return l, nil
}

// EnterWorld goes into the level, which must be the server's own.
func (l *Local[S, C]) EnterWorld(world *collide.World) {
	if l.phase != Loading || world != l.server.config.World {
		panic("session: Enter belongs after Welcomed, once, with the server's own world")
	}
	l.phase = Syncing
}

// Leave gives the seat up: the Server tells Left.
func (l *Local[S, C]) Leave() {
	if l.seated() {
		l.server.vacate(l.seat)
	}
	l.phase = Ended
}

// Frame is one drawn frame at match time now: what the player wants becomes a command
// as long as the frame took, and is simulated at once. A frame longer than
// predict.MaxDuration is cut to that (TIM-04). in must be quantised as PackCommand
// would. While nothing can be simulated yet, in is ignored.
func (l *Local[S, C]) Frame(now clock.Micros, in *C) {
	if !l.seated() || l.phase < Syncing {
		return
	}
	l.claims = l.claims[:0]
	drawn := min(now, clock.TickTime(int64(l.server.tick)+1, l.server.config.TickRate)+predict.MaxDuration)
	l.pull(drawn)
	at := now - now%predict.TimeQuantum
	if l.phase == Syncing && l.seat.authority != nil {
		l.phase, l.begun, l.frame = Playing, drawn-drawn%predict.TimeQuantum, at
	}
	if l.phase == Playing && l.pace != nil {
		l.pace.tick(drawn, in, &l.screen, l)
	} else if l.phase == Playing {
		l.make(drawn, at-l.frame, in)
	}
	l.frame = at
	l.draw(drawn)
}

// draw shows the picture of match time now.
func (l *Local[S, C]) draw(now clock.Micros) {
	platform := now
	l.share = 1
	if l.phase == Playing {
		platform = l.stamp()
		if l.pace != nil {
			l.share, platform = l.pace.drawn(now, platform)
		}
	}
	weapons := l.server.weapons
	l.look(now, platform, l.server.config.World)
	self, _ := l.server.Pose(l.seat.id)
	l.fly(weapons, self, &l.stats, l)
	l.sort(weapons)
	l.show(l)
	l.stats.ViewDelay = now - l.drawn.At
}

// stamp returns how far the player's time has come: where the next command begins.
func (l *Local[S, C]) stamp() clock.Micros { return max(l.begun, l.seat.authority.Stamp()) }

// make makes a command that ends at match time now and lasts d.
func (l *Local[S, C]) make(now, d clock.Micros, in *C) bool {
	s, t := l.server, l.seat
	if crowd := s.rules.crowd; crowd != nil {
		crowd.self, crowd.since, crowd.told = t.id, t.since, nil
	}
	if l.config.Lasted != nil {
		d = l.config.Lasted(d)
	}
	c := t.authority.Make(now, d, move[C]{*in, l.others.Received().Newest})
	if c == nil {
		return false
	}
	claim := s.rules.Trigger(&c.Input.Game)
	if before := t.authority.StateBefore(); claim.Fire && int(claim.Weapon) < len(s.weapons) {
		use := s.rules.Fired(before, &c.Input.Game, t.authority.State())
		l.shoot(s.weapons, claim, c.Number, s.rules.Eye(before), t.authority.Began(), use)
	}
	l.shots = s.made(int(t.id)-1, c.Stamp, s.now, l.shots)
	l.note(c.Number, claim)
	return true
}

// take hands over the shots of the frames since the last tick, to be judged in this
// one.
func (l *Local[S, C]) take(into []pending) []pending {
	for i := range l.shots {
		l.shots[i].shot.Now = l.server.now
		into = append(into, l.shots[i])
	}
	l.shots = l.shots[:0]
	return into
}

// pull takes in what the server has sent since the last frame, as if it had come over
// a line at match time now.
func (l *Local[S, C]) pull(now clock.Micros) {
	s := l.server
	tick := l.pulled + 1
	if s.ticks.newest > track.ReceivedWindow {
		tick = max(tick, s.ticks.newest-track.ReceivedWindow)
	}
	for ; tick <= s.ticks.newest; tick++ {
		frame := s.history.Snapshots.Snapshot(tick)
		if frame == nil || !s.sends(tick) {
			continue // the server missed it
		}
		if l.seat.since == 0 {
			l.seat.since = tick
		}
		l.others.Receive(l.without(frame), now)
		l.fresh.take(frame)
	}
	l.pulled = s.ticks.newest
}

// without returns the frame as the player's own snapshot, which does not tell of
// themselves: valid until the next call.
func (l *Local[S, C]) without(frame *track.Snapshot) *track.Snapshot {
	l.whole.Copy(frame, l.seat.id)
	return &l.whole
}

// seated reports whether the seat is still this player's.
func (l *Local[S, C]) seated() bool { return l.seat.local == l }

// inWorld reports whether the server has placed the player.
func (l *Local[S, C]) inWorld() bool { return l.seated() && l.seat.authority != nil }

// Phase says how far the player has got.
func (l *Local[S, C]) Phase() Phase { return l.phase }

// ID is the player's number.
func (l *Local[S, C]) ID() PlayerID { return l.seat.id }

// Key is zero: nobody else may take this seat over.
func (l *Local[S, C]) Key() Key { return Key{} }

// Self is the player's own state, the server's own: nil before the server has placed
// it, and after Leave. It may be read until the next Frame or Tick.
func (l *Local[S, C]) Self() *S {
	if !l.inWorld() {
		return nil
	}
	return l.seat.authority.State()
}

// StateBefore is the player's own state before its newest command, as Self.
func (l *Local[S, C]) StateBefore() *S {
	if !l.inWorld() {
		return nil
	}
	return l.seat.authority.StateBefore()
}

// Offset is zero: nobody corrects a server.
func (l *Local[S, C]) Offset() geom.Vec3 { return geom.Vec3{} }

// Eye is where Self sees from: where its shots leave.
func (l *Local[S, C]) Eye() geom.Vec3 {
	if !l.inWorld() {
		return geom.Vec3{}
	}
	return l.server.rules.Eye(l.seat.authority.State())
}

// Position is where Self stands.
func (l *Local[S, C]) Position() geom.Vec3 {
	if !l.inWorld() {
		return geom.Vec3{}
	}
	return l.server.rules.Position(l.seat.authority.State())
}

// Now is the match time, which a Local's frames are handed already.
func (l *Local[S, C]) Now(local clock.Micros) clock.Micros { return local }

// Newest is the number of the newest command, 0 before the first.
func (l *Local[S, C]) Newest() uint32 {
	if !l.inWorld() {
		return 0
	}
	return l.seat.authority.Number()
}

// InterpolationAlpha is how far the picture of the last Frame is between Before and Self, as
// Client.InterpolationAlpha.
func (l *Local[S, C]) InterpolationAlpha() float64 { return l.share }

// Waiting reports whether what happens once waits for its tick, as Client.Waiting.
func (l *Local[S, C]) Waiting() bool { return l.pace != nil && l.pace.some }

// Corrections are none.
func (l *Local[S, C]) Corrections() []predict.Correction { return nil }

// LastCorrection is that there was none.
func (l *Local[S, C]) LastCorrection() predict.Correction { return predict.Correction{} }

// ApplyCorrection has nothing to do: Self is true.
func (l *Local[S, C]) ApplyCorrection() {}

// Aim completes a shot that is to ride in the next command, as Client.Aim does. The
// server judges it in the next tick.
func (l *Local[S, C]) Aim(claim *shot.Claim) []rewind.Outcome {
	weapons := l.server.rules.Weapons()
	if int(claim.Weapon) >= len(weapons) || l.phase != Playing || !l.inWorld() {
		panic("session: Aim needs a weapon of the game's and a player in the world")
	}
	return l.aim(claim, l.Newest()+1, l.Eye(), l.stamp(), weapons)
}

// Status is the newest status that the game has set, nil before the first.
func (l *Local[S, C]) Status() []byte {
	if t := l.seat; l.seated() && t.status.told {
		return t.status.bytes[:t.status.len]
	}
	return nil
}

// SendMessage sends the server a message of the game's, of at most MaxMessage bytes.
func (l *Local[S, C]) SendMessage(b []byte) {
	if len(b) > MaxMessage {
		panic("session: a message to the server is too long")
	}
	if l.seated() {
		l.server.event(Event{Kind: Message, Player: l.seat.id, Bytes: slices.Clone(b)})
	}
}

// Events hands out what has happened, oldest first, each event once: valid until the
// next Frame or Tick.
func (l *Local[S, C]) Events() []Event {
	if l.inWorld() {
		if n := l.seat.authority.Counters().Teleports; n != l.placed {
			l.placed = n
			l.event(Event{Kind: Teleported, Player: l.seat.id})
		}
	}
	return l.events.hand()
}

// Stats returns the figures of the net panel that a player without a line has: what is
// told of moves is Made, Placed and Altered.
func (l *Local[S, C]) Stats() Stats {
	s := l.stats
	s.Tick, s.Quality = l.others.Received().Newest, clock.Fine
	if l.inWorld() {
		c := l.seat.authority.Counters()
		s.Moves = predict.OwnerCounters{Made: c.Executed, Teleports: c.Teleports, ServerForces: c.ServerForces}
	}
	return s
}

// event keeps an event until it is asked for, if not too many wait.
func (l *Local[S, C]) event(e Event) {
	if l.events.waiting() >= maxEvents {
		l.stats.Missed++
		return
	}
	l.events.put(e)
}

// hear takes a message of the game's.
func (l *Local[S, C]) hear(b []byte) {
	if len(b) > MaxMessage {
		panic("session: a message to a player is too long")
	}
	l.event(Event{Kind: Message, Bytes: slices.Clone(b)})
}

// confirm takes the verdict on a shot of the player's own.
func (l *Local[S, C]) confirm(r *shot.Receipt) { l.confirmed(r, &l.stats, l) }
