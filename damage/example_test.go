package damage_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
)

// Player 1 shoots player 2, who wears armour, in the head; the receipt comes twice.
func Example() {
	rules := damage.Rules{}
	rules.Plates[rig.Head] = damage.ArmourPlate{Share: .5, Wear: .5}
	ledger := damage.NewLedger(rules, 3)
	ledger.Spawn(1, 1, 0)
	ledger.Spawn(2, 1, 0)
	ledger.AddArmour(2, 50)

	receipt := shot.Receipt{Shot: 90, Shooter: 1, Verdict: shot.Hit, ViewGranted: 850 * clock.Millisecond, EventCount: 1}
	receipt.Events[0] = shot.DamageEvent{Target: 2, Life: 1, HitGroup: rig.Head, Count: 1, Heads: 1, Damage: 60}
	ledger.QueueReceipt(&receipt, 0)
	ledger.QueueReceipt(&receipt, 0)
	for _, d := range ledger.ApplyQueued(clock.Second, nil) {
		fmt.Printf("player %d took %d from player %d (%v), seen %d ms ago; armour took %d\n",
			d.Attacker, d.HealthLost, d.Target, d.HitGroup, (d.At-d.Seen)/clock.Millisecond, d.Absorbed)
	}
	fmt.Printf("%+v\n", ledger.Vitals(2))
	// Output:
	// player 1 took 30 from player 2 (head), seen 150 ms ago; armour took 30
	// {Health:70 Armour:35 Team:0 Life:1}
}
