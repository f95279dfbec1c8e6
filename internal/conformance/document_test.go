package conformance

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/session"
)

// The examples of the document, without what a reader must know.
var example = regexp.MustCompile("```example ([^\n]*)\n(?:#[^\n]*\n)*((?:[0-9a-f]{2}[ \n])+)")

// The examples of docs/protocol.md show the bytes of the suite's messages; its version, that of the
// suite and that of docs/server.md are ours.
func TestTheDocumentShowsTheSuite(t *testing.T) {
	b, err := os.ReadFile("../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	bytes := map[string]string{}
	for _, v := range readLines[struct{ Name, Bytes string }](t, "messages.jsonl") {
		bytes[v.Name] = v.Bytes
		// Of a hello with another version only the version is read, so it shows nothing.
		if version := fmt.Sprintf("%02x00", session.Version); strings.HasPrefix(v.Bytes, "0145545342") && v.Bytes[10:14] != version {
			t.Errorf("%q of messages.jsonl has version %s, want %s", v.Name, v.Bytes[10:14], version)
		}
	}
	shown := example.FindAllStringSubmatch(doc, -1)
	if len(shown) < 10 {
		t.Errorf("docs/protocol.md shows %d examples", len(shown))
	}
	for _, m := range shown {
		if got := strings.Join(strings.Fields(m[2]), ""); got != bytes[m[1]] {
			t.Errorf("docs/protocol.md shows %q as %s, the suite has %q", m[1], got, bytes[m[1]])
		}
	}
	for _, file := range []string{"sled-session.jsonl", "arena-session.jsonl"} {
		hello := firstOf(readLines[Entry](t, file), "client 1", 1)
		format := fmt.Sprintf("0x%X", []byte{hello[10], hello[9], hello[8], hello[7]})
		if !strings.Contains(doc, format) {
			t.Errorf("docs/protocol.md does not have %s, the format in %s (%s)", format, file, hex.EncodeToString(hello))
		}
	}
	server, err := os.ReadFile("../../docs/server.md")
	if err != nil {
		t.Fatal(err)
	}
	hello := firstOf(readLines[Entry](t, "arena-session.jsonl"), "client 1", 1)
	answer := fmt.Sprintf(`"protocol":%d,"format":%d,`, session.Version, binary.LittleEndian.Uint32(hello[7:]))
	if !strings.Contains(string(server), answer) {
		t.Errorf("docs/server.md does not have %q", answer)
	}
	if title := fmt.Sprintf("# The Backstep protocol, version %d\n", session.Version); !strings.HasPrefix(doc, title) {
		t.Errorf("docs/protocol.md does not begin with %q", title)
	}
	for _, row := range []string{"version `uint(16)` = %d ·", "bytes 45 54 53 42), %d |"} {
		if want := fmt.Sprintf(row, session.Version); !strings.Contains(doc, want) {
			t.Errorf("docs/protocol.md does not have %q", want)
		}
	}
}
