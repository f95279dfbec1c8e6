package scenario

import "fmt"

// Use is a word of the format that a file uses and a build may not know yet.
type Use struct {
	Of   UseOf
	Word string
	Line int
}

// UseOf says what kind of word a Use is. Its text is how messages begin.
type UseOf string

// The kinds of Use, each with where its words are listed.
const (
	UseServer     UseOf = "server"      // block, damage, things
	UseGeometry   UseOf = "geometry"    // Kinds
	UseParam      UseOf = "params"      // DefaultParams, Options.Tunables
	UsePlayer     UseOf = "players"     // tick, input_delay, commands
	UseRemote     UseOf = "remote"      // Remotes
	UseCheat      UseOf = "cheat"       // Cheats
	UseBot        UseOf = "bot"         // Bots
	UseScript     UseOf = "script"      // fire, push
	UseMode       UseOf = "mode"        // Modes
	UseRootMotion UseOf = "root_motion" // RootMotions
	UsePart       UseOf = "part"        // Parts
	UseWeapon     UseOf = "weapon"      // Weapons, Options.Weapons
	UseFault      UseOf = "fault"       // FaultKinds
)

// Features are what a build can do: for each kind of word, those it knows. Of a
// kind that is not in the map it knows all; of one with an empty list it knows
// none. Where "none" is a word, it is always known.
type Features map[UseOf][]string

// Unsupported is what the scenario asks for and a build of these features cannot
// do, each with its line; nil where there is nothing.
func (s *Scenario) Unsupported(f Features) Errors {
	c := complaints{file: s.File, sets: s.Sets}
	for _, u := range s.Uses {
		if known, limited := f[u.Of]; limited && u.Word != "none" && !contains(known, u.Word) {
			c.add(u.Line, "%s is not built yet", u)
		}
	}
	if len(c.list) == 0 {
		return nil
	}
	return c.errors()
}

// LineOf is where the scenario uses a word first, and 0 where it does not.
func (s *Scenario) LineOf(of UseOf, word string) int {
	for _, u := range s.Uses {
		if u.Of == of && u.Word == word {
			return u.Line
		}
	}
	return 0
}

// String is as messages say it: mode "flying".
func (u Use) String() string { return fmt.Sprintf("%s %q", string(u.Of), u.Word) }

func (r *reader) use(of UseOf, word string, line int) {
	r.uses = append(r.uses, Use{of, word, line})
}
