package token

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aidanwoods.dev/go-paseto"
)

// kind is what a key can do. Its text is the key's prefix (PASERK).
type kind string

const (
	shared kind = "k4.local."  // seals and opens
	secret kind = "k4.secret." // signs
	public kind = "k4.public." // checks what secret signed
)

// keySizes are the bytes of a key.
var keySizes = map[kind]int{shared: 32, secret: ed25519.PrivateKeySize, public: ed25519.PublicKeySize}

// Key seals, signs or checks tokens. The zero Key does nothing; keys are made by [NewSharedKey],
// [NewKeyPair] and [ParseKey].
type Key struct {
	kind  kind
	bytes string
}

// NewSharedKey returns a fresh key for backend and server: both can make tokens with it and read them.
func NewSharedKey() Key {
	b := make([]byte, keySizes[shared])
	rand.Read(b) // never fails
	return Key{shared, string(b)}
}

// NewKeyPair returns two fresh keys: the backend signs with one, and servers check with the other, which
// need not be kept secret.
func NewKeyPair() (signs, checks Key) {
	pub, priv, _ := ed25519.GenerateKey(nil) // fails as rand.Read does: never
	return Key{secret, string(priv)}, Key{public, string(pub)}
}

// errKey is the error of a text that is not a key.
var errKey = errors.New(`token: not a key: want "k4.local.", "k4.secret." or "k4.public." and base64, as backstep token key prints`)

// ParseKey returns the key of a text as Key.Encode makes it (PASERK). The error does not contain the text,
// which may be a damaged secret.
func ParseKey(text string) (Key, error) {
	for k, size := range keySizes {
		data, ok := strings.CutPrefix(text, string(k))
		if !ok {
			continue
		}
		b, err := base64.RawURLEncoding.Strict().DecodeString(data)
		if err != nil || len(b) != size || strings.ContainsAny(data, "\r\n") { // which base64 skips
			return Key{}, fmt.Errorf("%w: it is damaged after %s", errKey, k)
		}
		if k == secret && !ed25519.PrivateKey(b).Equal(ed25519.NewKeyFromSeed(b[:ed25519.SeedSize])) {
			return Key{}, fmt.Errorf("%w: its two halves do not belong together", errKey)
		}
		return Key{k, string(b)}, nil
	}
	return Key{}, errKey
}

// ReadKey returns the key that a file holds, alone on its first line. Where the name is a key itself, as in an
// environment variable that was set by mistake, the error does not repeat it.
func ReadKey(file string) (Key, error) {
	for k := range keySizes {
		if strings.HasPrefix(filepath.Base(file), string(k)) {
			return Key{}, errors.New("token: this is a key: want the name of a file that holds it")
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return Key{}, fmt.Errorf("token: %w", err)
	}
	k, err := ParseKey(strings.TrimSpace(string(b)))
	if err != nil {
		return Key{}, fmt.Errorf("%s: %w", file, err)
	}
	return k, nil
}

// Encode returns the key as text, for a file or a secret store.
func (k Key) Encode() string {
	return string(k.kind) + base64.RawURLEncoding.EncodeToString([]byte(k.bytes))
}

// String returns the kind of the key, without the secret, for logs.
func (k Key) String() string {
	if k.kind == public {
		return k.Encode()
	}
	return string(k.kind) + "(secret)"
}

// Issues reports whether the key can make tokens.
func (k Key) Issues() bool { return k.kind == shared || k.kind == secret }

// Checks reports whether a server can check tokens with it.
func (k Key) Checks() bool { return k.kind == shared || k.kind == public }

// seal makes the text of a token.
func (k Key) seal(t *paseto.Token) (string, error) {
	switch k.kind {
	case shared:
		key, err := paseto.V4SymmetricKeyFromBytes([]byte(k.bytes))
		if err != nil {
			return "", fmt.Errorf("token: %w", err)
		}
		return t.V4Encrypt(key, nil), nil
	case secret:
		key, err := paseto.NewV4AsymmetricSecretKeyFromBytes([]byte(k.bytes))
		if err != nil {
			return "", fmt.Errorf("token: %w", err)
		}
		return t.V4Sign(key, nil), nil
	}
	return "", errors.New("token: this key makes no tokens: take a k4.local or a k4.secret key")
}

// open returns the token in a text, and an error unless this key made it.
func (k Key) open(text string) (*paseto.Token, error) {
	parser := paseto.NewParserWithoutExpiryCheck() // Check compares with a time of its own
	switch k.kind {
	case shared:
		key, err := paseto.V4SymmetricKeyFromBytes([]byte(k.bytes))
		if err != nil {
			return nil, err
		}
		return parser.ParseV4Local(key, text, nil)
	case public:
		key, err := paseto.NewV4AsymmetricPublicKeyFromBytes([]byte(k.bytes))
		if err != nil {
			return nil, err
		}
		return parser.ParseV4Public(key, text, nil)
	}
	return nil, errNotOurs
}
