package track

import "github.com/backstep-net/backstep/clock"

// WalkedRound is where Sample.Walked begins again, in metres: rig.WalkedRound.
const WalkedRound = 64

// StanceTime is how long it takes to get into a stance or out of it.
const StanceTime = 150 * clock.Millisecond

// Stance is how a body holds itself: how far it is into crouching, being in the air and
// swimming, 0 … 1 each, on a grid of 1/15. Game.Pose says what it is on the way to, and
// a session tells how far it has got.
type Stance struct{ Low, Air, Swim float64 }
