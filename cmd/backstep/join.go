package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/join"
	"github.com/backstep-net/backstep/transport/quic"
	"github.com/backstep-net/backstep/transport/quic/quicserver"
	"github.com/backstep-net/backstep/transport/websocket"
)

// maxResponse bounds an HTTP response of the server, in bytes: levels are a few megabytes, and a
// wrong address may answer without end.
const maxResponse = 64 << 20

// target is a match on a server, as /api/join describes it, and its level.
type target struct {
	base  *url.URL
	join  join.Answer
	world *collide.World
	mesh  *nav.Mesh // shared by all bots; made by bakeMesh
}

// findTarget asks the server at base for a match and downloads its level.
func findTarget(ctx context.Context, base, match string) (*target, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("--url=%s: want something like http://localhost:8080", base)
	}
	v := &target{base: u}
	b, err := v.fetch(ctx, "/api/join?match="+url.QueryEscape(match))
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("--url=%s: no server answers there; backstep serve starts one", base)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &v.join); err != nil {
		return nil, fmt.Errorf("%s/api/join: %w", base, err)
	}
	if b, err = v.fetch(ctx, v.join.World); err != nil {
		return nil, err
	}
	if v.world, err = collide.Unpack(b); err != nil {
		return nil, fmt.Errorf("%s%s: %w", base, v.join.World, err)
	}
	if got := v.world.Hash(); got != v.join.Level {
		return nil, fmt.Errorf("%s%s: the level's hash is %s, not %s", base, v.join.World, got, v.join.Level)
	}
	return v, nil
}

// bakeMesh bakes the bots' navigation mesh before they join, starting at the spawn points
// of the level's model if there is one. It takes some tenths of a second, during which a
// joined bot would not receive anything.
func (v *target) bakeMesh(ctx context.Context) error {
	var feet []geom.Vec3
	if v.join.Model != "" {
		b, err := v.fetch(ctx, v.join.Model)
		if err != nil {
			return err
		}
		l, err := level.Read(b)
		if err != nil {
			return fmt.Errorf("%s%s: %w", v.base, v.join.Model, err)
		}
		for _, s := range l.Spawns {
			feet = append(feet, s.Position)
		}
	}
	var err error
	v.mesh, err = arena.Mesh(v.world, feet...)
	return err
}

func (v *target) fetch(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	from := strings.TrimSuffix(v.base.String(), "/") + path
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", from, res.Status, strings.TrimSpace(string(b)))
	}
	return b, err
}

// dial connects to the match by the named transport, in at most 10 s. QUIC trusts exactly the
// certificates whose hashes /api/join names: no authority signs those that a server makes itself.
func (v *target) dial(ctx context.Context, kind string) (transport.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if kind == "websocket" {
		u := *v.base
		u.Scheme, u.Path = "ws"+strings.TrimPrefix(u.Scheme, "http"), v.join.WebSocket
		return websocket.Dial(ctx, u.String())
	}
	var hashes []quic.Hash
	for _, s := range v.join.CertHashes {
		var h quic.Hash
		if n, err := hex.Decode(h[:], []byte(s)); err != nil || n != len(h) {
			return nil, fmt.Errorf("%s/api/join: %q is not a certificate hash", v.base, s)
		}
		hashes = append(hashes, h)
	}
	if kind == "webtransport" {
		return quicserver.DialWebTransport(ctx, v.join.QUIC, hashes)
	}
	return quic.Dial(ctx, v.join.QUIC, hashes)
}
