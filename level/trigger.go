package level

import (
	"fmt"
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
)

// triggerExtras is extras.backstep.mover.trigger: what starts a mover's path.
type triggerExtras struct {
	Kind    string   // once, toggle, timed, stop_go
	Delay   *float64 // seconds between the trigger and the motion; default collide.DefaultDelay
	Hold    *float64 // seconds for which a timed mover rests; default defaultHold
	Running bool     // a stop_go mover goes from the beginning
}

// defaultHold is for how long a timed mover rests where its level says nothing: long enough to
// walk through a door.
const defaultHold = 2 * clock.Second

// triggerKinds are the words for the kinds.
var triggerKinds = map[string]collide.TriggerKind{
	"once": collide.Once, "toggle": collide.Toggle, "timed": collide.Timed, "stop_go": collide.StopGo,
}

// trigger returns the trigger of a mover; nil is that of one that follows match time. What does not
// fit the path is for the builder to refuse.
func (m *triggerExtras) trigger() (collide.Trigger, error) {
	if m == nil {
		return collide.Trigger{}, nil
	}
	kind, ok := triggerKinds[m.Kind]
	if !ok {
		return collide.Trigger{}, fmt.Errorf("kind is %s; must be once, toggle, timed or stop_go", quote(m.Kind))
	}
	t := collide.Trigger{Kind: kind, Delay: collide.DefaultDelay, Running: m.Running}
	if kind == collide.Timed {
		t.Hold = defaultHold
	}
	var err error
	if m.Delay != nil {
		t.Delay, err = seconds("delay", *m.Delay)
	}
	if m.Hold != nil && err == nil {
		t.Hold, err = seconds("hold", *m.Hold)
	}
	return t, err
}

// seconds converts a duration of the file.
func seconds(what string, s float64) (clock.Micros, error) {
	at := math.Round(s * 1e6)
	// Before the conversion: a float beyond an int64 converts to anything.
	if !(at >= 0 && at <= float64(collide.MaxPathTime)) {
		return 0, fmt.Errorf("%s is %g s; must be 0 or more", what, s)
	}
	return clock.Micros(at), nil
}
