package level

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/backstep-net/backstep/collide"
)

// extras is the "backstep" object of a node's extras.
//
// Texts and not types of collide, so that an error can quote what the file says.
type extras struct {
	Collide string        // "", mesh, box, hull, none
	Walk    string        // "", always, never
	Step    string        // "", always, never
	Spawn   bool          // players enter here
	Entity  string        // kind of a game object; "": none
	Team    int           // of a spawn point or entity, 1 … 255; 0: none
	Mover   *moverExtras  // the node and those below move
	Volume  *volumeExtras // the node's mesh is not solid but water, a kill volume, a trigger, …
}

// sceneExtras is the "backstep" object of a scene's extras.
type sceneExtras struct {
	Name       string   // "": the scene's name
	KillHeight *float64 // m; nil: ten metres below the lowest solid
}

// readExtras reads the "backstep" object of extras into m: the object itself, or a string
// that contains it (Blender's text properties). Extras of other tools are ignored. A key
// that is not in m is an error, because it is probably a typing mistake.
func readExtras(extras json.RawMessage, m any) error {
	own := ownExtras(extras)
	if own == nil {
		return nil
	}
	var text string
	// Blender has no nested properties: its users write the object as text.
	if json.Unmarshal(own, &text) == nil {
		own = json.RawMessage(text)
		// The check of the file has seen a string here, and not what is in it.
		if err := checkNesting(own); err != nil {
			return fmt.Errorf("extras.backstep: %w", err)
		}
	}
	d := json.NewDecoder(bytes.NewReader(own))
	// A mark with a typing mistake would be a wall that players walk through, and nobody
	// would know why.
	d.DisallowUnknownFields()
	err := d.Decode(m)
	if _, end := d.Token(); err == nil && end != io.EOF {
		err = errors.New("something follows the object")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends in the middle")
	}
	if err != nil {
		return fmt.Errorf("extras.backstep: %w", err)
	}
	return nil
}

// ownExtras returns the value "backstep" of extras, nil if there is none.
func ownExtras(extras json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	// The format allows any value here, and other tools write theirs.
	if len(extras) == 0 || json.Unmarshal(extras, &all) != nil || string(all["backstep"]) == "null" {
		return nil
	}
	return all["backstep"]
}

// check makes sure that every word is a known one.
//
// Combinations that have no meaning are errors, because whatever was meant, one of the two
// marks would be lost.
func (m *extras) check() error {
	switch m.Collide {
	case "", "mesh", "box", "hull", "none":
	default:
		return fmt.Errorf("extras.backstep.collide is %s; must be mesh, box, hull or none", quote(m.Collide))
	}
	if _, err := rule("walk", m.Walk); err != nil {
		return err
	}
	if _, err := rule("step", m.Step); err != nil {
		return err
	}
	switch {
	case m.Team < 0 || m.Team > 255:
		return fmt.Errorf("extras.backstep.team is %d; must be 0 … 255", m.Team)
	case m.Team != 0 && !m.Spawn && m.Entity == "":
		return errors.New("extras.backstep.team without spawn or entity")
	case len(m.Entity) > MaxKind:
		return fmt.Errorf("extras.backstep.entity has more than %d bytes", MaxKind)
	case m.Entity != "" && (m.Spawn || m.Mover != nil || m.Volume != nil):
		return errors.New("extras.backstep.entity on a node that is something else too")
	case m.Mover != nil && (m.Spawn || m.Volume != nil):
		return errors.New("extras.backstep.mover on a node that is a spawn point or a volume too")
	case m.Volume != nil && m.Spawn:
		return errors.New("extras.backstep.volume on a node that is a spawn point too")
	}
	return nil
}

// surface returns the surface of a node's solid; check has refused other words.
func (m *extras) surface() collide.Surface {
	walk, _ := rule("walk", m.Walk)
	step, _ := rule("step", m.Step)
	return collide.Surface{Walk: walk, StepOn: step}
}

// rule returns what a word overrides; "" overrides nothing. what names the key for the error.
func rule(what, word string) (collide.Rule, error) {
	switch word {
	case "":
		return collide.Default, nil
	case "always":
		return collide.Always, nil
	case "never":
		return collide.Never, nil
	}
	return 0, fmt.Errorf("extras.backstep.%s is %s; must be always or never", what, quote(word))
}
