package combat_test

import (
	"fmt"

	"github.com/backstep-net/backstep/combat"
)

// Other players see a projectile as an entity, whose tag says which shot of which player it is.
func ExampleTaggedProjectile() {
	tag := combat.ProjectileTag(16, 3, 1000)
	shooter, shot := combat.TaggedProjectile(16, tag)
	fmt.Println(shooter, shot == 1000&511)
	// Output: 3 true
}
