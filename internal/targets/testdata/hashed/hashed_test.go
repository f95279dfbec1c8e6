package hashed

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

func TestGoldenRounded(t *testing.T) { compare(t, Rounded(1000)) }

// TestFusedGolden is run on purpose where it must fail.
func TestFusedGolden(t *testing.T) { compare(t, Sum(1000)) }

func compare(t *testing.T, sum float64) {
	t.Helper()
	text, err := os.ReadFile("testdata/sum.golden")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%016x", math.Float64bits(sum))
	if want := strings.TrimSpace(string(text)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
