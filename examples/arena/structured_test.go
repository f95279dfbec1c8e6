package arena

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
	"github.com/backstep-net/backstep/movement"
)

// heroDecoder reads the state of a player, which a correction carries.
func heroDecoder() structured.Decoder {
	h := Hero{State: movement.Spawn(geom.V(1, 2, 3), 1), Loadout: NewGame().Weapons().Loadout(), Life: 3}
	return structured.Packed("examples/arena.Hero", "FuzzHero", (*Hero).Pack, nil, nil, h)
}

// Inputs that know the format find no state and no command of the arena that panics, is accepted in
// two forms or allocates. [THR-13, THR-14]
func TestStructuredInputs(t *testing.T) {
	game := NewGame()
	command := func(c *Command, p *bits.Packer) { game.PackCommand(p, c, &Command{}) }
	structured.Run(t, heroDecoder(), structured.Packed("examples/arena.Command", "FuzzCommand", command, nil, nil, Command{}, Command{Select: 3, Shield: true}),
		structured.Packed("examples/arena.Kill", "FuzzKill", (*Kill).pack, nil, nil, Kill{Killer: 1, Victim: 2}),
		structured.Packed("examples/arena.Killcam", "FuzzKillcam", (*Killcam).pack, nil, nil, killcams...))
}

// FuzzHero: any bytes are the state of a player or an error. [THR-13]
func FuzzHero(f *testing.F) { structured.Fuzz(f, heroDecoder()) }

// No number that is none, infinite or extreme gets into the state of a player, which is the largest message
// with numbers of full length: every class of float in every place and field. [THR-15]
func TestNoFloatThatIsNoNumber(t *testing.T) {
	h := Hero{State: movement.Spawn(geom.V(1, 2, 3), 1), Loadout: NewGame().Weapons().Loadout(), Life: 3}
	h.Velocity = geom.V(1, -2, 3)
	structured.Floats(t, (*Hero).Pack, h)
	game := NewGame()
	structured.Floats(t, func(c *Command, p *bits.Packer) { game.PackCommand(p, c, &Command{}) }, Command{Select: 3})
}
