package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/backstep-net/backstep/transport/origin"
)

// connectNATS connects a front door with the others, if there are any: over a server of NATS that runs somewhere, or
// over one of its own. stop closes both.
func (c *frontCommand) connectNATS(secret string, log *slog.Logger) (conn *nats.Conn, stop func(), err error) {
	options := []nats.Option{
		nats.Name("backstep front"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectWait(time.Second),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("NATS: this front door is alone until it is back", "why", err)
			}
		}),
	}
	if secret != "" {
		options = append(options, nats.Token(secret))
	}
	stop = func() {}
	switch {
	case c.NATSListen != "":
		s, err := serveNATS(c.NATSListen, secret)
		if err != nil {
			return nil, nil, fmt.Errorf("--nats-listen=%s: %w", c.NATSListen, err)
		}
		log.Info("NATS for other front doors", "at", s.Addr().String())
		stop = func() { s.Shutdown(); s.WaitForShutdown() }
		options = append(options, nats.InProcessServer(s))
	case c.NATS == "":
		return nil, stop, nil
	}
	if conn, err = nats.Connect(c.NATS, options...); err != nil {
		stop()
		return nil, nil, fmt.Errorf("--nats=%s: %w", c.NATS, err)
	}
	end := stop
	return conn, func() { conn.Close(); end() }, nil
}

// serveNATS runs a server of NATS in this process.
func serveNATS(address, secret string) (*natsserver.Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 {
		return nil, fmt.Errorf("%q is no port", port)
	}
	if secret == "" && !origin.Loopback(host) {
		return nil, errors.New("other machines reach it: give both --nats-secret, or listen on 127.0.0.1")
	}
	s, err := natsserver.NewServer(&natsserver.Options{Host: host, Port: n, Authorization: secret, NoSigs: true, NoLog: true, MaxPayload: 1 << 16})
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		s.Shutdown()
		return nil, errors.New("it cannot be opened: is the port in use?")
	}
	return s, nil
}
