package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
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
		for _, h := range v.Context.Have {
			b, _ := json.Marshal(h.Entities)
			fmt.Fprintf(&s, "# has of tick %d: %s\n", h.Tick, b)
		}
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

// The format of the sleds is computed here as section 3 says, by code of its own.
func TestTheFormatIsComputedAsTheDocumentSays(t *testing.T) {
	f, x := uint32(2166136261), uint64(0x9E3779B97F4A7C15)
	mix := func(b ...byte) {
		for _, v := range b {
			f = (f ^ uint32(v)) * 16777619
		}
	}
	next := func() uint64 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return x
	}
	game, before := NewSled(), SledInput{}
	for i := range 128 {
		probe := make([]byte, 512)
		if i < 48 {
			probe[i/8] = 1 << (i % 8)
		} else {
			for word := range 64 {
				w := next()
				for range i % 6 {
					w &= next()
				}
				for k := range 8 {
					probe[8*word+k] = byte(w >> (8 * k))
				}
			}
		}
		try := func(pack func(p *bits.Packer)) bool {
			var p bits.Packer
			p.Read(probe)
			pack(&p)
			mix(byte(p.Bits()), byte(p.Bits()>>8))
			if p.Err() != nil {
				mix(1)
				return false
			}
			p.Write(make([]byte, 1024))
			pack(&p)
			mix(p.Bytes()...)
			return true
		}
		var c SledInput
		if try(func(p *bits.Packer) { game.PackCommand(p, &c, &before) }) {
			before = c
		} else {
			before = SledInput{}
		}
		var s SledState
		try(func(p *bits.Packer) { game.PackState(p, &s) })
	}
	log, err := ReadLines[Entry](golden("sled-session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if want := readHello(t, log).Format; f != want {
		t.Errorf("got format %#x, the hello says %#x", f, want)
	}
}
