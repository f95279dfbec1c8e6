package client

import (
	"testing"
	"time"
)

// The waits between attempts double from 250 ms to 4 s; each is a random share of that, half of it at
// least, so players that lost one server do not come back at once.
func TestWaitsBetweenAttempts(t *testing.T) {
	var different int
	for range 50 {
		var k, other connector
		for attempt, most := range []time.Duration{250, 500, 1000, 2000, 4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000} {
			most *= time.Millisecond
			got := k.wait()
			if got < most/2 || got > most {
				t.Errorf("attempt %d waits %v, want %v to %v", attempt+1, got, most/2, most)
			}
			if got != other.wait() {
				different++
			}
		}
	}
	if different < 600 {
		t.Errorf("of 650 waits of two clients only %d differ", different)
	}
}

// Whatever a player copies from the address bar is the server's root.
func TestAddressesOfServers(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:8080":                      "http://localhost:8080",
		"http://localhost:8080":               "http://localhost:8080",
		"http://localhost:8080/":              "http://localhost:8080",
		"http://localhost:8080/?match=arena2": "http://localhost:8080",
		"https://game.example/eu/":            "https://game.example/eu",
		"[::1]:8080":                          "http://[::1]:8080",
		"192.0.2.7":                           "http://192.0.2.7",
	} {
		if got, err := serverURL(address); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", address, got, err, want)
		}
	}
}
