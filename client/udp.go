//go:build !js

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/join"
	"github.com/backstep-net/backstep/transport/udp"
)

// ticketAge is how old a ticket is used at most: it is valid for 30 s, and a level may have been downloaded since.
const ticketAge = 15 * time.Second

// errNoUDP is a server that offers no ticket.
var errNoUDP = errors.New("client: the server offers no UDP")

// UDP is the preferred [Transport]: sealed datagrams over UDP (transport/udp), with the ticket of the server's join
// answer, or a new one if that is old or was used. There is none under GOOS=js.
func UDP(ctx context.Context, s *Server) (transport.Conn, error) {
	if s.Answer.UDP == nil {
		return nil, errNoUDP
	}
	if time.Since(s.foundAt) > ticketAge {
		if err := s.newTicket(ctx); err != nil {
			return nil, err
		}
	}
	s.foundAt = time.Time{}
	ticket, err := udp.ParseTicket(s.Answer.UDP)
	if err != nil {
		return nil, fmt.Errorf("client: %s%s: %w", s.URL, join.Path, err)
	}
	return udp.Dial(ctx, s.Answer.QUIC, ticket)
}

// newTicket asks the server for another ticket.
func (s *Server) newTicket(ctx context.Context) error {
	b, err := s.Fetch(ctx, join.Path+"?match="+url.QueryEscape(s.Match))
	if err != nil {
		return err
	}
	var answer join.Answer
	if err := json.Unmarshal(b, &answer); err != nil {
		return fmt.Errorf("client: %s%s: %w", s.URL, join.Path, err)
	}
	if answer.UDP == nil {
		return errNoUDP
	}
	s.Answer.UDP = answer.UDP
	return nil
}
