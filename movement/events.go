package movement

// MaxEvents is how many events one move can report; later ones are dropped.
const MaxEvents = 8

// EventKind says what happened during a move.
type EventKind uint8

// What can happen. Each line says what Event.Value is.
const (
	Jumped       EventKind = 1 + iota // Value: upward speed after it, m/s
	Landed                            // Value: downward speed before it, m/s
	Stepped                           // Value: height climbed, m
	WalkedOff                         // left the floor without jumping; Value 0
	Stuck                             // in geometry, with no way out found: once, until it was free; Value 0
	Crushed                           // squeezed between a mover and the level; Value: how deep, m
	EnteredWater                      // Value: speed, m/s
	LeftWater                         // Value: speed, m/s
	Boosted                           // by a jump pad; Value: speed after it, m/s
)

// Event is something that happened during a move, for sounds, damage and logs.
// It is not state: a replay reports it again.
type Event struct {
	// Kind of event, never zero.
	Kind EventKind
	// Value as Kind says.
	Value float64
}

// eventList is the events of a move.
type eventList struct {
	list  [MaxEvents]Event
	count int
}

// Events returns what happened so far, oldest first. It is valid until the next
// Begin.
func (f *StepContext) Events() []Event { return f.events.list[:f.events.count] }

// report keeps an event while there is room.
func (f *StepContext) report(k EventKind, value float64) {
	if e := &f.events; e.count < MaxEvents {
		e.list[e.count] = Event{k, value}
		e.count++
	}
}
