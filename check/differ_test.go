package check

import (
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// A correction of a bot names what was wrong of the game's own, before what movement has wrong because of it. [ACK-14]
func TestACorrectionNamesTheGamesOwnFields(t *testing.T) {
	type hero struct {
		movement.State
		shot.Loadout
		Frozen clock.Micros
		Dead   bool
	}
	g := namingOwn(session.Game[hero, movement.Command]{
		Differ: func(predicted, truth *hero, into []predict.Difference) []predict.Difference {
			return movement.Differ(&predicted.State, &truth.State, into)
		},
	})
	truth := hero{State: movement.Spawn(geom.V(1, 2, 3), 0)}
	predicted := truth
	if got := g.Differ(&predicted, &truth, nil); len(got) != 0 {
		t.Errorf("equal states: got %v, want nothing", got)
	}
	predicted.Frozen += 1500 * clock.Millisecond
	predicted.Ammo[1].Rounds, predicted.Dead = 3, true
	predicted.Position.X += 0.25
	want := []predict.Difference{{Field: "Rounds", By: 3}, {Field: "Frozen", By: 1.5}, {Field: "Dead", By: 1}, {Field: "position", By: 0.25}}
	if got := g.Differ(&predicted, &truth, nil); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
