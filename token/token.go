// Package token issues and checks connect tokens: a game's backend, where players log in, issues a token to each
// player, and the server admits only clients with a valid token. A server without keys is in open mode: every
// client can join under any name.
//
//	backend                          player                         server
//	                                 asks to play ─→
//	GET /api/join ────────────────────────────────────────────────→ its start, match, protocol
//	Key.Issue ─────────────────────→ the token
//	                                 hello, with the token ───────→ Checker.Check: account, name, data
//
// A token is a PASETO of version 4 (https://paseto.io), for which most languages have a library. It is encrypted
// with a key that backend and server share (v4.local), or signed with a key that only the backend has
// (v4.public); its player can read a signed token. It is valid for one account, one match, one run of the server
// and one version of the protocol, for at most [MaxLife], and for one connection. Its claims are:
//
//	sub       string   the account, 1 to 128 bytes
//	aud       string   "server" of /api/join: identifies one run of one server
//	match     string   "match" of /api/join
//	protocol  number   "protocol" of /api/join
//	iat, exp  string   when it was issued and when it expires, RFC 3339
//	jti       string   unique, 1 to 64 bytes: 16 random bytes in hex
//	name      string   the player's name; without it the player chooses
//	data      string   the game's own bytes in base64, at most 512; optional
//
// Start at [ReadKey] and [Key.Issue], or [NewChecker] on a server; docs/howto/tokens.md shows a
// backend.
package token

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"aidanwoods.dev/go-paseto"

	"github.com/backstep-net/backstep/session"
)

// The bounds of a token.
const (
	// MaxLife is how long a token may live. A player connects as soon as it has one.
	MaxLife = 5 * time.Minute
	// DefaultLife is how long it lives unless Claims say otherwise.
	DefaultLife = 30 * time.Second
	// MaxAhead is by how much a backend's clock may be ahead of the server's.
	MaxAhead = time.Minute

	maxAccount = 128
	maxID      = 64
	maxMatch   = 200
	maxData    = 512
)

// Claims are the contents of a token.
type Claims struct {
	// Account names the player for good, in whatever way the backend does: 1 to 128 bytes of UTF-8.
	Account string
	// Server, Match and Protocol are those of the server's answer to the join request
	// (join.Answer). All are required.
	Server, Match string
	Protocol      int // see Server
	// Name is the player's name (session.CheckName). Empty lets the player choose.
	Name string
	// Data are the game's: at most 512 bytes, handed to it when the player joins.
	Data []byte
	// Life is for how long the token is valid, at most MaxLife; zero means DefaultLife.
	Life time.Duration
}

// body is a token's claims as they are sealed or signed.
type body struct {
	Account  string    `json:"sub"`
	Server   string    `json:"aud"`
	Match    string    `json:"match"`
	Protocol int       `json:"protocol"`
	Issued   time.Time `json:"iat"`
	Expires  time.Time `json:"exp"`
	ID       string    `json:"jti"`
	Name     string    `json:"name,omitempty"`
	Data     []byte    `json:"data,omitempty"`
}

// Issue makes a token at the time now. It needs a key that seals or signs. The error names the claim that
// servers refuse.
func (k Key) Issue(c Claims, now time.Time) (string, error) {
	if c.Life == 0 {
		c.Life = DefaultLife
	}
	id := make([]byte, 16)
	rand.Read(id) // never fails
	b := body{c.Account, c.Server, c.Match, c.Protocol, now.UTC(), now.Add(c.Life).UTC(), hex.EncodeToString(id), c.Name, c.Data}
	if err := b.check(); err != nil {
		return "", err
	}
	text, err := json.Marshal(&b)
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	t, err := paseto.NewTokenFromClaimsJSON(text, nil)
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	made, err := k.seal(t)
	if err == nil && len(made) > session.MaxToken {
		err = fmt.Errorf("token: it has %d bytes and may have %d: shorten Account, Match or Data", len(made), session.MaxToken)
	}
	return made, err
}

// check reports a claim that is out of bounds.
func (b *body) check() error {
	switch life := b.Expires.Sub(b.Issued); {
	case b.Account == "" || len(b.Account) > maxAccount || !utf8.ValidString(b.Account):
		return errors.New("token: the account (sub) has 1 to 128 bytes of UTF-8")
	case b.Server == "" || b.Match == "" || len(b.Match) > maxMatch || b.Protocol == 0:
		return errors.New("token: server (aud), match and protocol are required: take them from the server's /api/join")
	case b.ID == "" || len(b.ID) > maxID:
		return errors.New("token: the id (jti) has 1 to 64 bytes")
	case life <= 0 || life > MaxLife:
		return fmt.Errorf("token: it lives %v (iat to exp) and may live %v", life, MaxLife)
	case len(b.Data) > maxData:
		return fmt.Errorf("token: data have %d bytes and may have %d", len(b.Data), maxData)
	case b.Name != "" && session.CheckName(b.Name) != nil:
		return fmt.Errorf("token: the name %q: %w", b.Name, session.CheckName(b.Name))
	}
	return nil
}
