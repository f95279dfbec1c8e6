package token_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"aidanwoods.dev/go-paseto"

	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// claims are those of a token that a server named "start" takes for its match "arena".
func claims() token.Claims {
	return token.Claims{Account: "a-1", Server: "start", Match: "arena", Protocol: session.Version, Name: "Ada", Data: []byte{0, 1, 255}}
}

// forms are both ways to make and to check tokens.
func forms() map[string][2]token.Key {
	signs, checks := token.NewKeyPair()
	shared := token.NewSharedKey()
	return map[string][2]token.Key{"sealed": {shared, shared}, "signed": {signs, checks}}
}

func issue(t *testing.T, k token.Key, c token.Claims) string {
	t.Helper()
	text, err := k.Issue(c, noon)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A token says what its backend said, in both forms, to a server that has several keys.
func TestAToken(t *testing.T) {
	for form, k := range forms() {
		other := token.NewSharedKey()
		c := token.NewChecker([]token.Key{other, k[1]}, "start")
		who, err := c.Check(issue(t, k[0], claims()), "arena", noon.Add(time.Second))
		if err != nil || who.Account != "a-1" || who.Name != "Ada" || string(who.Data) != "\x00\x01\xff" || who.Refused != "" {
			t.Errorf("%s: got %+v, %v, want what was issued", form, who, err)
		}
	}
}

// THR-05: of a token with any one bit flipped, one that has expired, one for another match, another start of
// the server or another version, one that was used and one of another key, none is taken.
func TestForgedTokens(t *testing.T) {
	bits := 0
	for form, k := range forms() {
		text := issue(t, k[0], claims())
		c := token.NewChecker([]token.Key{k[1]}, "start")
		refused := 0
		for bit := range 8 * len(text) {
			b := []byte(text)
			b[bit/8] ^= 1 << (bit % 8)
			if who, err := c.Check(string(b), "arena", noon); err == nil {
				t.Errorf("%s: bit %d flipped: taken as %+v", form, bit, who)
			} else {
				refused++
			}
		}
		for n := range len(text) {
			if _, err := c.Check(text[:n], "arena", noon); err == nil {
				t.Errorf("%s: cut after %d bytes: taken", form, n)
			}
		}
		if refused != 8*len(text) {
			t.Errorf("%s: %d of %d flipped bits refused, want all", form, refused, 8*len(text))
		}
		if _, err := c.Check(text, "arena", noon); err != nil {
			t.Errorf("%s: the token itself: %v", form, err)
		}
		bits += refused
	}
	figures.Check(t, "refused", 0, "%d of %d flipped bits refused", bits, bits)
}

// THR-05: each bound of a token, on both sides of it, with the reason for the player.
func TestTokensOutOfBounds(t *testing.T) {
	with := func(change func(*token.Claims)) token.Claims {
		c := claims()
		change(&c)
		return c
	}
	for _, row := range []struct {
		what  string
		of    token.Claims
		after time.Duration
		want  string // in the error; "" is taken
	}{
		{"at once", claims(), 0, ""},
		{"in its last nanosecond", claims(), token.DefaultLife - 1, ""},
		{"when it expires", claims(), token.DefaultLife, "has expired"},
		{"a second later", claims(), token.DefaultLife + time.Second, "has expired"},
		{"by a server whose clock is a minute behind", claims(), -token.MaxAhead, ""},
		{"by one that is further behind", claims(), -token.MaxAhead - time.Nanosecond, "from the future"},
		{"another server, or this one before it was started again", with(func(c *token.Claims) { c.Server = "earlier" }), 0, "another server"},
		{"another match", with(func(c *token.Claims) { c.Match = "yard" }), 0, "another match"},
		{"another version of the protocol", with(func(c *token.Claims) { c.Protocol-- }), 0, "version"},
		{"the longest life", with(func(c *token.Claims) { c.Life = token.MaxLife }), token.MaxLife - 1, ""},
	} {
		for form, k := range forms() {
			c := token.NewChecker([]token.Key{k[1]}, "start")
			_, err := c.Check(issue(t, k[0], row.of), "arena", noon.Add(row.after))
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("%s, %s: got %v, want %q", form, row.what, err, row.want)
			}
			if err != nil && len(err.Error()) > transport.MaxReason {
				t.Errorf("%s, %s: the reason has %d bytes, and a connection closes with %d", form, row.what, len(err.Error()), transport.MaxReason)
			}
		}
	}
	for what, text := range map[string]string{"none": "", "another key": issue(t, token.NewSharedKey(), claims()), "no token": "v4.local.", "another form": "v2.local.AAAA"} {
		if _, err := token.NewChecker([]token.Key{token.NewSharedKey()}, "start").Check(text, "arena", noon); err == nil {
			t.Errorf("%s: taken", what)
		}
	}
}

