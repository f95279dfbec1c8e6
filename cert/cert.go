// Package cert supplies TLS certificates for a server with a domain name: from files that are reloaded when they
// change, or from an authority over ACME, such as Let's Encrypt. Start at [Open]. A server without a domain name
// does not need it: transport/quic/quicserver makes certificates that clients accept by hash.
//
// The functions return a [Func], for tls.Config.GetCertificate and for host.Config.Certificate.
package cert

import (
	"crypto/tls"
	"errors"
	"log/slog"
)

// Func returns the certificate for a handshake. It may be called by any goroutine.
type Func = func(*tls.ClientHelloInfo) (*tls.Certificate, error)

// Options are those of a command line. The zero Options name no certificate.
type Options struct {
	// File and Key are PEM files: the certificate, with those between it and the authority's, and
	// its private key. Empty means none; one needs the other.
	File, Key string
	// Hosts are the names for which ACME gets certificates; nil means no ACME.
	Hosts []string
	// Dir is the folder for the certificates from ACME and their keys; it is created if it is missing.
	// Required with Hosts, since authorities limit how often they sign.
	Dir string
}

// Open returns the certificates that the options name, nil if they name none. The error says what is
// wrong with a file, a folder or the options. log gets a line when files have changed; nil is none.
func Open(o Options, log *slog.Logger) (Func, error) {
	switch {
	case (o.File == "") != (o.Key == ""):
		return nil, errors.New("cert: a certificate needs its key: give both --tls-cert and --tls-key")
	case o.File != "" && len(o.Hosts) > 0:
		return nil, errors.New("cert: give either --tls-cert and --tls-key or --acme, not both")
	case len(o.Hosts) > 0 && o.Dir == "":
		return nil, errors.New("cert: --acme needs a folder that keeps its certificates over restarts: --acme-dir")
	case o.File != "":
		return FromFiles(o.File, o.Key, log)
	case len(o.Hosts) > 0:
		return FromACME(ACME{Hosts: o.Hosts, Dir: o.Dir})
	}
	return nil, nil
}
