package client

import (
	"errors"
	"fmt"
)

// MismatchError is a server that this client cannot play with: one of the two is older. A
// page that a browser kept is to be loaded again, a program to be built again.
type MismatchError struct {
	URL     string // the server's address
	Version string // of the server's program, "" if it has none
	// The server's protocol (session.Version) and the format of its game
	// (session.Server.Format), and this client's.
	ServerProtocol, ClientProtocol int
	ServerFormat, ClientFormat     uint32
}

// Error names both versions and the cure.
func (e *MismatchError) Error() string {
	version := ""
	if e.Version != "" {
		version = " (version " + e.Version + ")"
	}
	if e.ServerProtocol != e.ClientProtocol {
		return fmt.Sprintf("client: the server at %s%s speaks protocol %d and this client protocol %d: "+
			"reload the page, or build the client from the server's version", e.URL, version, e.ServerProtocol, e.ClientProtocol)
	}
	return fmt.Sprintf("client: the server at %s%s has game format %08x and this client %08x: it serves another game, or another version of "+
		"this one: reload the page, or build the client from the server's version", e.URL, version, e.ServerFormat, e.ClientFormat)
}

// RefusedError is a server that refused the client or kicked it. The client does not try
// to come back.
type RefusedError struct {
	Reason string // the server's, a sentence for the player
}

// Error has the server's reason.
func (e *RefusedError) Error() string { return "client: refused by the server: " + e.Reason }

// ErrClosed is what Frame returns after Close.
var ErrClosed = errors.New("client: closed")
