package token

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/backstep-net/backstep/session"
)

// The reasons for refusing a token, sentences for its player.
var (
	errNone    = errors.New("token: this server wants a connect token: join through the game's own page or launcher")
	errNotOurs = errors.New("token: no key of this server made this connect token, or it is damaged: ask for another")
	errUsed    = errors.New("token: this connect token was used before: ask for another")
	errServer  = errors.New("token: this connect token is for another server, or for this one before it was started again: ask for another")
	errMatch   = errors.New("token: this connect token is for another match: ask for another")
	errAhead   = errors.New("token: this connect token is from the future: the clocks of server and backend differ by more than a minute")
	errExpired = errors.New("token: this connect token has expired: ask for another")
)

// forgetEvery is how often a Checker drops the ids of tokens that have expired.
const forgetEvery = time.Minute

// Checker checks the tokens of one start of a server, and remembers those that were used. It is for any
// goroutine. It remembers only tokens that one of its keys has made, until they expire, so that strangers
// cannot fill its memory.
type Checker struct {
	keys   []Key
	server string

	mu       sync.Mutex
	used     map[string]time.Time // ids, and when they expire
	forgotAt time.Time
}

// NewChecker returns the checker of a server that has these keys. server names its start (join.Answer.Server):
// the memory of used tokens ends with the process, so that a token must not outlive it. It panics without a
// key, and on one that cannot check.
func NewChecker(keys []Key, server string) *Checker {
	if len(keys) == 0 || server == "" {
		panic("token: NewChecker needs a key and the name of the server's start")
	}
	for _, k := range keys {
		if !k.Checks() {
			panic("token: NewChecker: a k4.secret key signs and is the backend's: give the server its k4.public key")
		}
	}
	return &Checker{keys: keys, server: server, used: map[string]time.Time{}}
}

// Check returns the identity that a token gives in that match at the time now. Each token is taken once. The error is a
// sentence for the player. [THR-05]
func (c *Checker) Check(text, match string, now time.Time) (session.Identity, error) {
	b, err := c.open(text)
	if err != nil {
		return session.Identity{}, err
	}
	if err := b.check(); err != nil { // a fault of the backend: the text is for its log
		return session.Identity{}, err
	}
	switch {
	case b.Server != c.server:
		return session.Identity{}, errServer
	case b.Match != match:
		return session.Identity{}, errMatch
	case b.Protocol != session.Version:
		return session.Identity{}, fmt.Errorf("token: it is for version %d of the protocol, and the server speaks %d: reload the page or update the client", b.Protocol, session.Version)
	case b.Issued.After(now.Add(MaxAhead)):
		return session.Identity{}, errAhead
	case !now.Before(b.Expires):
		return session.Identity{}, errExpired
	case !c.use(b.ID, b.Expires, now):
		return session.Identity{}, errUsed
	}
	return session.Identity{Account: b.Account, Name: b.Name, Data: b.Data}, nil
}

// open returns what a token says, if one of the keys has made it.
func (c *Checker) open(text string) (*body, error) {
	if text == "" {
		return nil, errNone
	}
	for _, k := range c.keys {
		t, err := k.open(text)
		if err != nil {
			continue
		}
		var b body
		if err := json.Unmarshal(t.ClaimsJSON(), &b); err != nil {
			return nil, fmt.Errorf("token: its claims: %w", err)
		}
		return &b, nil
	}
	return nil, errNotOurs
}

// use remembers a token. It returns false where it is remembered already.
func (c *Checker) use(id string, expires, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.forgotAt) >= forgetEvery {
		c.forgotAt = now
		for id, expires := range c.used {
			if !now.Before(expires) {
				delete(c.used, id)
			}
		}
	}
	if _, used := c.used[id]; used {
		return false
	}
	c.used[id] = expires
	return true
}
