package combat

import "github.com/backstep-net/backstep/shot"

// Armed is satisfied by a pointer to a state that embeds shot.Loadout.
type Armed[S any] interface {
	*S
	Armament() *shot.Loadout
}

// Triggered is satisfied by a pointer to a command that embeds shot.Trigger.
type Triggered[C any] interface {
	*C
	Firing() *shot.Trigger
}

// LoadoutRules returns the rules of players that shoot with the shot.Loadout in their state by the
// shot.Trigger in their command, however they move. The game's Step steps the loadout,
//
//	s.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
//
// and players spawn with weapons.Loadout(). Clients get the server's table when they join, so they may pass
// nil. aim returns where a shot of a command goes that begins with s, in radians: the view of a character,
// the bow of a ship, or the Yaw and Pitch of the claim as the page gives them, where the camera does not
// stand in the eye. able reports whether a player in that state may shoot at all (not frozen, not dead);
// Step must not step the loadout of one that may not. Nil: all may. For a character, character.Arm does all
// this. It panics as NewRules does.
func LoadoutRules[S, C any, PS Armed[S], PC Triggered[C]](weapons shot.Table, aim func(s *S, c *C) (yaw, pitch float64), able func(s *S) bool) Rules[S, C] {
	may := func(s *S) bool { return able == nil || able(s) }
	r := Rules[S, C]{Weapons: weapons}
	r.Trigger = func(c *C) *shot.Claim { return &PC(c).Firing().Claim }
	r.Fired = func(t shot.Table, before *S, c *C, after *S) shot.FireResult {
		if !may(before) {
			return shot.FireResult{}
		}
		return shot.DeriveFireResult(t, PS(before).Armament(), PS(after).Armament(), PC(c).Firing().Input())
	}
	r.Claim = func(t shot.Table, s *S, c *C) bool {
		a, claim := PS(s).Armament(), &PC(c).Firing().Claim
		if !may(s) || !a.Claims(t, claim.Fire) {
			return false
		}
		yaw, pitch := aim(s, c) // which may read the claim
		*claim = shot.Claim{Weapon: a.Held, Yaw: yaw, Pitch: pitch}
		return true
	}
	return NewRules(r)
}
