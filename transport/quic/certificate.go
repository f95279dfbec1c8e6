package quic

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"sync"
	"time"
)

// What a browser asks of a certificate that it accepts by its hash: ECDSA on
// P-256, and valid for at most 14 days from its first second to its last.
const (
	// certificateBefore is how far in the past a new certificate begins, for
	// clients whose clocks are slow.
	certificateBefore = time.Hour
	// certificateLife is how long it is valid after it was made.
	certificateLife = 10 * 24 * time.Hour
	// certificateTurn is how long one certificate is in use. It is made one
	// turn ahead, so at the end of its use it is two turns old and has two
	// days left; a page that knows a server's two hashes can connect for at
	// least one whole turn.
	certificateTurn = 4 * 24 * time.Hour
)

// Hash is the SHA-256 of a certificate's DER bytes: what a browser takes in
// serverCertificateHashes, and what Dial pins.
type Hash [sha256.Size]byte

// Certificates makes and turns a server's own certificates. It needs no
// goroutine: it looks at the clock whenever it is asked.
type Certificates struct {
	mu            sync.Mutex
	now           func() time.Time
	current, next made
	turned        time.Time // when current came into use
}

// made is one certificate with its hash.
type made struct {
	cert tls.Certificate
	hash Hash
}

// NewCertificates makes the first two certificates. now is the clock; nil
// means time.Now. The error is that of the machine's random numbers.
func NewCertificates(now func() time.Time) (*Certificates, error) {
	if now == nil {
		now = time.Now
	}
	c := &Certificates{now: now}
	return c, c.restart(now())
}

// restart makes both certificates anew.
func (c *Certificates) restart(t time.Time) error {
	current, err := makeCertificate(t)
	if err != nil {
		return err
	}
	next, err := makeCertificate(t)
	if err != nil {
		return err
	}
	c.current, c.next, c.turned = current, next, t
	return nil
}

// turn brings the certificates up to date. After a sleep in which both have
// had their turn, both are made anew.
func (c *Certificates) turn() error {
	t := c.now()
	age := t.Sub(c.turned)
	if age < certificateTurn {
		return nil
	}
	if age >= 2*certificateTurn {
		return c.restart(t)
	}
	next, err := makeCertificate(t)
	if err != nil {
		return err
	}
	c.current, c.next, c.turned = c.next, next, t
	return nil
}

// Current is the certificate to show in a handshake that begins now.
func (c *Certificates) Current() (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.turn(); err != nil {
		return nil, err
	}
	cert := c.current.cert
	return &cert, nil
}

// Hashes are those of the certificate in use and of the one after it. Hand
// both to every client; they hold for at least four days.
func (c *Certificates) Hashes() ([]Hash, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.turn(); err != nil {
		return nil, err
	}
	return []Hash{c.current.hash, c.next.hash}, nil
}

// makeCertificate makes a certificate for this machine, valid around t.
func makeCertificate(t time.Time) (made, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return made{}, fmt.Errorf("quic: making a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return made{}, fmt.Errorf("quic: making a serial number: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "backstep"},
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		NotBefore:             t.Add(-certificateBefore),
		NotAfter:              t.Add(certificateLife),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return made{}, fmt.Errorf("quic: making a certificate: %w", err)
	}
	return made{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, sha256.Sum256(der)}, nil
}

// ErrUnknownCertificate means that the server showed a certificate that is
// not among the pinned ones: an old page, or somebody in between.
var ErrUnknownCertificate = errors.New("quic: the server's certificate is not one of the pinned ones")

// pin makes a TLS client accept exactly the certificates with these hashes,
// within their time; with none, it verifies as usual.
func pin(conf *tls.Config, hashes []Hash) {
	if len(hashes) == 0 {
		return
	}
	conf.InsecureSkipVerify = true // VerifyConnection below is stricter
	conf.VerifyConnection = func(cs tls.ConnectionState) error {
		leaf := cs.PeerCertificates[0]
		sum := sha256.Sum256(leaf.Raw)
		for _, h := range hashes {
			if bytes.Equal(h[:], sum[:]) {
				return inTime(leaf, time.Now())
			}
		}
		return ErrUnknownCertificate
	}
}

// inTime checks a certificate's dates.
func inTime(c *x509.Certificate, t time.Time) error {
	if t.Before(c.NotBefore) || t.After(c.NotAfter) {
		return fmt.Errorf("quic: the server's certificate is valid from %v to %v only", c.NotBefore, c.NotAfter)
	}
	return nil
}
