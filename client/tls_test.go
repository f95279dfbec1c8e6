package client_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/backstep-net/backstep/cert"
	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/host"
)

// A client joins a server with a certificate of an authority: by https, QUIC without a hash, and wss. The test
// is a process of its own, since Go reads the authorities of a machine once. [THR-44]
func TestJoiningOverTLS(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SSL_CERT_FILE names the authorities on Linux")
	}
	if os.Getenv("SSL_CERT_FILE") == "" || os.Getenv("BACKSTEP_TEST_KEY") == "" {
		file, key := ownAuthority(t)
		child := exec.Command(os.Args[0], "-test.run=^TestJoiningOverTLS$", "-test.v")
		child.Env = append(os.Environ(), "SSL_CERT_FILE="+file, "BACKSTEP_TEST_KEY="+key)
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	get, err := cert.FromFiles(os.Getenv("SSL_CERT_FILE"), os.Getenv("BACKSTEP_TEST_KEY"), nil)
	if err != nil {
		t.Fatal(err)
	}
	level := box(30)
	h, err := host.New(host.Config{
		Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0", Certificate: get, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Matches: []host.MatchConfig{{Name: "field", TickRate: 60, Match: newMatch(level, 4)}},
		Levels:  map[string]host.Level{level.Hash(): {World: level.AppendBinary(nil)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, halt := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	defer func() { halt(); <-ended }()
	for kind, way := range map[string]client.Transport{"quic": client.QUIC, "websocket": client.WebSocket} {
		within, cancel := context.WithTimeout(t.Context(), patience)
		c, err := client.Dial(within, "https://"+h.Addr().String(), game, client.Config{Name: "Ada", Transports: []client.Transport{way}})
		cancel()
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		c.Close()
	}
}

// ownAuthority writes a certificate for 127.0.0.1 that is its own authority, and its key.
func ownAuthority(t *testing.T) (file, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
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
	file, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for name, block := range map[string]*pem.Block{file: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return file, key
}
