package conformance

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

const document = "../../docs/protocol.md"

// The places of the document that our code fills in.
var (
	example = regexp.MustCompile("(?s)```example ([^\n]*)\n(.*?)```")
	formats = regexp.MustCompile(`\| (sled|arena)(s?) \((appendix [AB])\) \| ([^|]*) \|`)
)

// shown is a vector as the document shows it.
func (v *Vector) shown() string {
	var s strings.Builder
	if v.Context != nil && v.Context.Past != nil {
		p := v.Context.Past
		fmt.Fprintf(&s, "# newest tick sent %d, last move %d, now %d grains", p.Newest, p.Last, p.Now)
		if b := p.Base; b != nil {
			fmt.Fprintf(&s, "; the base: number %d, stamp %d, duration %d, push %d", b.Number, b.Stamp, b.Duration, b.Input.Push)
		}
		s.WriteByte('\n')
	} else if v.Context != nil {
		fmt.Fprintf(&s, "# newest sequence number sent %d\n", v.Context.Sequence)
	}
	for b := v.Bytes; len(b) > 0; b = b[min(32, len(b)):] {
		fmt.Fprintf(&s, "% x\n", []byte(b[:min(32, len(b))]))
	}
	lines, _ := v.Read()
	return s.String() + Trace(lines)
}

// The examples of docs/protocol.md are vectors of the suite, and the format hashes those
// of the recorded hellos.
func TestTheDocumentsExamples(t *testing.T) {
	doc, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	vectors := map[string]*Vector{}
	list := everything(t)
	for i := range list {
		vectors[list[i].Name] = &list[i]
	}
	n := 0
	want := example.ReplaceAllFunc(doc, func(b []byte) []byte {
		n++
		name := string(example.FindSubmatch(b)[1])
		v := vectors[name]
		if v == nil {
			t.Fatalf("docs/protocol.md shows %q: there is no such vector", name)
		}
		return []byte("```example " + name + "\n" + v.shown() + "```")
	})
	want = formats.ReplaceAllFunc(want, func(b []byte) []byte {
		n++
		m := formats.FindSubmatch(b)
		log, err := ReadLines[Entry](golden(string(m[1]) + "-session.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Appendf(nil, "| %s%s (%s) | 0x%08X |", m[1], m[2], m[3], readHello(t, log).Format)
	})
	if n < 18 {
		t.Errorf("got %d examples and formats in docs/protocol.md", n)
	}
	if *update {
		if err := os.WriteFile(document, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(doc, want) {
		t.Error("docs/protocol.md shows other bytes than the suite; if that is meant, go test ./internal/conformance -update")
	}
}
