package browser

import (
	"strings"

	"github.com/backstep-net/backstep/session"
)

// hexDigits are the digits of a key as text. Package encoding/hex would bring fmt into the
// browser.
const hexDigits = "0123456789abcdef"

// printKey writes a key in hex.
func printKey(key session.Key) string {
	text := make([]byte, 0, 2*len(key))
	for _, b := range key {
		text = append(text, hexDigits[b>>4], hexDigits[b&15])
	}
	return string(text)
}

// parseKey reads a key in hex; anything else is the zero key.
func parseKey(text string) (key session.Key) {
	if len(text) != 2*len(key) {
		return key
	}
	for i := range len(text) {
		digit := strings.IndexByte(hexDigits, text[i])
		if digit < 0 {
			return session.Key{}
		}
		key[i/2] = key[i/2]<<4 | byte(digit)
	}
	return key
}
