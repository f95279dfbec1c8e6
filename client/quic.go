//go:build !js

package client

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/join"
	"github.com/backstep-net/backstep/transport/quic"
)

// defaultTransports are those of a Config that names none.
var defaultTransports = []Transport{UDP, QUIC, WebSocket}

// QUIC is the [Transport] raw QUIC over UDP, for a server without [UDP]. It trusts exactly the certificates
// whose hashes the server has named, since no authority signs those that a server makes
// itself; where it has named none, an authority must have signed. There is none under
// GOOS=js.
func QUIC(ctx context.Context, s *Server) (transport.Conn, error) {
	hashes, err := s.Hashes()
	if err != nil {
		return nil, err
	}
	return quic.Dial(ctx, s.Answer.QUIC, hashes)
}

// Hashes returns the certificate hashes that a QUIC connection pins, none where an authority
// has signed the certificate.
func (s *Server) Hashes() ([]quic.Hash, error) {
	var all []quic.Hash
	for _, text := range s.CertHashes {
		var h quic.Hash
		if n, err := hex.Decode(h[:], []byte(text)); err != nil || n != len(h) {
			return nil, fmt.Errorf("client: %s%s: %q is not a certificate hash", s.URL, join.Path, text)
		}
		all = append(all, h)
	}
	return all, nil
}
