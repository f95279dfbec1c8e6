package udp_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/transport/join"
	"github.com/backstep-net/backstep/transport/udp"
)

// A ticket that is not whole or not in hex is an error that names the field.
func TestTicketsOfAJoinAnswer(t *testing.T) {
	good := join.UDP{Ticket: strings.Repeat("ab", 40), Secret: strings.Repeat("cd", 32), Key: strings.Repeat("ef", 32)}
	if _, err := udp.ParseTicket(&good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*join.UDP){
		"ticket": func(u *join.UDP) { u.Ticket = u.Ticket[2:] },
		"secret": func(u *join.UDP) { u.Secret += "00" },
		"key":    func(u *join.UDP) { u.Key = "" },
	} {
		bad := good
		change(&bad)
		if _, err := udp.ParseTicket(&bad); err == nil || !strings.Contains(err.Error(), "udp."+name) {
			t.Errorf("a bad %s: got %v", name, err)
		}
	}
}

// What is read as a ticket is what was written.
func FuzzTicket(f *testing.F) { // THR-13
	f.Add(strings.Repeat("ab", 40), strings.Repeat("cd", 32), strings.Repeat("EF", 32))
	f.Fuzz(func(t *testing.T, ticket, secret, key string) {
		v, err := udp.ParseTicket(&join.UDP{Ticket: ticket, Secret: secret, Key: key})
		if err == nil && hex.EncodeToString(v.Bytes[:])+hex.EncodeToString(v.Secret[:])+hex.EncodeToString(v.Server[:]) != strings.ToLower(ticket+secret+key) {
			t.Fatalf("%q, %q, %q are read as %+v", ticket, secret, key, v)
		}
	})
}
