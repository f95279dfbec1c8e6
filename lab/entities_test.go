package lab_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
)

// kickabout has ann, running at the arena's football, and bob, looking on.
const kickabout = `
duration: 2s
level: arena
server: {entities: true}
network: {rtt: 80ms}
players:
  - {name: ann, at: [31.7, 0.1, 27], script: [{at: 0s, forward: 0.5}, {at: 1s, forward: 0}]}
  - {name: bob, at: [27, 0.1, 25.5]}
expect: [ann.bodies.error.p99 < 5, ann.bodies.snaps == 0, ann.corrections == 0]
`

// With entities there is a ball that rolls on both screens, and figures of its errors: in the result,
// its JSON and over seeds.
func TestEntitiesOfALevel(t *testing.T) {
	s := parse(t, kickabout)
	r, err := lab.Play(s, labgame.New(), lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Held() {
		t.Errorf("got %+v", r.Expect)
	}
	for name, p := range r.Players {
		if p.Bodies == nil || !(p.Bodies.Error.Max > 0 && p.Bodies.Error.Max < 5) {
			t.Errorf("%s saw bodies with %+v, want an error of less than 5 m, and one at all", name, p.Bodies)
		}
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil || !strings.Contains(b.String(), `"bodies":{`) {
		t.Errorf("%v; no bodies in the JSON", err)
	}
	d, err := lab.Seeds(context.Background(), s, labgame.New(), 2, lab.SeedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if e := d.Figures["bob.bodies.error.p50"]; !(e.Max > 0) {
		t.Errorf("over seeds: bob's bodies are off by %+v, want an error", e)
	}
}

// Without entities the arena has no bodies and no figures of them; an expectation of one is an error
// in its line.
func TestNoEntities(t *testing.T) {
	text := strings.Replace(kickabout, "entities: true", "entities: false", 1)
	_, err := lab.Play(parse(t, text), labgame.New(), lab.Options{})
	if want := "test.yaml:9: scenario: the result has no figure ann.bodies.error.p99"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	text, _, _ = strings.Cut(text, "expect:")
	r, err := lab.Play(parse(t, text), labgame.New(), lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Players["ann"]; p.Bodies != nil || slices.ContainsFunc(r.Numbers(), func(n lab.Number) bool { return strings.Contains(n.Path, "bodies.") }) {
		t.Errorf("got %+v, want no figures of bodies", p.Bodies)
	}
}

// A scenario that wants entities in a level without any is an error in the line of the level.
func TestALevelWithoutEntities(t *testing.T) {
	text := strings.Replace(kickabout, "level: arena", "level: yard", 1)
	_, err := lab.Play(parse(t, text), labgame.New(), lab.Options{})
	if want := "test.yaml:3: the level has no entities; arena has some"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
