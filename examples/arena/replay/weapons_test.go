package replay_test

import (
	"testing"

	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/replay"
)

// Twenty seconds of bots in two teams, with weapons of the match's own, rockets that push and
// friends who are hurt by half: played again it is the same, tick by tick.
func TestAFightWithItsOwnWeaponsIsTheSameAgain(t *testing.T) {
	config := court(t)
	config.Weapons, config.Teams, config.Damage.Friendly, config.Armour = arena.Weapons(), true, 0.5, 50
	config.Weapons[0].Magazine, config.Weapons[2].Blast.Radius = 7, 4
	skill := arena.Veteran
	skill.Rockets = 0.5
	f, m := bots{n: 6, skill: skill, ticks: 1200}.record(t, config)
	v, err := replay.Verify(f)
	if err != nil || v.Differed || v.Hashes < 10 {
		t.Errorf("%+v, %v", v, err)
	}
	blows := map[string]int{}
	for _, d := range m.DamageLog(nil) {
		blows[config.Weapons[d.Weapon].Name+" "+d.Outcome.String()]++
	}
	t.Logf("%v; blows: %v", v, blows)
	if blows["rifle "] == 0 || blows["rocket "] == 0 {
		t.Errorf("a poor fight: %v", blows)
	}
}
