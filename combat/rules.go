package combat

import "github.com/backstep-net/backstep/shot"

// Rules is the part of a game that is about shots. S is the game's state, C its command. The
// zero Rules are a game without shots. Arm fills them for a game whose state has a
// shot.Loadout and whose command has a shot.Trigger.
type Rules[S, C any] struct {
	// Weapons is the table that a claim's weapon is an index of, at most shot.MaxWeapons. A
	// server sends its own to the clients with the welcome, so a client's may be empty.
	Weapons shot.Table
	// Trigger returns the place in c for the claim of a shot. Required with shots.
	Trigger func(c *C) *shot.Claim
	// Fired returns what became of the shot that the command carries which led from before to
	// after: ammunition, cool-down and how far a blade has got are the game's. Required with
	// shots.
	Fired func(t shot.Table, before *S, c *C, after *S) shot.FireResult
	// Claim says whether a command that begins with s has a shot, and completes its claim: the
	// weapon in hand, and of a blade that is on its way the aim. Its Trigger's Fire says
	// whether the player pulls the trigger; true of Claim without it is the rest of a swing.
	// Then the client aims by itself in each frame. Nil: the game calls Client.Aim before
	// the frame, and blades cut in the first of several commands of a frame only.
	Claim func(t shot.Table, s *S, c *C) bool
}

// Check panics where the rules cannot be played.
func (r *Rules[S, C]) Check() {
	if (r.Trigger == nil) != (r.Fired == nil) || r.Trigger == nil && (r.Claim != nil || len(r.Weapons) > 0) {
		panic("combat: Rules of a game with shots need both Trigger and Fired: combat.Arm sets them")
	}
	if len(r.Weapons) == 0 {
		return
	}
	if err := r.Weapons.Check(); err != nil {
		panic("combat: Rules.Weapons: " + err.Error())
	}
}
