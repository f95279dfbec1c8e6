package front

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// answering is a server that answers each path with a text; a text that begins with a number has that
// status.
func answering(t *testing.T, texts map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := texts[r.URL.Path]
		var code int
		if n, _ := fmt.Sscanf(text, "%d", &code); n == 1 {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(code)
		}
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(func() { web.CloseIdleConnections(); s.Close() })
	return s.URL
}

// matches is a status of matches.
func matches(list string) string { return `{"draining":false,"matches":[` + list + `]}` }

// The fullest match that runs and has a seat is taken; seats that were given a moment ago count, those
// of another front door too.
func TestWhichMatchIsTaken(t *testing.T) {
	const three = `{"name":"a","state":"running","connections":1},{"name":"b","state":"running","connections":2},{"name":"c","state":"ended","connections":3}`
	for _, c := range []struct {
		what, status string
		seats        int
		noted        string // a match of which another front door has given a seat
		want         string // the matches that are taken, one after the other, until none is left
	}{
		{"the fullest first", matches(three), 4, "", "b b a a a"},
		{"with a seat of another front door", matches(three), 4, "b", "b a a a"},
		{"which makes a match the fullest", matches(three), 4, "a", "a a b b"},
		{"full ones", matches(three), 1, "", ""},
		{"none that runs", matches(`{"name":"c","state":"ended","connections":0}`), 4, "", ""},
		{"a server that drains", `{"draining":true,"matches":[{"name":"a","state":"running"}]}`, 4, "", ""},
		{"no match", matches(""), 4, "", ""},
	} {
		s := &Static{Servers: []string{answering(t, map[string]string{"/api/status": c.status}) + "/"}, Seats: c.seats}
		if c.noted != "" {
			s.note(Place{URL: strings.TrimSuffix(s.Servers[0], "/"), Match: c.noted})
		}
		var taken []string
		for {
			p, err := s.Allocate(t.Context())
			if err != nil {
				if err != ErrFull {
					t.Errorf("%s: got %v, want ErrFull", c.what, err)
				}
				break
			}
			if taken = append(taken, p.Match); p.URL+"/" != s.Servers[0] || len(taken) > 20 {
				t.Fatalf("%s: got %+v after %q", c.what, p, taken)
			}
		}
		if got := strings.Join(taken, " "); got != c.want {
			t.Errorf("%s: taken %q, want %q", c.what, got, c.want)
		}
	}
}

// A seat that was given counts for five seconds: then the server's own status shows its player.
func TestGivenSeatsAreForgotten(t *testing.T) {
	var r rooms
	begin := time.Now()
	for i := range 3 {
		r.hand("s m", handed{begin.Add(time.Duration(i) * time.Second), unknown})
	}
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{4 * time.Second, 3}, {5 * time.Second, 3}, {5500 * time.Millisecond, 2}, {6500 * time.Millisecond, 1}, {8 * time.Second, 0}} {
		if got := r.joining("s m", 0, begin.Add(c.after)); got != c.want {
			t.Errorf("after %v: %d seats count, want %d", c.after, got, c.want)
		}
	}
	for i := range 1000 { // servers of a fleet come and go
		r.hand(fmt.Sprint("s", i), handed{begin.Add(time.Minute + time.Duration(i)*time.Second), unknown})
	}
	if n := len(r.handed); n > 6 {
		t.Errorf("%d servers are remembered, want those of the last five seconds", n)
	}
	r.hand("s m", handed{begin.Add(time.Hour), unknown})
	if r.joining("s m", 0, begin.Add(2*time.Hour)); r.joining("s other", 0, begin) != 0 || len(r.handed) != 0 {
		t.Errorf("%v is kept, want nothing", r.handed)
	}
}

// A seat counts until its player is among the server's connections, and not for five seconds more: sixteen players that
// come at once fill a match of sixteen. Random arrivals, departures and seats of other front doors never let fewer
// seats count than there are players on the way.
func TestGivenSeatsCountUntilTheirPlayersCome(t *testing.T) {
	var r rooms
	now := time.Now()
	for i := range 16 { // each has come before the next
		if got := r.joining("s m", i, now); got != 0 {
			t.Errorf("with %d players, who have all come: %d seats count, want 0", i, got)
		}
		r.hand("s m", handed{now, i})
		if got := r.joining("s m", i, now); got != 1 {
			t.Errorf("with %d players and one on the way: %d seats count, want 1", i, got)
		}
		now = now.Add(100 * time.Millisecond)
	}
	for seed := range uint64(200) {
		dice := mathrand.New(mathrand.NewPCG(seed, 1))
		var r rooms
		var way []time.Time // players on the way: when each got its seat
		connections, within := dice.IntN(5), 0
		for range 300 {
			now = now.Add(time.Duration(dice.IntN(400)) * time.Millisecond)
			switch what := dice.IntN(10); {
			case what < 3:
				taken := unknown
				if what > 0 {
					taken = connections + r.joining("s m", connections, now)
				}
				r.hand("s m", handed{now, taken})
				way = append(way, now)
			case what < 6 && len(way) > 0: // one of them comes
				i := dice.IntN(len(way))
				way, connections = slices.Delete(way, i, i+1), connections+1
			case what < 7 && connections > 0:
				connections--
			}
			way = slices.DeleteFunc(way, func(at time.Time) bool { return now.Sub(at) > joining }) // they have given up
			got := r.joining("s m", connections, now)
			if within = len(r.handed["s m"]); got < len(way) || got > within {
				t.Fatalf("seed %d: %d seats count, want at least the %d players on the way and at most the %d seats given", seed, got, len(way), within)
			}
		}
	}
}

