package conformance

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/conformance")

// Hex is bytes that stand in JSON as hexadecimal digits.
type Hex []byte

// MarshalText implements encoding.TextMarshaler.
func (h Hex) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(h)), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hex) UnmarshalText(b []byte) (err error) {
	*h, err = hex.DecodeString(string(b))
	return err
}

// golden is a file of the suite.
func golden(name string) string { return filepath.Join("../../testdata/conformance", name) }

// readLines reads a file of the suite: JSON, a value a line.
func readLines[T any](t testing.TB, name string) (list []T) {
	t.Helper()
	b, err := os.ReadFile(golden(name))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s:%d: %v", name, n, err)
		}
		list = append(list, v)
	}
	return list
}

// compare holds a file of the suite to the values that our code makes, one a line, or
// writes it.
func compare[T any](t *testing.T, name string, list []T) {
	t.Helper()
	var got bytes.Buffer
	for _, v := range list {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got.Write(append(line, '\n'))
	}
	if *update {
		if err := os.WriteFile(golden(name), got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden(name))
	if err != nil {
		t.Fatal(err)
	}
	g, w := bytes.Split(got.Bytes(), []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g) || i >= len(w):
			t.Fatalf("%s: got %d lines, want %d; if that is meant, see the package documentation", name, len(g), len(w))
		case !bytes.Equal(g[i], w[i]):
			t.Fatalf("%s:%d: got\n%s\nwant\n%s\nif that is meant, see the package documentation", name, i+1, g[i], w[i])
		}
	}
}
