package cert

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
	"golang.org/x/sync/singleflight"
)

// handshakeTimeout is how long a handshake waits for a certificate that ACME is getting. The authority may take
// minutes, and each waiting handshake takes memory.
const handshakeTimeout = 4 * time.Second

// errGetting refuses a handshake that came too early.
var errGetting = errors.New("cert: the certificate is not there yet: try again in a minute")

// ACME configures how certificates are obtained. The authority connects to the TCP port 443 of each host, and the
// server that uses the Func has to answer there, or behind a port mapping of it, with acme.ALPNProto among
// its protocols, as host.Host does.
type ACME struct {
	Hosts []string // the names of the server; required
	Dir   string   // the folder that keeps account, keys and certificates; required
	// Directory is the URL of the authority's directory; "" means that of Let's Encrypt. By using
	// it you accept the authority's terms.
	Directory string
	// Client makes the requests; nil means http.DefaultClient.
	Client *http.Client
}

// FromACME returns certificates that an authority signs when a handshake first needs one, and that are
// renewed before they expire. The error is that of the folder or of a field that is missing.
func FromACME(a ACME) (Func, error) {
	if len(a.Hosts) == 0 || slices.Contains(a.Hosts, "") || a.Dir == "" {
		return nil, errors.New("cert: ACME needs Hosts, the server's names, and a Dir to keep its certificates")
	}
	if err := os.MkdirAll(a.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("cert: %w", err)
	}
	g := &getter{manager: &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      autocert.DirCache(a.Dir),
		HostPolicy: autocert.HostWhitelist(a.Hosts...),
		Client:     &acme.Client{DirectoryURL: a.Directory, HTTPClient: a.Client},
	}}
	if a.Directory == "" {
		g.manager.Client.DirectoryURL = autocert.DefaultACMEDirectory
	}
	return g.get, nil
}

// getter bounds what strangers can make a manager do.
type getter struct {
	manager *autocert.Manager
	flights singleflight.Group
}

// get is the Func: the certificate of the name that the client asks for. One goroutine gets it, however many
// handshakes wait, and each waits for a bounded time.
func (g *getter) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) {
		return g.manager.GetCertificate(hello) // the authority's test
	}
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if err := g.manager.HostPolicy(context.Background(), name); err != nil {
		return nil, err
	}
	asked := &tls.ClientHelloInfo{
		ServerName: name,
		// Otherwise a client that pretends to know RSA only would order a second certificate.
		CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
	}
	flight := g.flights.DoChan(name, func() (any, error) { return g.manager.GetCertificate(asked) })
	late := time.NewTimer(handshakeTimeout)
	defer late.Stop()
	select {
	case got := <-flight:
		c, _ := got.Val.(*tls.Certificate)
		return c, got.Err
	case <-late.C:
		return nil, errGetting
	}
}
