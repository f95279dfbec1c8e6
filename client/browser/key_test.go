package browser

import (
	"strings"
	"testing"

	"github.com/backstep-net/backstep/session"
)

// FuzzKey: a page's text is the key that it spells, or no key. [THR-13]
func FuzzKey(f *testing.F) {
	f.Add("00112233445566778899aabbccddeeff")
	f.Add("")
	f.Add("0011223344556677889g0000000000ff")
	f.Fuzz(func(t *testing.T, text string) {
		if k := parseKey(text); k != (session.Key{}) && printKey(k) != text {
			t.Fatalf("%q is %x, which is %q", text, k, printKey(k))
		}
		spelt := len(text) == 2*len(session.Key{}) && strings.Trim(text, hexDigits) == ""
		if k := parseKey(text); !spelt && k != (session.Key{}) {
			t.Fatalf("%q is %x", text, k)
		}
	})
}