// A server that answers nonsense is skipped; where no other has a seat, the error says which server it
// was and what it said, and still counts as full, so the line waits.
func TestServersThatAnswerNonsense(t *testing.T) {
	good := answering(t, map[string]string{"/api/status": matches(`{"name":"m","state":"running"}`)})
	for what, c := range map[string]struct{ text, want string }{
		"no JSON":       {"hello", "/api/status: invalid character"},
		"an error":      {"500 on fire", "/api/status: 500 500 on fire"},
		"a redirect":    {"302 over there", "/api/status: 302 302 over there"},
		"a long error":  {"404 " + strings.Repeat("x", 5000), "/api/status: 404 404 xxxx"},
		"endless JSON":  {`{"matches":[` + strings.Repeat(" ", maxAnswer), "/api/status: unexpected end of JSON"},
		"another shape": {`{"matches":7}`, "/api/status: json: cannot unmarshal"},
	} {
		bad := answering(t, map[string]string{"/api/status": c.text})
		p, err := (&Static{Servers: []string{bad, good}, Seats: 1}).Allocate(t.Context())
		if err != nil || p.URL != good {
			t.Errorf("%s: got %+v, %v; want a seat on the other server", what, p, err)
		}
		_, err = (&Static{Servers: []string{bad}, Seats: 1}).Allocate(t.Context())
		if !errors.Is(err, ErrFull) || !strings.Contains(fmt.Sprint(err), strings.TrimPrefix(bad, "http://")+c.want) || len(err.Error()) > 400 {
			t.Errorf("%s: got %v, want %q and ErrFull", what, err, c.want)
		}
	}
}

// A server's answer is passed on with its own address, and with the address at which players reach its
// QUIC where the allocator knows one; what is no answer of a server is an error.
func TestAnswersOfServers(t *testing.T) {
	const answer = `{"server":"s1","match":"m","quic":"10.0.0.1:4433","webtransport":"https://10.0.0.1:4433/wt"}`
	url := answering(t, map[string]string{"/api/join": answer})
	a, err := ask(t.Context(), Place{URL: url, Match: "m"})
	if err != nil || a.Address != url || a.QUIC != "10.0.0.1:4433" || a.WebTransport != "https://10.0.0.1:4433/wt" {
		t.Errorf("got %+v, %v; want the server's own addresses", a, err)
	}
	a, err = ask(t.Context(), Place{URL: url, Match: "m", QUIC: "game.example:7001"})
	if err != nil || a.QUIC != "game.example:7001" || a.WebTransport != "https://game.example:7001/wt" {
		t.Errorf("got %+v, %v; want QUIC at game.example:7001", a, err)
	}
	for _, text := range []string{`{"match":"m"}`, `{"server":"s1"}`, `{}`, `null`} {
		url := answering(t, map[string]string{"/api/join": text})
		if _, err := ask(t.Context(), Place{URL: url}); err == nil || !strings.HasSuffix(err.Error(), "/api/join: no answer of a Backstep server") {
			t.Errorf("%s: got %v, want that it is no answer of a server", text, err)
		}
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := ask(ended, Place{URL: url}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := ask(t.Context(), Place{URL: "http://a b"}); err == nil || !strings.HasPrefix(err.Error(), "front: ") {
		t.Errorf("an address that is none: %v", err)
	}
}

// authority makes a certificate that signs itself and serves as its own authority, and writes it and
// its key.
func authority(t *testing.T, folder, name string) (certificate, key string, pair tls.Certificate) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(kind, name string, b []byte) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("CERTIFICATE", name+".crt", der), write("PRIVATE KEY", name+".key", secret), tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}
}

// The client of an allocator service shows its certificate, and talks to nobody but the service that
// the authority has signed; files that are missing or hold something else are errors with their names.
func TestTheClientOfAnAllocator(t *testing.T) {
	folder := t.TempDir()
	certificate, key, pair := authority(t, folder, "door")
	other, _, otherPair := authority(t, folder, "other")
	roots := x509.NewCertPool()
	if b, err := os.ReadFile(certificate); err != nil || !roots.AppendCertsFromPEM(b) {
		t.Fatal(err)
	}
	service := func(own tls.Certificate) string {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if len(r.TLS.PeerCertificates) != 1 || r.TLS.PeerCertificates[0].Subject.CommonName != "door" {
				t.Errorf("the service sees %v", r.TLS.PeerCertificates)
			}
			http.Error(w, "none is free", http.StatusTooManyRequests)
		}))
		s.Config.ErrorLog = nil
		s.TLS = &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert}
		s.StartTLS()
		t.Cleanup(s.Close)
		return s.URL
	}
	c, err := AgonesClient(certificate, key, certificate)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdleConnections()
	if _, err := (&Agones{URL: service(pair), Client: c}).Allocate(t.Context()); err != ErrFull {
		t.Errorf("of the service: got %v, want ErrFull", err)
	}
	var unknown x509.UnknownAuthorityError
	if _, err := (&Agones{URL: service(otherPair), Client: c}).Allocate(t.Context()); !errors.As(err, &unknown) {
		t.Errorf("of another service: got %v, want that its authority is unknown", err)
	}
	none := filepath.Join(folder, "none")
	for _, f := range []struct{ certificate, key, authority, want string }{
		{none, key, certificate, none},
		{certificate, none, certificate, none},
		{certificate, key, none, none},
		{other, key, certificate, "private key does not match public key"},
		{certificate, key, key, key + " has no certificate"},
	} {
		if _, err := AgonesClient(f.certificate, f.key, f.authority); err == nil || !strings.HasPrefix(err.Error(), "front: ") || !strings.Contains(err.Error(), f.want) {
			t.Errorf("%+v: got %v", f, err)
		}
	}
}
