package collide

import (
	"github.com/backstep-net/backstep/clock"
)

const (
	// MaxEntries is how many triggers the log of a mover keeps beside its Start: as many as fit
	// between Triggers.foldAfter and now.
	MaxEntries = 16
	// foldAfter is how old a trigger's effect is when it may become part of the Start: older than
	// every instant for which a pose is needed, which are at most a second back.
	foldAfter = MaxEntries * MinTriggerInterval
	// MaxTriggerDelay is how long before the server received it a trigger may count at most. A
	// command that arrives later moves the mover as if it had been made that long ago, so that
	// nobody can move a mover of the past under others.
	MaxTriggerDelay = 250 * clock.Millisecond
)

// TriggerEntry is one trigger of a mover.
type TriggerEntry struct {
	// At is its match time: the stamp of the command that caused it. The mover moves Trigger.Delay later.
	At clock.Micros
	// Waypoint is the waypoint that it sends the mover to, from 1; Press selects the waypoint by
	// the mover's kind.
	Waypoint uint16
	// By is the player that caused it, 0 for the server. Clients have 0 for triggers of other
	// players.
	By uint16
	// Tick is the tick of the first snapshot that can carry it to clients, on a server. A
	// client has 0.
	Tick uint32
	// Number is the number of the command, for an entry that its own client has Predicted and
	// the server has not acknowledged.
	Number    uint32
	Predicted bool // see Number
}

// TriggerLog is the log of one mover: the motion that old triggers have led to, and the newer
// triggers. It is plain data; the zero TriggerLog is that of a mover that was never triggered.
type TriggerLog struct {
	// Start is the motion before the entries.
	Start   Motion
	count   int
	entries [MaxEntries]TriggerEntry // ascending by At, at least MinTriggerInterval apart
}

// Entries returns the triggers since Start, oldest first. The slice must not be changed.
func (l *TriggerLog) Entries() []TriggerEntry { return l.entries[:l.count] }

// Used reports whether the mover was ever triggered. A nil log was not.
func (l *TriggerLog) Used() bool { return l != nil && (l.Start.Waypoint != 0 || l.count > 0) }

// fold merges into Start the entries that took effect before match time t. Predicted ones are not
// merged: they may have to be removed.
func (l *TriggerLog) fold(b *Mover, t clock.Micros) {
	n := 0
	for n < l.count && l.entries[n].At+b.Trigger.Delay < t && !l.entries[n].Predicted {
		n++
	}
	if n == 0 {
		return
	}
	l.Start = b.motionAt(l, l.entries[n-1].At+b.Trigger.Delay)
	l.count = copy(l.entries[:], l.entries[n:l.count])
}

// insert adds an entry in order. It reports false, and changes nothing, if another entry is
// within MinTriggerInterval or the log is full.
func (l *TriggerLog) insert(e *TriggerEntry) bool {
	at := l.count
	for i := range l.entries[:l.count] {
		apart := e.At - l.entries[i].At
		if apart < MinTriggerInterval && apart > -MinTriggerInterval {
			return false
		}
		if apart < 0 && at == l.count {
			at = i
		}
	}
	if l.count == MaxEntries {
		return false
	}
	copy(l.entries[at+1:l.count+1], l.entries[at:l.count])
	l.entries[at] = *e
	l.count++
	return true
}

// remove removes the entries for which gone returns true.
func (l *TriggerLog) remove(gone func(e *TriggerEntry) bool) {
	n := 0
	for i := range l.entries[:l.count] {
		if !gone(&l.entries[i]) {
			l.entries[n] = l.entries[i]
			n++
		}
	}
	l.count = n
}

