package front

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/backstep-net/backstep/fleet"
)

// Agones allocates from a fleet by the allocator service of Agones, over REST.
type Agones struct {
	// URL is the service's, such as "https://agones-allocator.agones-system". Required.
	URL string
	// Namespace and Fleet name the fleet. Both are required.
	Namespace, Fleet string
	// Seats is how many players a match takes. Required.
	Seats int
	// Client makes the requests, with the certificate that the service wants (AgonesClient). Nil means one
	// without.
	Client *http.Client

	rooms rooms
}

// The names of the ports of a server in the Fleet.
const (
	portHTTP = "http"
	portQUIC = "quic"
)

// selector chooses servers of a fleet, as the service has it.
type selector struct {
	Labels   map[string]string        `json:"matchLabels"`
	State    string                   `json:"gameServerState"`
	Counters map[string]counterBounds `json:"counters,omitempty"`
}

type counterBounds struct {
	MinAvailable int64 `json:"minAvailable,string"`
}

// Allocate implements Allocator. A server that has players and room for more comes before one that is empty, so
// that the fleet can shrink.
func (a *Agones) Allocate(ctx context.Context) (Place, error) {
	labels, free := map[string]string{"agones.dev/fleet": a.Fleet}, map[string]counterBounds{fleet.Players: {1}}
	body, _ := json.Marshal(map[string]any{ // cannot fail
		"namespace":           a.Namespace,
		"gameServerSelectors": []selector{{labels, "ALLOCATED", free}, {labels, "READY", nil}},
	})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL+"/gameserverallocation", bytes.NewReader(body))
	if err != nil {
		return Place{}, fmt.Errorf("front: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	by := a.Client
	if by == nil {
		by = web
	}
	var server struct {
		Name    string `json:"gameServerName"`
		Address string `json:"address"`
		Ports   []struct {
			Name string `json:"name"`
			Port int    `json:"port"`
		} `json:"ports"`
	}
	if err := do(by, r, &server); err != nil {
		var status *statusError
		if errors.As(err, &status) && (status.code == http.StatusTooManyRequests || status.code == http.StatusConflict) {
			return Place{}, ErrFull // no server is free, or another front door was faster
		}
		return Place{}, err
	}
	var p Place
	for _, port := range server.Ports {
		at := net.JoinHostPort(server.Address, strconv.Itoa(port.Port))
		switch port.Name {
		case portHTTP:
			p.URL = "http://" + at
		case portQUIC:
			p.QUIC = at
		}
	}
	if p.URL == "" || p.QUIC == "" {
		return Place{}, fmt.Errorf("front: server %s of the fleet has no ports named %q and %q: declare them in the Fleet", server.Name, portHTTP, portQUIC)
	}
	p.Match, err = a.rooms.find(ctx, p.URL, a.Seats)
	return p, err
}

// AgonesClient returns a client for an allocator service that wants a certificate, from PEM files as its
// documentation makes them; authority is the file of the authority that has signed the service's own.
func AgonesClient(certificate, key, authority string) (*http.Client, error) {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("front: %w", err)
	}
	pem, err := os.ReadFile(authority)
	if err != nil {
		return nil, fmt.Errorf("front: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("front: %s has no certificate", authority)
	}
	c := *web
	c.Transport = &http.Transport{TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots, MinVersion: tls.VersionTLS12}}
	return &c, nil
}

func (a *Agones) note(p Place) { a.rooms.note(p) }
