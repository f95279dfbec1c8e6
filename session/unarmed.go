package session

import "github.com/backstep-net/backstep/shot"

// Unarmed is the part of a Game that is about shots, for a game without any:
// embed it.
type Unarmed[S comparable, C any] struct{ none shot.Claim }

// Carry has nothing to strip.
func (*Unarmed[S, C]) Carry(*C) {}

// Trigger is a place where never a shot rides.
func (u *Unarmed[S, C]) Trigger(*C) *shot.Claim { return &u.none }

// Fired is never so.
func (*Unarmed[S, C]) Fired(*S, *C, *S) shot.FireResult { return shot.FireResult{} }

// Weapons is an empty table.
func (*Unarmed[S, C]) Weapons() []shot.Weapon { return nil }