// Triggers holds the logs of the triggered movers of a match. Poses depend on them and on
// match time, and on nothing else. A Triggers belongs to one end of a match, as
// World.WithTriggers does, and serves one goroutine. The zero Triggers is that of a match in
// which nothing was triggered.
//
// On a client it holds the triggers that the server has sent and, marked as Predicted, those
// that the player's own commands will cause on the server.
type Triggers struct {
	logs      []TriggerLog // by MoverID − 1, as far as any was triggered
	changed   []uint64     // as logs: the number of the newest trigger
	changes   uint64       // how many triggers there were
	predicted int          // how many entries are Predicted
	newest    uint32       // the newest Tick of an entry
	cause     TriggerCause
	open      bool // whether WorldAt.Trigger records
}

// TriggerCause is the common cause of the triggers between Open and Close.
type TriggerCause struct {
	// Now is the match time by which the command was due: entries count as made
	// MaxTriggerDelay before it at the earliest, and older ones are merged into the Start. Zero
	// on a client, where entries have the stamps of their commands.
	Now clock.Micros
	// By is the player, 0 for the server.
	By uint16
	// Tick is the tick of the first snapshot that can carry them to clients.
	Tick uint32
	// Number is the number of the command that a client predicts. It counts only if Predicted
	// is set.
	Number    uint32
	Predicted bool // see Number
}

// Open makes WorldAt.Trigger record triggers, with that cause, until Close. A client first
// removes its predictions for the command and for later ones from match time after on: it
// simulates these commands again, so no trigger is recorded twice, and none stays that no
// longer happens.
func (t *Triggers) Open(c TriggerCause, after clock.Micros) {
	t.cause, t.open = c, true
	if c.Predicted {
		t.forget(func(e *TriggerEntry) bool {
			later := int32(e.Number - c.Number)
			return later > 0 || later == 0 && e.At > after
		})
	}
}

// forget removes the predicted entries for which gone returns true.
func (t *Triggers) forget(gone func(e *TriggerEntry) bool) {
	// Nearly always there are none: a player does not open doors all the time.
	for i := 0; i < len(t.logs) && t.predicted > 0; i++ {
		l := &t.logs[i]
		before := l.count
		l.remove(func(e *TriggerEntry) bool { return e.Predicted && gone(e) })
		t.predicted -= before - l.count
	}
}

// Close ends the recording that Open began.
func (t *Triggers) Close() { t.open = false }

// Acknowledge removes the predictions of a client for commands up to a number: the server has
// run these commands, so its log has their triggers.
func (t *Triggers) Acknowledge(number uint32) {
	t.forget(func(e *TriggerEntry) bool { return int32(e.Number-number) <= 0 })
}

// Log returns the log of a mover, nil where it was never triggered. It is valid until the next
// change.
func (t *Triggers) Log(id MoverID) *TriggerLog {
	if t == nil || id == Static || int(id) > len(t.logs) {
		return nil
	}
	return &t.logs[id-1]
}

// Replace sets the log of a mover to that of the server, and keeps the client's predictions
// that the server has not acknowledged. Ids beyond MaxMovers are ignored.
func (t *Triggers) Replace(id MoverID, log *TriggerLog) {
	if id == Static || id > MaxMovers {
		return
	}
	l := t.grow(id)
	before := *l
	*l = *log
	for i := range before.Entries() {
		if e := &before.entries[i]; e.Predicted && !l.insert(e) {
			t.predicted--
		}
	}
}

// grow returns the log of a mover, and makes room for it.
func (t *Triggers) grow(id MoverID) *TriggerLog {
	for len(t.logs) < int(id) {
		t.logs, t.changed = append(t.logs, TriggerLog{}), append(t.changed, 0)
	}
	return &t.logs[id-1]
}

// Changed appends to into the movers that were triggered since an earlier call, by ascending
// id. since is the result of that call, 0 for all movers that ever were triggered; it returns
// the value for the next call.
func (t *Triggers) Changed(since uint64, into []MoverID) ([]MoverID, uint64) {
	if t == nil || t.changes == since {
		return into, since
	}
	for i, n := range t.changed {
		if n > since {
			into = append(into, MoverID(i+1))
		}
	}
	return into, t.changes
}

