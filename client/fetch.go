//go:build !js

package client

import (
	"context"
	"io"
	"net/http"
	"strings"
)

// web keeps no connection open between two requests: a client makes few.
var web = &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}

// fetch is Config.Fetch by default.
func fetch(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := web.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err == nil && res.StatusCode != http.StatusOK {
		text := http.StatusText(res.StatusCode) + ": " + strings.TrimSpace(string(b[:min(len(b), 200)]))
		return nil, &statusError{url, res.StatusCode, text}
	}
	return b, err
}
