package game

import (
	"testing"

	"github.com/backstep-net/backstep/check"
)

// The rules are right in what the compiler cannot see: what is packed is read, and client and server
// compute the same.
func TestRules(t *testing.T) {
	check.Game(t, Rules(), check.Play[Player, Input]{Start: Spawn(1), World: Level()})
}
