package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/lab"
)

// The SVG of curves is XML, has a line for each curve in both panels, and names them all; titles are
// escaped.
func TestCurves(t *testing.T) {
	list := []lab.Fairness{{Title: "a <b> & c", Over: "ping", Curves: []lab.FairnessCurve{
		{Name: "one", Points: []lab.FairnessPoint{{At: 0, Kept: 1}, {At: 400, Kept: 0.5, Hidden: 700}}},
		{Name: "two", Points: []lab.FairnessPoint{{At: 0, Kept: 1}, {At: 400, Kept: 1}}},
	}}}
	var b bytes.Buffer
	if err := Curves(&b, list); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
	if n := strings.Count(text, "<polyline"); n != 4 {
		t.Errorf("%d curves, want 4", n)
	}
	for _, want := range []string{"a &lt;b&gt; &amp; c", ">one<", ">two<", "over ping in ms"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
