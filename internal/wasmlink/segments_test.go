package wasmlink

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// However memory is cut into segments, it holds the same bytes.
func TestSegmentsFillTheSameMemory(t *testing.T) {
	const seed = 7
	dice := rand.New(rand.NewPCG(seed, 0))
	for i := range 200 {
		m := image{base: 64 + dice.Uint32N(1000), bytes: make([]byte, 1+dice.IntN(3000))}
		for range dice.IntN(40) {
			at := dice.IntN(len(m.bytes))
			m.bytes[at] = byte(1 + dice.IntN(255))
		}
		gap := 1 + dice.IntN(200)
		got, err := readImage(appendImage(nil, m, gap))
		if err != nil {
			t.Fatalf("seed %d, image %d: %v", seed, i, err)
		}
		want, have := make([]byte, 8192), make([]byte, 8192)
		copy(want[m.base:], m.bytes)
		copy(have[got.base:], got.bytes)
		if !bytes.Equal(want, have) {
			t.Fatalf("seed %d, image %d, gap %d: other memory", seed, i, gap)
		}
		for _, s := range split(m, gap) {
			if bytes.Contains(s.bytes, make([]byte, gap)) || s.bytes[0] == 0 || s.bytes[len(s.bytes)-1] == 0 {
				t.Errorf("seed %d, image %d: a segment at %d has a run of %d zeros, or zeros at its end", seed, i, s.at, gap)
			}
		}
	}
}

func TestSegmentsThatNoGoLinkerWrites(t *testing.T) {
	for what, c := range map[string]struct {
		body []byte
		says string
	}{
		"a passive one":      {[]byte{1, 1, 0}, "kind 1"},
		"a computed address": {[]byte{1, 0, 0x23, 0, 0x0b, 0}, "computed"},
		"two that overlap":   {[]byte{2, 0, 0x41, 8, 0x0b, 4, 1, 2, 3, 4, 0, 0x41, 10, 0x0b, 1, 9}, "overlap"},
		"bytes behind them":  {[]byte{0, 1}, "follow"},
		"a far address":      {[]byte{1, 0, 0x41, 0x80, 0x80, 0x80, 0x80, 0x07, 0x0b, 1, 9}, "above"},
		"one cut short":      {[]byte{1, 0, 0x41, 8, 0x0b, 200}, "ends early"},
	} {
		if _, err := readImage(c.body); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", what, err, c.says)
		}
	}
}

// Numbers and sections survive being written and read.
func TestModuleRoundTrip(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 63, 64, -64, -65, 1 << 20, 1<<31 - 1, -1 << 31} {
		r := reader{rest: appendSigned(nil, v)}
		if got := r.signed(); got != v || r.err != nil || len(r.rest) > 0 {
			t.Errorf("signed %d came back as %d (%v)", v, got, r.err)
		}
	}
	for _, v := range []uint64{0, 127, 128, 1 << 20, 1<<32 - 1} {
		r := reader{rest: appendUnsigned(nil, v)}
		if got := r.unsigned(); got != v || r.err != nil {
			t.Errorf("unsigned %d came back as %d (%v)", v, got, r.err)
		}
	}
	want := []section{{1, "", []byte{0}}, {0, "name", []byte("text")}, {11, "", nil}}
	got, err := parseModule(appendModule(nil, want))
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d sections (%v), want %d", len(got), err, len(want))
	}
	for i := range want {
		if got[i].id != want[i].id || got[i].name != want[i].name || !bytes.Equal(got[i].body, want[i].body) {
			t.Errorf("section %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// What stays of a name is what the runtime reads.
func TestShortNames(t *testing.T) {
	for _, c := range []struct {
		name    string
		wrapper bool
		want    string
	}{
		{"main.play", false, "stripped.function"},
		{"runtime.bgsweep", false, "runtime.stripped"},
		{"reflect.makeFuncStub", false, "reflect.makeFuncStub"},
		{"main.(*hero).Name", true, "main.(*hero).Name"},
		{"main.(*hero).Name", false, "stripped.function"},
		{"type:.eq.main.hero", true, "stripped.function"},
	} {
		if got := shortName(c.name, c.wrapper); got != c.want {
			t.Errorf("%q, wrapper %t: %q, want %q", c.name, c.wrapper, got, c.want)
		}
	}
}