// add records a trigger of a mover, and reports whether that changes the mover's motion.
func (t *Triggers) add(b *Mover, id MoverID, at clock.Micros, waypoint uint16) bool {
	c, now := &t.cause, at
	if !c.Predicted {
		// By the present and not by a trigger in advance: the poses of the recent past are still used.
		at, now = max(at, c.Now-MaxTriggerDelay), c.Now
	}
	l := t.grow(id)
	l.fold(b, now-foldAfter)
	begins := at + b.Trigger.Delay
	e := TriggerEntry{At: at, Waypoint: waypoint, By: c.By, Tick: c.Tick, Number: c.Number, Predicted: c.Predicted}
	if b.redundant(b.motionAt(l, begins), begins, waypoint) || !l.insert(&e) {
		return false
	}
	t.newest = max(t.newest, c.Tick)
	if c.Predicted {
		t.predicted++
	}
	t.changes++
	t.changed[id-1] = t.changes
	return true
}

// Trigger triggers a mover at v.At. waypoint is the waypoint to go to, from 1, or Press, which
// selects it by the mover's kind. It is for a game's step, which runs on both ends, so the
// player's own client predicts the result of the server. In queries and replays, where nothing
// is recorded, it does nothing. It reports whether the trigger changes the mover's motion: a
// second one within MinTriggerInterval does not, and neither does one to the waypoint where the
// mover goes already. A mover without a Trigger is left alone. It panics on a waypoint that the
// mover does not have.
func (v *WorldAt) Trigger(id MoverID, waypoint int) bool {
	if v.World == nil {
		return false
	}
	b, t := v.World.Mover(id), v.World.triggers
	if b == nil || b.Trigger.Kind == Untriggered {
		return false
	}
	if err := b.checkWaypoint(waypoint); err != nil {
		panic("collide: Trigger of " + err.Error())
	}
	return t != nil && t.open && t.add(b, id, v.At, uint16(waypoint))
}

// WithTriggers returns the same level with the log of a match: the poses of its triggered movers
// follow the log. The geometry is shared, and the world that it is called on still has every
// triggered mover where it begins. A level without triggered movers is returned as it is.
func (w *World) WithTriggers(t *Triggers) *World {
	if !w.Triggered() {
		return w
	}
	match := *w
	match.triggers = t
	return &match
}

// Triggers returns the log that the poses follow (WithTriggers), nil where triggered movers rest. It
// must not be changed.
func (w *World) Triggers() *Triggers { return w.triggers }

// Triggered reports whether the level has triggered movers.
func (w *World) Triggered() bool {
	for i := range w.movers {
		if w.movers[i].Trigger.Kind != Untriggered {
			return true
		}
	}
	return false
}

// KnownWorld is scratch for World.KnownBy.
type KnownWorld struct {
	world World
	log   Triggers
}

// KnownBy returns the world as known by a player that has received the snapshots up to a tick:
// without the triggers that came later, except the player's own. It is w itself if the player
// knows all triggers, and otherwise in scratch, valid until the next call or change of the
// log.
func (w *World) KnownBy(by uint16, tick uint32, scratch *KnownWorld) *World {
	t := w.triggers
	if t == nil || t.newest <= tick {
		return w
	}
	s := &scratch.log
	s.logs = append(s.logs[:0], t.logs...)
	for i := range s.logs {
		s.logs[i].remove(func(e *TriggerEntry) bool { return e.Tick > tick && e.By != by })
	}
	scratch.world = *w
	scratch.world.triggers = s
	return &scratch.world
}

// pathTime returns the time at which mover number i+1 is on its path at match time t, and whether
// that advances (1), rests (0) or goes back (−1).
func (w *World) pathTime(i int, t clock.Micros) (at clock.Micros, direction int) {
	b := &w.movers[i]
	if b.Trigger.Kind == Untriggered {
		return t, 1
	}
	return b.follow(b.motionAt(w.triggers.Log(MoverID(i+1)), t), t)
}
