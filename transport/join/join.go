// Package join describes the answer to a server's /api/join, which tells a client how to
// connect to a match. A host writes [Answer], clients read it; package client makes the
// request and the connection. Another kind of client, such as a lobby, starts with
//
//	var answer join.Answer
//	err := json.NewDecoder(response.Body).Decode(&answer)
package join

// Path is the address of the join request on a server; the query parameter "match" names a
// match, the host's first by default.
const Path = "/api/join"

// Answer is the answer of a join request, as JSON.
type Answer struct {
	// Version is the version of the server's program, for people; "" if it has none.
	Version string `json:"version"`
	// Protocol is the server's session.Version. Zero means that the server does not say it.
	Protocol int `json:"protocol"`
	// Format is a hash of how the match's game packs its commands and states
	// (session.Server.Format). Zero means that the server does not say it.
	Format uint32 `json:"format"`
	// Server names this start of this server, and Tokens is whether it wants a connect token, which is for
	// this start and this match (package token).
	Server string `json:"server"`
	Tokens bool   `json:"tokens"` // see Server
	// Match is the name of the match.
	Match string `json:"match"`
	// QUIC is the UDP address for Go clients, "host:port".
	QUIC string `json:"quic"`
	// UDP opens a connection of transport/udp at the address QUIC; nil where the server has none.
	UDP *UDP `json:"udp,omitempty"`
	// WebTransport is the URL for browsers.
	WebTransport string `json:"webtransport"`
	// CertHashes are the SHA-256 hashes of the server's certificate and of its next one, in
	// hex; none with a certificate of an authority.
	CertHashes []string `json:"cert_hashes"`
	// WebSocket is the path of the WebSocket on the same server.
	WebSocket string `json:"websocket"`
	// Level is the hash of the packed world, and World its path on the same server.
	Level string `json:"level"`
	World string `json:"world"` // see Level
	// Model is the path of the model that a page draws, "" if there is none.
	Model string `json:"model"`

	// What only a front door answers (package front); a server leaves it out.

	// Place is the player's place in the queue, from 1: there is no match yet, and the player asks again with the
	// query parameter "ticket". Zero means that the rest of the answer is valid.
	Place int `json:"place,omitempty"`
	// Ticket names the player to the front door, which sends it back to its match after a lost connection. It is
	// a secret of the player's.
	Ticket string `json:"ticket,omitempty"`
	// Address is the URL of the server that has the match, to which its paths are relative. "" means the server
	// that was asked.
	Address string `json:"address,omitempty"`
	// Token is a connect token for the match, for one connection; "" if there is none.
	Token string `json:"token,omitempty"`
}

// UDP is the ticket of one connection of transport/udp, valid for 30 s, in hex. It is a secret of the player's.
type UDP struct {
	// Ticket is what the client sends, 40 bytes.
	Ticket string `json:"ticket"`
	// Secret proves that the ticket is the client's own, and Key is the server's public key of X25519, 32 bytes
	// each.
	Secret string `json:"secret"`
	Key    string `json:"key"` // see Secret
}
