package host_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/cert"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/transport/join"
)

// certificateFiles writes a certificate for this machine that is its own authority, and its key.
func certificateFiles(t *testing.T, folder string, number int64) (file, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(number), Subject: pkix.Name{CommonName: "a test"}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	file, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	for name, block := range map[string]*pem.Block{file: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return file, key
}

// openTLS starts a host with a certificate of an authority that the stage's own HTTP client trusts.
func openTLS(t *testing.T, c host.Config) *stage {
	t.Helper()
	get, err := cert.FromFiles(certificateFilesOf(t))
	if err != nil {
		t.Fatal(err)
	}
	c.Certificate = get
	s := openWith(t, c)
	s.url = "https" + strings.TrimPrefix(s.url, "http")
	return s
}

func certificateFilesOf(t *testing.T) (file, key string, log *slog.Logger) {
	file, key = certificateFiles(t, t.TempDir(), 1)
	return file, key, nil
}

// With a certificate the page, the API and WebSockets are on TLS at the same port, and nothing else is; the join answer
// has no hashes; HTTP/2 is not offered. [THR-44]
func TestEverythingIsOnTLS(t *testing.T) {
	s := openTLS(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(4))}})
	addr := s.host.Addr().String()
	pool := x509.NewCertPool()
	conn, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	state := conn.ConnectionState()
	conn.Close()
	pool.AddCert(state.PeerCertificates[0])
	if state.NegotiatedProtocol != "http/1.1" {
		t.Errorf("got the protocol %q, want http/1.1", state.NegotiatedProtocol)
	}
	if _, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	old := http.DefaultClient
	web := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	http.DefaultClient = &http.Client{Transport: web}
	defer func() { web.CloseIdleConnections(); http.DefaultClient = old }()
	var to join.Answer
	s.getJSON(join.Path, &to)
	if len(to.CertHashes) != 0 || to.WebTransport != "https://"+s.host.QUICAddr().String()+"/play" {
		t.Errorf("the join answer has %q and %q, want no hashes", to.CertHashes, to.WebTransport)
	}
	if got := s.handshake(upgrade("Origin", s.url)); got != http.StatusSwitchingProtocols {
		t.Errorf("a WebSocket over TLS: %d, want 101", got)
	}
	if res, err := http.Get("http://" + addr + join.Path); err != nil {
		t.Error(err)
	} else if res.Body.Close(); res.StatusCode != http.StatusBadRequest {
		t.Errorf("plain HTTP: %s, want 400", res.Status)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := dial(ctx, "quic", s.url, &to); err == nil || !strings.Contains(err.Error(), "unknown authority") {
		t.Errorf("QUIC with a certificate of nobody: %v, want that its authority is unknown", err)
	}
}
