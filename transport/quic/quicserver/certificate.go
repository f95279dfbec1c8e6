package quicserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"sync"
	"time"
)

// What browsers require of a certificate that they accept by its hash: ECDSA on P-256, and
// a validity of at most 14 days.
const (
	// certificateBefore is how far in the past a new certificate's validity begins, for
	// clients with slow clocks.
	certificateBefore = time.Hour
	// certificateLife is how long it is valid after it was made.
	certificateLife = 10 * 24 * time.Hour
	// certificateRotation is how long one certificate is in use. It is made one rotation
	// ahead, so at the end of its use it is two rotations old and has two days left; a
	// page that knows a server's two hashes can connect for at least one whole rotation.
	certificateRotation = 4 * 24 * time.Hour
)

// Certificates makes and rotates a server's self-signed certificates. It needs no
// goroutine: every call looks at the clock.
type Certificates struct {
	mu            sync.Mutex
	now           func() time.Time
	current, next hashedCertificate
	rotatedAt     time.Time // when current came into use
}

// hashedCertificate is a certificate with its hash.
type hashedCertificate struct {
	cert tls.Certificate
	hash Hash
}

// NewCertificates makes the first two certificates. now is the clock; nil means time.Now.
// The error is that of the system's random numbers.
func NewCertificates(now func() time.Time) (*Certificates, error) {
	if now == nil {
		now = time.Now
	}
	c := &Certificates{now: now}
	return c, c.renew(now().Round(0))
}

// renew makes both certificates again.
func (c *Certificates) renew(t time.Time) error {
	current, err := makeCertificate(t)
	if err != nil {
		return err
	}
	next, err := makeCertificate(t)
	if err != nil {
		return err
	}
	c.current, c.next, c.rotatedAt = current, next, t
	return nil
}

// rotate brings the certificates up to date. If the time of both has passed, for example
// after a suspend, or has not come because the clock was set back, both are made again.
func (c *Certificates) rotate() error {
	t := c.now().Round(0) // by the wall clock: the other one stands still in a suspend
	age := t.Sub(c.rotatedAt)
	if age >= 2*certificateRotation || age < -certificateBefore {
		return c.renew(t)
	}
	if age < certificateRotation {
		return nil
	}
	next, err := makeCertificate(t)
	if err != nil {
		return err
	}
	c.current, c.next, c.rotatedAt = c.next, next, t
	return nil
}

// Current returns the certificate for a handshake that begins now.
func (c *Certificates) Current() (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.rotate(); err != nil {
		return nil, err
	}
	cert := c.current.cert
	return &cert, nil
}

// Hashes returns the hashes of the certificate in use and of the next one. Give both to
// every client; they are valid for at least four days.
func (c *Certificates) Hashes() ([]Hash, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.rotate(); err != nil {
		return nil, err
	}
	return []Hash{c.current.hash, c.next.hash}, nil
}

// makeCertificate makes a certificate for this machine, valid around t.
func makeCertificate(t time.Time) (hashedCertificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return hashedCertificate{}, fmt.Errorf("quic: making a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return hashedCertificate{}, fmt.Errorf("quic: making a serial number: %w", err)
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
		return hashedCertificate{}, fmt.Errorf("quic: making a certificate: %w", err)
	}
	return hashedCertificate{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, sha256.Sum256(der)}, nil
}
