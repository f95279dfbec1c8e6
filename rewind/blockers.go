package rewind

import "github.com/backstep-net/backstep/track"

// Blocker says when a moving body of the level stands where a shot meets it (GAP-46).
type Blocker uint8

// The rules for bodies. The zero is what the shooter sees.
const (
	// Rewound stands where the picture has it: at the view's platform time.
	Rewound Blocker = iota
	// Present stands where it is by the newest tick: a client, who does not know that,
	// guesses the platform time.
	Present
	// Ignored stops no shot.
	Ignored
)

// Blockers are the rules for the moving bodies of a level: plain data of the game's, the
// same on both ends. The zero Blockers rewinds them all, and none of them breaks.
type Blockers struct {
	// Rules are by BodyID − 1; bodies beyond its end are Rewound.
	Rules []Blocker
	// Breaks is a kind of things of which each stands for a body that can be broken: the
	// thing's Extra is the BodyID. Where the thing is Dead in a view the body is not there
	// in the scene, and where it is not, the body is, whatever became of it since. Zero is
	// none.
	Breaks track.Kind
}
