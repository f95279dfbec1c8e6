package character

import (
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// Trigger is satisfied by a pointer to a command that embeds movement.Command and shot.Trigger.
type Trigger[C any] interface {
	*C
	Controls() *movement.Command
	Firing() *shot.Trigger
}

// Arm lets a game's players shoot, with a table of weapons: it sets Combat, and ClearOneTime unless the
// game has its own, which must then clear the trigger too. The client aims along the view by
// itself when its player pulls the trigger. Call it before Fill. A game's Step steps the loadout,
//
//	h.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
//
// and players spawn with weapons.Loadout(). Clients get the server's table when they join, so they may pass
// nil. able reports whether a player in that state may
// shoot at all (not frozen, not dead); Step must not step the loadout of one that may not. Nil:
// all may. Arm panics on a table that no match can have (shot.Table.Check).
func Arm[S comparable, C any, PS combat.Armed[S], PC Trigger[C]](g *session.Game[S, C], weapons shot.Table, able func(s *S) bool) {
	if err := weapons.Check(); len(weapons) > 0 && err != nil {
		panic("character: Arm: weapons: " + err.Error())
	}
	g.Combat = combat.LoadoutRules[S, C, PS, PC](weapons, func(_ *S, c *C) (yaw, pitch float64) {
		look := PC(c).Controls()
		return look.Yaw, look.Pitch
	}, able)
	if g.ClearOneTime == nil {
		g.ClearOneTime = func(c *C) { *PC(c).Firing() = shot.Trigger{} }
	}
}
