package origin

import (
	"strings"
	"testing"
)

// Which pages may connect. [THR-40]
func TestWhichPagesMayConnect(t *testing.T) {
	for _, c := range []struct {
		what, origin, host, patterns string
		allowed                      bool
	}{
		{"no browser", "", "game.example", "", true},
		{"the page itself", "http://game.example:8080", "game.example:8080", "", true},
		{"the page, with QUIC on another port", "https://game.example", "game.example:4433", "", true},
		{"the page, in other letters", "https://Game.Example", "gAme.example", "", true},
		{"localhost and its address", "http://localhost:5173", "127.0.0.1:4433", "", true},
		{"this machine over IPv6", "http://[::1]:5173", "localhost:8080", "", true},
		{"a page in the local network", "http://192.168.1.5:8080", "192.168.1.5:8080", "", true},
		{"a page by its IPv6 address", "http://[2001:db8::1]:8080", "[2001:db8::1]:4433", "", true},
		{"a stranger", "https://evil.example", "game.example", "", false},
		{"a stranger at this machine's server", "https://evil.example", "localhost:8080", "", false},
		{"a page of this machine at another server", "http://localhost:3000", "game.example", "", false},
		{"a longer name", "https://game.example.evil.example", "game.example", "", false},
		{"a name that ends alike", "https://evilgame.example", "other.example", "*.game.example", false},
		{"a name behind a user", "https://game.example@evil.example", "game.example", "", false},
		{"a file", "null", "game.example", "", false},
		{"no URL", "https://%zz", "game.example", "", false},
		{"a portal that is allowed", "https://play.example", "game.example", "play.example", true},
		{"one below a name", "https://a.b.play.example", "game.example", "other.example *.play.example", true},
		{"the name itself is not below it", "https://play.example", "game.example", "*.play.example", false},
		{"anyone", "https://evil.example", "game.example", "*", true},
		{"a file that is allowed", "null", "game.example", "null", true},
	} {
		err := Check(strings.Fields(c.patterns), c.origin, c.host)
		if (err == nil) != c.allowed {
			t.Errorf("%s: %q at %q with %q: got %v, want allowed %v", c.what, c.origin, c.host, c.patterns, err, c.allowed)
		}
		if err != nil && !strings.Contains(err.Error(), "Origins in the server's Config, or --origin ") {
			t.Errorf("%s: %q does not say what allows the page", c.what, err)
		}
	}
}

func TestPatternsAreHosts(t *testing.T) {
	for pattern, want := range map[string]bool{
		"game.example": true, "*.game.example": true, "*": true, "null": true, "localhost": true, "192.0.2.1": true, "2001:db8::1": true,
		"": false, "https://game.example": false, "game.example:8080": false, "game.*": false, "*.": false, "a b": false,
		strings.Repeat("a", 254): false,
	} {
		if err := CheckPattern(pattern); (err == nil) != want {
			t.Errorf("%q: got %v, want valid %v", pattern, err, want)
		}
	}
}

// What a client writes into the header Host is repeated only where it can be a host. [THR-41]
func TestHostsAreChecked(t *testing.T) {
	for host, want := range map[string]bool{
		"game.example": true, "192.0.2.1": true, "2001:db8::1": true, "my_host-2": true,
		"": false, "fe80::1%<script>": false, "game.example/x": false, "a;b": false, "a b": false, "a,b": false, "ä.example": false,
	} {
		if got := ValidHost(host); got != want {
			t.Errorf("%q: got %v, want %v", host, got, want)
		}
	}
}