// THR-05: of many connections that use one token at once, one is let in; the others are refused as long as
// the token lives, and what has expired is not kept in memory.
func TestATokenOpensOneConnection(t *testing.T) {
	k := token.NewSharedKey()
	c := token.NewChecker([]token.Key{k}, "start")
	text := issue(t, k, claims())
	var group sync.WaitGroup
	var mu sync.Mutex
	taken := 0
	for range 100 {
		group.Go(func() {
			if _, err := c.Check(text, "arena", noon); err == nil {
				mu.Lock()
				taken++
				mu.Unlock()
			}
		})
	}
	if group.Wait(); taken != 1 {
		t.Errorf("%d of 100 connections were let in, want 1", taken)
	}
	if _, err := c.Check(text, "arena", noon.Add(token.DefaultLife-1)); err == nil {
		t.Error("used again just before it expires: taken")
	}
	for i := range 100 {
		at := noon.Add(time.Duration(i) * time.Minute)
		text, _ := k.Issue(claims(), at)
		if _, err := c.Check(text, "arena", at); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.Remembered(); n > 2 {
		t.Errorf("%d tokens are remembered, want those of the last minute", n)
	}
}

// A backend is told which claim no server would take; a server refuses the same of a backend that does not
// use this package.
func TestClaimsOutOfBounds(t *testing.T) {
	k := token.NewSharedKey()
	for what, change := range map[string]func(*token.Claims){
		"account": func(c *token.Claims) { c.Account = "" }, "128": func(c *token.Claims) { c.Account = strings.Repeat("x", 129) },
		"server": func(c *token.Claims) { c.Server = "" }, "match": func(c *token.Claims) { c.Match = "" },
		"protocol": func(c *token.Claims) { c.Protocol = 0 }, "lives": func(c *token.Claims) { c.Life = token.MaxLife + 1 },
		"data": func(c *token.Claims) { c.Data = make([]byte, 513) }, "name": func(c *token.Claims) { c.Name = "\x07" },
	} {
		c := claims()
		change(&c)
		if _, err := k.Issue(c, noon); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: got %v, want an error that names it", what, err)
		}
	}
	_, checks := token.NewKeyPair()
	if _, err := checks.Issue(claims(), noon); err == nil {
		t.Error("a k4.public key has made a token")
	}
}

// A token of another PASETO library is taken if it has the claims, and refused with the reason if one is
// missing, wrong or of another type.
func TestTokensOfOtherLibraries(t *testing.T) {
	k := token.NewSharedKey()
	raw, err := paseto.V4SymmetricKeyFromBytes(decode(t, k))
	if err != nil {
		t.Fatal(err)
	}
	good := map[string]any{
		"sub": "a-1", "aud": "start", "match": "arena", "protocol": session.Version,
		"iat": "2026-11-23T12:00:00+00:00", "exp": "2026-11-23T13:00:20+01:00", "jti": "x", "iss": "a claim of the backend's own",
	}
	made := func(change func(map[string]any)) string {
		m := map[string]any{}
		for name, v := range good {
			m[name] = v
		}
		change(m)
		b, _ := json.Marshal(m)
		tok, err := paseto.NewTokenFromClaimsJSON(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		return tok.V4Encrypt(raw, nil)
	}
	c := token.NewChecker([]token.Key{k}, "start")
	if who, err := c.Check(made(func(map[string]any) {}), "arena", noon); err != nil || who.Account != "a-1" || who.Name != "" {
		t.Errorf("got %+v, %v, want account a-1 without a name", who, err)
	}
	for name := range good {
		if name == "iss" {
			continue
		}
		for what, change := range map[string]func(map[string]any){
			"missing": func(m map[string]any) { delete(m, name) }, "a list": func(m map[string]any) { m[name] = []int{1} }, "null": func(m map[string]any) { m[name] = nil },
		} {
			text := made(func(m map[string]any) { m["jti"] = name + what; change(m) })
			if _, err := c.Check(text, "arena", noon); err == nil {
				t.Errorf("%s %s: taken", name, what)
			}
		}
	}
}

// Keys survive as text; a damaged one is refused without being repeated, and a secret does not appear in a
// log.
func TestKeysAsText(t *testing.T) {
	signs, checks := token.NewKeyPair()
	for _, k := range []token.Key{token.NewSharedKey(), signs, checks} {
		text := k.Encode()
		if again, err := token.ParseKey(text); err != nil || again != k {
			t.Errorf("%s: got %v, want the key again", k, err)
		}
		if k.Issues() && strings.Contains(fmt.Sprintf("%v %+v %s", k, k, k), text[len("k4.secret."):]) {
			t.Errorf("%s shows its secret", k)
		}
		for _, bad := range []string{"", text[:len(text)-1], text + "A", "k5.local.AAAA", strings.ToUpper(text), text[:20] + "!" + text[21:], " " + text} {
			if _, err := token.ParseKey(bad); err == nil || bad != "" && strings.Contains(err.Error(), bad) {
				t.Errorf("%q: got %v, want an error that does not repeat it", bad, err)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "key")
	os.WriteFile(file, []byte(signs.Encode()+"\n"), 0o600)
	if k, err := token.ReadKey(file); err != nil || k != signs {
		t.Errorf("from a file: %v, want the key", err)
	}
	if _, err := token.ReadKey(file + "x"); err == nil || !strings.Contains(err.Error(), "keyx") {
		t.Errorf("a missing file: %v, want its name", err)
	}
	for _, name := range []string{signs.Encode(), "/etc/" + signs.Encode()} { // a command line makes a path of it
		if _, err := token.ReadKey(name); err == nil || !strings.Contains(err.Error(), "this is a key") || strings.Contains(err.Error(), signs.Encode()) {
			t.Errorf("the key instead of a file: got %v, want an error that says so and does not repeat it", err)
		}
	}
}

// A server is not given the backend's secret by mistake.
func TestACheckerTakesNoSecret(t *testing.T) {
	signs, _ := token.NewKeyPair()
	for what, keys := range map[string][]token.Key{"no key": nil, "a signing key": {signs}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			token.NewChecker(keys, "start")
		}()
	}
}

// decode returns the bytes of a shared key.
func decode(t *testing.T, k token.Key) []byte {
	t.Helper()
	b, err := token.Bytes(k)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func BenchmarkCheck(b *testing.B) {
	for form, k := range forms() {
		b.Run(form, func(b *testing.B) {
			text, _ := k[0].Issue(claims(), noon)
			c := token.NewChecker([]token.Key{k[1]}, "start")
			for b.Loop() {
				_, _ = c.Check(text, "arena", noon)
			}
		})
	}
}
