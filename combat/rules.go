package combat

import (
	"github.com/backstep-net/backstep/shot"
)

// Rules are the shooting rules of a game. S is the game's state, C its command. The
// zero Rules are a game without shots; all others come from NewRules. LoadoutRules makes them for
// a game with a shot.Loadout in its state and a shot.Trigger in its command, and character.Arm for
// one whose players are characters too.
type Rules[S, C any] struct {
	// Weapons is the table that a claim's weapon is an index of, at most shot.MaxWeapons. A
	// server sends its own to the clients with the welcome, so a client's may be empty.
	Weapons shot.Table
	// Trigger returns the place in c for the claim of a shot. Required with shots.
	Trigger func(c *C) *shot.Claim
	// Fired returns the result of the shot in the command that led from before to after. Ammunition,
	// cooldown and the progress of a swing are part of the game's state. Required with shots.
	Fired func(t shot.Table, before *S, c *C, after *S) shot.FireResult
	// Claim reports whether a command that begins with s has a shot, and completes its claim by
	// the weapon in hand and, unless the Trigger's Yaw and Pitch are the aim, by the aim. Fire of
	// the Trigger is whether the player pulls the trigger; a shot without it is the rest of a
	// swing. With a Claim the client aims by itself in each frame. Nil: the game calls Client.Aim before
	// the frame, and blades cut in the first of several commands of a frame only.
	Claim func(t shot.Table, s *S, c *C) bool

	// client makes a player's end. The zero Rules do without, so a game without shots links
	// nothing of them into its browser core.
	client func(Events, Targets) Predictor
}

// NewRules returns rules that can be played, with all fields of r. It panics where r is not
// the rules of a game with shots.
func NewRules[S, C any](r Rules[S, C]) Rules[S, C] {
	r.client = newPredictor
	r.Check()
	return r
}

// newPredictor returns a Client, for rules with shots.
func newPredictor(events Events, targets Targets) Predictor {
	return NewClient(events, targets.NewScene)
}

// NewPredictor returns the client's side of combat by these rules: a Client that reports to events, or one
// that never shoots where the rules have no shots.
func (r *Rules[S, C]) NewPredictor(events Events, targets Targets) Predictor {
	if r.client == nil {
		return unarmed{}
	}
	return r.client(events, targets)
}

// Check panics where the rules cannot be played.
func (r *Rules[S, C]) Check() {
	shots := r.Trigger != nil || r.Fired != nil || r.Claim != nil || len(r.Weapons) > 0 || r.client != nil
	if shots && (r.Trigger == nil || r.Fired == nil) {
		panic("combat: Rules of a game with shots need both Trigger and Fired: character.Arm sets them")
	}
	if shots && r.client == nil {
		panic("combat: Rules of a game with shots come from combat.NewRules: pass these to it")
	}
	if len(r.Weapons) == 0 {
		return
	}
	if err := r.Weapons.Check(); err != nil {
		panic("combat: Rules.Weapons: " + err.Error())
	}
}
