package scenario

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestThePageIsTrue: the examples of docs/scenarios.md are scenarios, the long
// one equals testdata/example.yaml, and the page has every word of the format.
func TestThePageIsTrue(t *testing.T) {
	b, err := os.ReadFile("../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	var read []*Scenario
	for _, part := range strings.Split(page, "```yaml\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		s, err := parse("testdata/example.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, s)
	}
	if len(read) != 2 {
		t.Fatalf("%d examples, want 2", len(read))
	}
	want, err := readFile("testdata/example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	lines := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Line" }, cmp.Ignore())
	if diff := cmp.Diff(want, read[0], lines); diff != "" {
		t.Errorf("testdata/example.yaml (-), the page (+):\n%s", diff)
	}
	for _, list := range [][]string{modes, Remotes(), Cheats(), bots, kinds, triggerKinds, rootMotions, faultKinds, reservedNames, Parts()[:6], FlightTimelines()} {
		for _, w := range list {
			if !strings.Contains(page, w) {
				t.Errorf("the page has no %q", w)
			}
		}
	}
}
