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
