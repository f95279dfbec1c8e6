package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"time"

	"github.com/alecthomas/kong"

	"github.com/backstep-net/backstep/cert"
	"github.com/backstep-net/backstep/front"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/setting"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport/origin"
)

type frontCommand struct {
	Addr       string         `default:":8088" help:"TCP address of the front door; port 0 picks a free one."`
	Web        string         `type:"path" placeholder:"DIR" help:"Folder of the built page (web/dist). The servers must allow the front door's host with --origin."`
	Server     []string       `sep:"none" placeholder:"URL" help:"A server to send players to, such as http://192.0.2.1:8080. May be repeated."`
	Agones     string         `placeholder:"URL" help:"The allocator service of Agones, instead of --server."`
	Namespace  string         `default:"default" help:"Namespace of the fleet."`
	Fleet      string         `default:"backstep" help:"Name of the fleet."`
	Cert       string         `name:"agones-cert" type:"path" placeholder:"FILE" help:"The client certificate for the allocator service, PEM; needs --agones-key and --agones-ca."`
	CertKey    string         `name:"agones-key" type:"path" placeholder:"FILE" help:"The private key of --agones-cert."`
	Authority  string         `name:"agones-ca" type:"path" placeholder:"FILE" help:"The authority that signed the certificate of the allocator service."`
	Seats      int            `default:"28" help:"Players of a match: --players of the servers without their --bots."`
	TokenKey   string         `name:"token-key" required:"" type:"path" placeholder:"FILE" help:"The key that makes connect tokens (backstep token key); the servers have it, or its .pub, as --token-key."`
	Queue      int            `default:"10000" placeholder:"N" help:"Maximum players in the queue."`
	Address    int            `name:"per-address" default:"12" placeholder:"N" help:"Maximum players in the queue from one address, this machine excepted; -1 for no limit."`
	Origin     []string       `sep:"none" placeholder:"HOST" help:"A host with pages that may join, such as game.example or *.game.example; * for any. May be repeated."`
	Proxy      []netip.Prefix `sep:"none" placeholder:"CIDR" help:"Addresses of a proxy, such as 127.0.0.1/32, that names the client in X-Forwarded-For. May be repeated."`
	TLSCert    string         `name:"tls-cert" type:"path" placeholder:"FILE" help:"A PEM certificate for HTTPS, reloaded when it changes; needs --tls-key."`
	TLSKey     string         `name:"tls-key" type:"path" placeholder:"FILE" help:"The private key of --tls-cert."`
	Admin      string         `default:"127.0.0.1:0" help:"TCP address of the admin port: metrics, health; \"\" opens none. Other machines need --admin-secret."`
	Secret     string         `name:"admin-secret" type:"path" placeholder:"FILE" help:"File with the secret of the admin port, sent as a bearer token or password."`
	NATS       string         `name:"nats" placeholder:"URL" help:"A NATS server over which several front doors share their players, such as nats://192.0.2.2:4222 or tls://nats.example."`
	NATSListen string         `name:"nats-listen" placeholder:"ADDR" help:"Run the NATS server in this front door, at a TCP address; the others connect to it with --nats."`
	NATSSecret string         `name:"nats-secret" type:"path" placeholder:"FILE" help:"File with the token of --nats or --nats-listen."`
	Drain      time.Duration  `default:"20s" help:"On SIGTERM or Ctrl-C, how long to continue serving the queue."`
	Log        string         `default:"text" enum:"text,json" placeholder:"FORMAT" help:"Format of the log: text or json."`
	tracesFlag
	configFlags
}

