package cert

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fakeACME is an authority that speaks as much of RFC 8555 as a client needs. It tests a host as RFC 8737
// says, by a TLS handshake with the server at addr, and signs only then. It does not look at signatures of
// requests, nonces and expiry.
type fakeACME struct {
	*authority
	web    *httptest.Server
	addr   string // of the server that is to be tested
	orders atomic.Int64
	slow   chan struct{} // while it is open, orders wait; nil never

	mu    sync.Mutex
	valid bool
	why   string // why a test failed
	cert  []byte // PEM
}

func newFakeACME(t *testing.T, a *authority) *fakeACME {
	f := &fakeACME{authority: a}
	mux := http.NewServeMux()
	for path, serve := range map[string]func(payload []byte) (int, any){
		"/account": func([]byte) (int, any) { return http.StatusCreated, map[string]any{"status": "valid"} },
		"/order":   f.order, "/authz": f.authz, "/challenge": f.challenge, "/finalize": f.finalize,
	} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			var jws struct{ Payload string }
			_ = json.NewDecoder(r.Body).Decode(&jws)
			payload, _ := base64.RawURLEncoding.DecodeString(jws.Payload)
			code, answer := serve(payload)
			w.Header().Set("Replay-Nonce", "n")
			w.Header().Set("Location", f.web.URL+path+"/1")
			w.WriteHeader(code)
			_ = json.NewEncoder(w).Encode(answer)
		})
	}
	mux.HandleFunc("POST /order/1", func(w http.ResponseWriter, r *http.Request) { f.json(w, f.orderNow()) })
	mux.HandleFunc("POST /finalize/1", func(w http.ResponseWriter, r *http.Request) { f.json(w, f.orderNow()) })
	mux.HandleFunc("POST /cert", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		w.Header().Set("Replay-Nonce", "n")
		_, _ = w.Write(f.cert)
	})
	mux.HandleFunc("/nonce", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Replay-Nonce", "n") })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		u := f.web.URL
		f.json(w, map[string]any{"newNonce": u + "/nonce", "newAccount": u + "/account", "newOrder": u + "/order"})
	})
	f.web = httptest.NewServer(mux)
	t.Cleanup(f.web.Close)
	return f
}

func (f *fakeACME) json(w http.ResponseWriter, v any) {
	w.Header().Set("Replay-Nonce", "n")
	_ = json.NewEncoder(w).Encode(v)
}

func (f *fakeACME) order([]byte) (int, any) {
	f.orders.Add(1)
	if f.slow != nil {
		<-f.slow
	}
	return http.StatusCreated, f.orderNow()
}

func (f *fakeACME) orderNow() any {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := map[string]any{
		"status": "pending", "identifiers": []any{map[string]string{"type": "dns", "value": "game.example"}},
		"authorizations": []string{f.web.URL + "/authz"}, "finalize": f.web.URL + "/finalize",
	}
	switch {
	case f.cert != nil:
		o["status"], o["certificate"] = "valid", f.web.URL+"/cert"
	case f.valid:
		o["status"] = "ready"
	}
	return o
}

func (f *fakeACME) authz([]byte) (int, any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	status := map[bool]string{false: "pending", true: "valid"}[f.valid]
	if f.why != "" {
		status = "invalid"
	}
	return http.StatusOK, map[string]any{
		"status": status, "identifier": map[string]string{"type": "dns", "value": "game.example"},
		"challenges": []any{map[string]string{"type": "tls-alpn-01", "url": f.web.URL + "/challenge", "token": "token", "status": status}},
	}
}

