package game

import (
	"testing"

	"github.com/backstep-net/backstep/check"
)

// check.Game tests the rules beyond the compiler: packed values are read back unchanged, and client
// and server compute the same state.
func TestRules(t *testing.T) {
	check.Game(t, Rules(), check.Play[Player, Input]{Start: Spawn(1, 0), World: Level()})
}