// Validate reports invalid flags. Kong calls it.
func (c *frontCommand) Validate() error {
	switch {
	case (len(c.Server) == 0) == (c.Agones == ""):
		return errors.New("give either --server, once or more, or --agones")
	case (c.Cert == "") != (c.CertKey == "") || (c.Cert == "") != (c.Authority == ""):
		return errors.New("--agones-cert, --agones-key and --agones-ca go together: give all three, or none")
	case c.Seats < 1:
		return fmt.Errorf("--seats=%d: want 1 or more", c.Seats)
	case c.Queue < 1 || c.Queue > 100_000:
		return fmt.Errorf("--queue=%d: want 1 to 100000", c.Queue)
	case c.Address < 1 && c.Address != -1:
		return fmt.Errorf("--per-address=%d: want 1 or more, or -1 for any number", c.Address)
	case c.NATS != "" && c.NATSListen != "":
		return errors.New("give either --nats or --nats-listen: one front door runs the server, the others name it")
	case c.Drain < 0:
		return fmt.Errorf("--drain=%v: want 0s or more", c.Drain)
	}
	for _, s := range append([]string{c.Agones}, c.Server...) {
		if u, err := url.Parse(s); s != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			return fmt.Errorf("%q is no server's URL: want something like http://192.0.2.1:8080", s)
		}
	}
	for _, o := range c.Origin {
		if err := origin.CheckPattern(o); err != nil {
			return fmt.Errorf("--origin=%s: %w", o, err)
		}
	}
	return c.tracesFlag.check()
}

// Run serves until the context ends.
func (c *frontCommand) Run(ctx context.Context, out output, call *kong.Context, from given) error {
	log := newLogger(out.errors, c.Log, false)
	config, err := c.prepare(log)
	if c.CheckConfig {
		return errors.Join(printSettings(out, call, from), err)
	}
	if err != nil {
		return err
	}
	shared, err := setting.Secret("--nats-secret", c.NATSSecret)
	if err != nil {
		return err
	}
	conn, stop, err := c.connectNATS(shared, log)
	if err != nil {
		return err
	}
	defer stop()
	config.NATS = conn
	tracer, endTraces, err := c.tracesFlag.open(log)
	if err != nil {
		return err
	}
	defer endTraces()
	config.Tracer = tracer
	f, err := front.New(config)
	if err != nil {
		return withAdvice(err)
	}
	log.Info("front door", "http", f.Addr().String(), "admin", addressOf(f.AdminAddr()), "version", version())
	err = f.Run(ctx)
	log.Info("stopped")
	return err
}

// prepare reads the files that the flags name.
func (c *frontCommand) prepare(log *slog.Logger) (config front.Config, err error) {
	key, err := token.ReadKey(c.TokenKey)
	if err == nil && !key.Issues() {
		err = fmt.Errorf("%s: it checks tokens and makes none: give the front door the other half", c.TokenKey)
	}
	if err != nil {
		return config, fmt.Errorf("--token-key: %w", err)
	}
	secret, err := setting.Secret("--admin-secret", c.Secret)
	if err != nil {
		return config, err
	}
	allocator, err := c.allocator()
	if err != nil {
		return config, err
	}
	certificate, err := cert.Open(cert.Options{File: c.TLSCert, Key: c.TLSKey}, log)
	if err != nil {
		return config, err
	}
	return front.Config{
		Addr: c.Addr, Allocator: allocator, Key: key, Queue: c.Queue, Limits: host.Limits{Connections: c.Address}, Origins: c.Origin,
		Proxies: c.Proxy, Certificate: certificate, Web: c.Web, Admin: c.Admin, AdminSecret: secret, Drain: c.Drain, Log: log,
	}, nil
}

// allocator returns where seats come from.
func (c *frontCommand) allocator() (front.Allocator, error) {
	if c.Agones == "" {
		return &front.Static{Servers: c.Server, Seats: c.Seats}, nil
	}
	a := &front.Agones{URL: c.Agones, Namespace: c.Namespace, Fleet: c.Fleet, Seats: c.Seats}
	if c.Cert == "" {
		return a, nil
	}
	var err error
	a.Client, err = front.AgonesClient(c.Cert, c.CertKey, c.Authority)
	return a, err
}
