package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collected is a collector of OpenTelemetry, and the names of the spans that it was sent, each with its service.
type collected struct {
	mu    sync.Mutex
	spans []string
}

func (c *collected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	var q collector.ExportTraceServiceRequest
	if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(b, &q) != nil {
		http.Error(w, "not traces", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range q.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, of.Resource.Attributes[0].Value.GetStringValue()+" "+s.Name)
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// A server sends its traces to a collector, the last ones when it stops; without the flag it sends none. [THR-69]
func TestTracesReachACollector(t *testing.T) {
	for _, on := range []bool{true, false} {
		var c collected
		at := httptest.NewServer(&c)
		args := strings.Fields("serve --addr 127.0.0.1:0 --quic 127.0.0.1:0 --admin= --bots 0 --drain 10s")
		if on {
			args = append(args, "--traces", at.URL+"/v1/traces")
		}
		log, url, stop := started(t, regexp.MustCompile(`open (http\S+)`), args...)
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan string, 1)
		go func() { _, _, errs := say(ctx, "bots", "--url", url, "--n", "1"); left <- errs }()
		for deadline := time.Now().Add(patience); !strings.Contains(log.String(), "msg=joined"); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("no bot joins:\n%s", log)
			}
		}
		leave()
		if errs := <-left; errs != "" {
			t.Error(errs)
		}
		if code := stop(); code != exitFine {
			t.Errorf("traces %v: the server's exit code is %d", on, code)
		}
		at.Close()
		got, want := strings.Join(c.spans, ", "), ""
		if on {
			want = "backstep join, backstep drain"
		}
		if got != want {
			t.Errorf("traces %v: got %q, want %q", on, got, want)
		}
	}
}

// A collector that is not there costs a line in the log, and neither the server nor its end. [THR-69]
func TestTracesWithoutACollector(t *testing.T) {
	nobody := httptest.NewServer(nil)
	nobody.Close()
	began := time.Now()
	log, _, stop := started(t, regexp.MustCompile(`open (http\S+)`), "serve", "--addr", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--admin=", "--bots", "0", "--drain", "10s", "--traces", nobody.URL+"/v1/traces")
	if code := stop(); code != exitFine {
		t.Errorf("the server's exit code is %d", code)
	}
	if got := strings.Count(log.String(), "traces are not sent"); got != 1 {
		t.Errorf("%d lines of what is not sent, want 1:\n%s", got, log)
	}
	t.Logf("ended after %v", time.Since(began))
}
