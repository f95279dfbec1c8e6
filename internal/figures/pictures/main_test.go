package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The pictures in the book are those that the present code plays and draws, each small enough for a page.
func TestPicturesAreThoseOfTheCode(t *testing.T) {
	for _, p := range pictures {
		t.Run(p.name, func(t *testing.T) {
			got, err := p.draw()
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join("../../..", folder, p.name))
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s/%s is not what the code draws: if the change is meant, go run ./internal/figures/pictures draws it again; look at it", folder, p.name)
			}
			if len(got) > 60_000 {
				t.Errorf("got %d bytes, want at most 60,000", len(got))
			}
			checkXML(t, got)
		})
	}
}

// checkXML fails where a browser would show an error in place of the picture.
func checkXML(t *testing.T, svg string) {
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// A player sees its own key at once, and a shot is judged in the view that it was fired into: if a picture
// said otherwise, its page would be wrong.
func TestPicturesSayWhatTheirPagesSay(t *testing.T) {
	for _, p := range pictures {
		svg, err := p.draw()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range map[string][]string{
			"prediction.svg":       {"moves 0 ms after the press with prediction"},
			"lag-compensation.svg": {"as rebuilt: hit"},
			"fairness.svg":         {"hit, ", "as judged: missed"},
			"redundancy.svg":       {"had to fill in no time"},
		}[p.name] {
			if !strings.Contains(svg, want) {
				t.Errorf("%s: no %q in it", p.name, want)
			}
		}
	}
}
