package combat_test

import (
	"strings"
	"testing"

	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/shot"
)

// Rules with a Trigger that do not come from NewRules have no player's end: a match with them
// would ignore all shots, so they panic with the cure.
func TestRulesComeFromNewRules(t *testing.T) {
	r := combat.Rules[int, shot.Claim]{
		Trigger: func(c *shot.Claim) *shot.Claim { return c },
		Fired:   func(shot.Table, *int, *shot.Claim, *int) shot.FireResult { return shot.FireResult{} },
	}
	made := combat.NewRules(r)
	made.Check()
	defer func() {
		if got, want := recover(), "combat.NewRules"; got == nil || !strings.Contains(got.(string), want) {
			t.Errorf("panic %v, want one that names %s", got, want)
		}
	}()
	r.Check()
}

// The aim of a loadout's rules may be the one that the page gave with the trigger, as a camera beside the eye
// needs it: it is read before the claim is completed.
func TestAnAimMayReadTheClaim(t *testing.T) {
	table := shot.Table{shot.Rifle()}
	r := combat.LoadoutRules[shot.Loadout, shot.Trigger](table, func(_ *shot.Loadout, c *shot.Trigger) (yaw, pitch float64) {
		return c.Claim.Yaw, c.Claim.Pitch
	}, nil)
	s, c := table.Loadout(), shot.Trigger{Claim: shot.Claim{Fire: true, Yaw: 0.6, Pitch: -0.1}}
	if !r.Claim(table, &s, &c) || c.Claim.Yaw != 0.6 || c.Claim.Pitch != -0.1 {
		t.Errorf("got the claim %+v, want one at yaw 0.6 and pitch -0.1", c.Claim)
	}
}
