package rewind

import "github.com/backstep-net/backstep/track"

// Blocker selects the pose at which a mover of the level stops shots [GAP-46].
type Blocker uint8

// The rules for movers. The zero value is what the shooter sees.
const (
	// Rewound is its pose in the view: at the view's platform time.
	Rewound Blocker = iota
	// Present is its pose at the newest tick; a client, which does not know that time, takes the
	// platform time.
	Present
	// Ignored stops no shot.
	Ignored
)

// Blockers are the rules for the movers of a level: plain data, the same on both ends. The zero
// Blockers rewinds all of them, and none of them breaks.
type Blockers struct {
	// Rules are by MoverID − 1; movers beyond its end are Rewound.
	Rules []Blocker
	// Breaks is a kind of entities of which each stands for a mover that can be broken: the
	// entity's UserData is the MoverID. The mover is in the scene unless the entity is Dead in the
	// view, also if it has been broken since. Zero is none.
	Breaks track.Kind
}
