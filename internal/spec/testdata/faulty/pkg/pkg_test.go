package pkg

// What the whole file is about: NEW-02 to NEW-03.

import "testing"

// The situation in words (NEW-01, BAD-03, BAD-04).
func TestComment(t *testing.T) {}

func TestBody(t *testing.T) { // BAD-03
	check(t) // NEW-02
}

// BAD-09 is cited by a function that only tests call.
func check(t *testing.T) {}