// challenge is the test: the server shows a certificate with the extension of RFC 8737.
func (f *fakeACME) challenge([]byte) (int, any) {
	conn, err := tls.DialWithDialer(&net.Dialer{Timeout: 10 * time.Second}, "tcp", f.addr, &tls.Config{
		ServerName: "game.example", NextProtos: []string{"acme-tls/1"}, InsecureSkipVerify: true,
	})
	if err == nil {
		defer conn.Close()
		s := conn.ConnectionState()
		err = errors.New("the certificate has no extension of ACME")
		for _, e := range s.PeerCertificates[0].Extensions {
			if e.Id.String() == "1.3.6.1.5.5.7.1.31" && s.NegotiatedProtocol == "acme-tls/1" {
				err = nil
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.valid = err == nil; err != nil {
		f.why = err.Error()
	}
	return http.StatusOK, map[string]any{"type": "tls-alpn-01", "url": f.web.URL + "/challenge", "token": "token", "status": "processing"}
}

func (f *fakeACME) finalize(payload []byte) (int, any) {
	var body struct{ CSR string }
	_ = json.Unmarshal(payload, &body)
	der, _ := base64.RawURLEncoding.DecodeString(body.CSR)
	csr, err := x509.ParseCertificateRequest(der)
	f.mu.Lock()
	if err == nil && f.valid {
		c := f.issue(77, csr.DNSNames[0], csr.PublicKey)
		f.cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
	}
	f.mu.Unlock()
	return http.StatusOK, f.orderNow()
}

// acmeServer is a server that gets its certificate from the authority.
func acmeServer(t *testing.T, f *fakeACME, dir string) (addr string) {
	t.Helper()
	get, err := FromACME(ACME{Hosts: []string{"game.example"}, Dir: dir, Directory: f.web.URL})
	if err != nil {
		t.Fatal(err)
	}
	return listen(t, get)
}

// The first handshake orders a certificate; the authority tests the server on the port of the page itself;
// a server that is started again has it from its folder. [THR-44]
func TestACMEOnOnePort(t *testing.T) {
	a, dir := newAuthority(t), t.TempDir()
	f := newFakeACME(t, a)
	f.addr = acmeServer(t, f, dir)
	for i := range 3 {
		if got, err := shake(a, f.addr, "game.example"); err != nil || got != 77 {
			t.Errorf("handshake %d: certificate %d, %v %s; want 77", i, got, err, f.why)
		}
	}
	if got, err := shake(a, acmeServer(t, f, dir), "Game.Example"); err != nil || got != 77 {
		t.Errorf("after a restart: certificate %d, %v; want 77 from the folder", got, err)
	}
	if n := f.orders.Load(); n != 1 {
		t.Errorf("%d orders, want 1", n)
	}
}

// Strangers make a server order nothing: neither for names that are not its own, nor one certificate for each
// handshake, and they do not wait longer than a few seconds. [THR-44]
func TestStrangersOrderNothing(t *testing.T) {
	a := newAuthority(t)
	f := newFakeACME(t, a)
	f.slow = make(chan struct{})
	f.addr = acmeServer(t, f, t.TempDir())
	for _, name := range []string{"other.example", "evil.game.example", "localhost", ""} {
		if _, err := shake(a, f.addr, name); err == nil {
			t.Errorf("a certificate for %q", name)
		}
	}
	if n := f.orders.Load(); n != 0 {
		t.Errorf("%d orders for other names, want 0", n)
	}
	var group sync.WaitGroup
	var early atomic.Int64
	for range 30 {
		group.Go(func() {
			if _, err := shake(a, f.addr, "game.example"); err != nil {
				early.Add(1)
			}
		})
	}
	group.Wait()
	if n := f.orders.Load(); n != 1 || early.Load() != 30 {
		t.Errorf("an authority that does not answer: %d orders and %d refused handshakes, want 1 and 30", n, early.Load())
	}
	close(f.slow)
	for deadline := time.Now().Add(20 * time.Second); ; {
		got, err := shake(a, f.addr, "game.example")
		if err == nil && got == 77 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the certificate never came: %v %s", err, f.why)
		}
	}
}

func ExampleOpen() {
	get, err := Open(Options{File: "cert.pem"}, nil)
	fmt.Println(get == nil, err)
	// Output:
	// true cert: a certificate needs its key: give both --tls-cert and --tls-key
}
