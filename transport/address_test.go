package transport

import (
	"context"
	"errors"
	"testing"
)

// A dialled address is resolved as net.ResolveUDPAddr does, by names and numbers of hosts and ports; what is no address
// is an error, and a context that has ended ends it.
func TestAddressesThatAreDialled(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:80": "127.0.0.1:80", "[::1]:443": "[::1]:443", "[::ffff:10.0.0.1]:7": "10.0.0.1:7",
		"[fe80::1%eth0]:9": "[fe80::1%eth0]:9", "127.0.0.1:https": "127.0.0.1:443", ":5000": "127.0.0.1:5000",
	} {
		if got, err := ResolveUDP(t.Context(), address); err != nil || got.String() != want {
			t.Errorf("%q: got %v, %v want %s", address, got, err, want)
		}
	}
	for _, address := range []string{"", "game.example", "1.2.3.4:99999", "::1:5"} {
		if got, err := ResolveUDP(t.Context(), address); err == nil {
			t.Errorf("%q: got %v, want an error", address, got)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := ResolveUDP(over, "game.example:80"); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: got %v, %v want %v", got, err, context.Canceled)
	}
}
