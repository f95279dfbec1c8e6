package session

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/backstep-net/backstep/bits"
)

// Version is the version of the protocol. Both ends must have the same; a server
// refuses others and says which it speaks.
const Version = 13

// magic opens a hello, so that a stray connection differs from an old client.
const magic = 0x42535445 // "BSTE"

// Bounds of messages.
const (
	MaxName    = 24   // runes in a player's name
	MaxToken   = 2048 // bytes of a connect token
	maxNameLen = 96   // bytes of it
	MaxMessage = 4096 // bytes of a game's own stream message
	MaxOptions = 256  // bytes of ClientConfig.JoinOptions
	maxText    = 200  // bytes of a reason, a match's name or a level's hash
	maxRate    = 1000 // ticks a second
)

// Key is a player's secret, by which it comes back to its seat after a lost connection. The zero
// Key is none.
type Key [16]byte

// The kinds of stream messages.
const (
	messageHello = 1 + iota
	messageWelcome
	messageRefused
	messageGame
	messageLeave
	messageDelay
	messageShotDebugRequest
	messageShotDebug
	messageQueued
	messageOptOut
)

// Violations of the protocol by a peer.
var (
	errKind       = errors.New("session: unknown message kind")
	errMagic      = errors.New("session: not a Backstep client")
	errText       = errors.New("session: text that is not UTF-8")
	errName       = errors.New("session: a name is 1 to 24 printable characters without < and >, with single spaces inside only")
	errMarks      = errors.New("session: a name has at most two accents or marks on a letter, and none before the first")
	errTwice      = errors.New("session: hello said twice")
	errNoHello    = errors.New("session: no hello yet")
	errFull       = errors.New("session: the match is full")
	errFlood      = errors.New("session: too many messages")
	errKicked     = errors.New("session: kicked")
	errNoDatagram = errors.New("session: nothing received for 5 s after the hello")
	errNoCombat   = errors.New("session: this match has weapons, and this client's game has no Combat")
	errNoShape    = errors.New("session: players block each other in this match, and this client's game has no BodyCapsule")
)

// versionError is a hello of another version of the protocol.
type versionError uint16

func (theirs versionError) Error() string {
	return "session: this server speaks version " + strconv.Itoa(Version) +
		" of the protocol and the client version " + strconv.Itoa(int(theirs)) + reload
}

// formatError is a hello of a game that packs its commands and states otherwise [GAP-04].
type formatError struct{ ours, theirs uint32 }

func (e formatError) Error() string {
	return "session: this server's game has format " + strconv.FormatUint(uint64(e.ours), 16) +
		" and the client's " + strconv.FormatUint(uint64(e.theirs), 16) + reload
}

// reload is the advice in both errors. A close reason has 120 bytes.
const reload = ": reload the page or update the client"

// hello is a client's first stream message.
type hello struct {
	magic   uint32
	version uint16
	format  uint32 // of the game's commands and states; see formatOf
	match   string // which match of the host's; "" leaves it to the host
	name    string
	key     Key // of an earlier session, to take it up again; zero for none
	token   string
	options string // the game's, ClientConfig.JoinOptions
}

// HelloInfo is what a host needs to know of a hello before it hands the connection to a match.
type HelloInfo struct {
	Match string // the match that it names; "" leaves it to the host
	Token string // the connect token; "" for none
	// HasKey reports whether it has the key of an earlier session, which the match may know.
	HasKey bool
}

// ReadHello reads a connection's first stream message. Of a hello of another version of the protocol it
// returns nothing and no error: any match refuses it with a reason in words.
func ReadHello(b []byte) (HelloInfo, error) {
	var p bits.Packer
	var kind uint8
	var h hello
	p.Read(b)
	p.Byte(&kind)
	if kind != messageHello {
		return HelloInfo{}, errNoHello
	}
	h.pack(&p)
	p.End()
	if _, other := p.Err().(versionError); other {
		return HelloInfo{}, nil
	}
	if err := p.Err(); err != nil {
		return HelloInfo{}, err
	}
	return HelloInfo{h.match, h.token, h.key != Key{}}, nil
}

func (h *hello) pack(p *bits.Packer) {
	p.Uint32(&h.magic)
	if h.magic != magic {
		p.Fail(errMagic)
		return
	}
	p.Uint16(&h.version)
	if h.version != Version {
		// Nothing behind it is read: in another version it may be laid out otherwise.
		p.Fail(versionError(h.version))
		return
	}
	p.Uint32(&h.format)
	packText(p, &h.match, maxText)
	packText(p, &h.name, maxNameLen)
	packKey(p, &h.key)
	packText(p, &h.token, MaxToken)
	packText(p, &h.options, MaxOptions)
}

// welcome is the server's answer.
type welcome struct {
	seats  int // 1 … MaxPlayers; up to smallMatch it is not sent, and is that for a client
	player int // 1 … seats
	key    Key
	sent   schedule // ticks a second, 1 … maxRate, and of them those that are sent
	level  string   // hash of the level's packed world
	block  bool     // whether players are obstacles to each other
	optOut bool     // whether players may do without lag compensation
	seed   uint64   // of the spread that both ends draw
	info   []byte   // the game's MatchInfo
	// weapons is the match's table as shot.Table.Append writes it; empty without weapons.
	weapons []byte
}

func (w *welcome) pack(p *bits.Packer) {
	large := w.seats > smallMatch
	if p.Bool(&large); large {
		p.Ranged(&w.seats, smallMatch+1, MaxPlayers)
	} else {
		w.seats = smallMatch
	}
	p.Ranged(&w.player, 1, w.seats)
	packKey(p, &w.key)
	p.Ranged(&w.sent.ticks, 1, maxRate)
	p.Ranged(&w.sent.snapshots, 1, w.sent.ticks)
	packText(p, &w.level, maxText)
	p.Bool(&w.block)
	p.Bool(&w.optOut)
	p.Uint(&w.seed, 64)
	p.Blob(&w.info, MaxMessage)
	p.Blob(&w.weapons, MaxMessage)
}

// packText packs a string of up to max bytes of valid UTF-8.
func packText(p *bits.Packer, s *string, max int) {
	b := []byte(*s)
	p.Blob(&b, max)
	if p.Writing() || p.Err() != nil {
		return
	}
	if !utf8.Valid(b) {
		p.Fail(errText)
		return
	}
	*s = string(b)
}

func packKey(p *bits.Packer, k *Key) {
	for i := range k {
		p.Byte(&k[i])
	}
}

// CheckName reports what is wrong with a player's name: it has 1 to MaxName characters, all printable (of
// the spaces, U+0020 alone, not at either end and not two in a row), none of < and >, which user interfaces
// take for markup, none that is drawn as nothing, and at most two marks on a letter (accents, vowel signs).
func CheckName(s string) error {
	n := utf8.RuneCountInString(s)
	if n < 1 || n > MaxName || !utf8.ValidString(s) || s[0] == ' ' || s[len(s)-1] == ' ' || strings.Contains(s, "  ") {
		return errName
	}
	marks := 2 // none at the beginning
	for _, r := range s {
		if !strconv.IsPrint(r) || strings.ContainsRune(notInNames, r) {
			return errName
		}
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		if marks > maxMarks {
			return errMarks
		}
	}
	return nil
}

// maxMarks is how many combining marks a letter of a name may have: as many as writing needs.
const maxMarks = 2

// notInNames are < and >, and the printable characters that are drawn as nothing.
const notInNames = "<>\u115F\u1160\u2800\u3164\uFFA0"
