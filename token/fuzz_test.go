package token_test

import (
	"strings"
	"testing"

	"github.com/backstep-net/backstep/token"
)

// FuzzKey: any text is a key that is written as the same text, or an error without the text. [THR-13]
func FuzzKey(f *testing.F) {
	signs, checks := token.NewKeyPair()
	for _, k := range []token.Key{signs, checks, token.NewSharedKey()} {
		f.Add(k.Encode())
	}
	f.Add("k4.local.")
	f.Add("k4.local.00000000000000000000000\r00000000000000000000")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := token.ParseKey(text)
		if err == nil && k.Encode() != text {
			t.Fatalf("%q is the key %q", text, k.Encode())
		}
		if err != nil && len(text) > 20 && strings.Contains(err.Error(), text[len(text)-20:]) {
			t.Fatalf("the error shows the text: %v", err)
		}
	})
}

// FuzzToken: no text but those that a key has made is a token; whatever it is, a sentence for the player
// comes back. [THR-05, THR-13]
func FuzzToken(f *testing.F) {
	made := map[string]bool{}
	var keys []token.Key
	for _, k := range forms() {
		text, err := k[0].Issue(claims(), noon)
		if err != nil {
			f.Fatal(err)
		}
		made[text] = true
		keys = append(keys, k[1])
		f.Add(text)
		f.Add(text[:len(text)-1])
		f.Add(text[:20] + "\n" + text[20:])
	}
	f.Add("v4.public.")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := token.NewChecker(keys, "start").Check(text, "arena", noon)
		if (err == nil) != made[text] {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
