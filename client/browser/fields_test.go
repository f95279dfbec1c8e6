package browser

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/session"
)

// scored is the jetpack game with declared fields.
func scored() rules {
	g := jetpack.Game(&model)
	g.Fields = []session.Field[jetpack.Hero]{
		{Name: "score", Max: 100},
		{Name: "empty", Max: 1, Of: func(h *jetpack.Hero) int64 {
			if h.Fuel == 0 {
				return 1
			}
			return 0
		}},
		{Name: "title", Text: 20},
	}
	return g
}

// at reads the fields behind a pointer as a page does: by the layout.
func at(t *testing.T, fields *Value) (score, empty int64, title string) {
	t.Helper()
	l := table.Layout()
	for i := range l.Types {
		if l.Types[i].Name != "Fields" {
			continue
		}
		f := l.Types[i].Fields
		from := unsafe.Pointer(fields)
		return *(*int64)(unsafe.Add(from, f[0].Offset)), *(*int64)(unsafe.Add(from, f[1].Offset)), *(*string)(unsafe.Add(from, f[2].Offset))
	}
	t.Fatal("the layout has no Fields")
	return
}

// The fields that a game declares are typed properties: of the player itself, of others at the
// view time, and of the match. A frame with them allocates nothing. [ENT-11]
func TestDeclaredFieldsAreProperties(t *testing.T) {
	p := newPageOf(t, scored())
	if score, empty, title := at(t, p.view.Fields); score != 0 || empty != 0 || title != "" {
		t.Errorf("before hello: %d, %d, %q; want zeros", score, empty, title)
	}
	other := p.joinWith("Bob")
	p.server.SetNumber(p.view.ID, "score", 3)
	p.server.SetText(p.view.ID, "title", "captain")
	p.server.SetNumber(other.ID(), "score", 41)
	p.server.SetText(other.ID(), "title", "Änne's")
	p.server.SetNumber(session.OfMatch, "score", 99)
	p.input.Jet = true
	p.run(3 * clock.Second) // until the fuel is spent
	if score, empty, title := at(t, p.view.Fields); score != 3 || empty != 1 || title != "captain" {
		t.Errorf("own: score %d, empty %d, title %q; want 3, 1, captain", score, empty, title)
	}
	if len(p.view.Remotes) != 1 {
		t.Fatalf("%d remotes, want 1", len(p.view.Remotes))
	}
	if score, empty, title := at(t, p.view.Remotes[0].Fields); score != 41 || empty != 0 || title != "Änne's" {
		t.Errorf("the other's: score %d, empty %d, title %q; want 41, 0, Änne's", score, empty, title)
	}
	if score, _, title := at(t, p.view.Match); score != 99 || title != "" {
		t.Errorf("the match's: score %d, title %q; want 99, none", score, title)
	}
	for _, want := range []string{"interface Fields {\n  readonly score: number;\n  readonly empty: number;\n  readonly title: string;\n}", "readonly fields: Fields;", "readonly match: Fields;"} {
		if !strings.Contains(TypeScript(), want) {
			t.Errorf("the types lack %q", want)
		}
	}
	if got := testing.AllocsPerRun(50, func() {
		p.now += clock.Second / 60
		frame(float64(p.now))
	}); got != 0 {
		t.Errorf("got %v allocations a frame, want 0", got)
	}
}

// A game without declared fields has no such properties.
func TestAGameWithoutFieldsHasNoSuchProperties(t *testing.T) {
	p := newPage(t)
	p.join()
	if p.view.Fields != nil || p.view.Match != nil || strings.Contains(TypeScript(), "Fields") {
		t.Errorf("fields %v, match %v", p.view.Fields, p.view.Match)
	}
}
