package host_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
)

// A server with a tracer makes a span of each join, with its end: a seat, a seat after the queue, a match that is not
// there, a name that is none, a connection that is lost in the queue; and of checkpoints and draining. No span says who
// or where a player is. [THR-69]
func TestTraces(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	m := seat("arena", newMatchWithQueue(1, 4))
	m.Checkpoint = filepath.Join(t.TempDir(), "arena")
	s := openWith(t, host.Config{Matches: []host.MatchConfig{m}, Tracer: provider.Tracer("test"), Drain: time.Minute})
	lines := func(name string) (list []string) {
		for _, span := range spans.GetSpans() {
			if span.Name != name {
				continue
			}
			var attrs []string
			for _, a := range span.Attributes {
				attrs = append(attrs, fmt.Sprintf("%s=%s", strings.TrimPrefix(string(a.Key), "backstep."), a.Value.String()))
			}
			list = append(list, strings.TrimSpace(strings.Join(append(attrs, span.Status.Description), " ")))
		}
		return list
	}
	first := s.join("quic", "", "Ann", session.Key{})
	second := s.hello("websocket", "", "Bob", session.Key{})
	lost := s.hello("quic", "", "Carol", session.Key{})
	s.until("both wait", func() bool { return strings.Count(s.log.String(), "msg=connected") == 3 })
	lost.conn.Close("no patience")
	s.until("one is gone", func() bool { return len(lines("join")) == 2 })
	first.conn.Close("a seat is free")
	s.until("the next one has it", func() bool { return len(lines("join")) == 3 })
	nowhere := s.hello("quic", "nowhere", "Dan", session.Key{})
	s.until("it is refused", nowhere.conn.Closed)
	s.until("a checkpoint is written", func() bool { return len(lines("checkpoint")) > 0 })
	s.host.Drain()
	second.conn.Close("the end")
	<-s.ended

	want := []string{
		"transport=quic match=arena peer=1 player=1 reconnected=false",
		"transport=quic match=arena peer=3 disconnected",
		"transport=websocket match=arena peer=2 player=1 reconnected=false",
		`transport=quic host: no match "nowhere" here`,
	}
	if got := lines("join"); !slices.Equal(got, want) {
		t.Errorf("joins:\ngot\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := lines("checkpoint")[0]; !strings.HasPrefix(got, "match=arena bytes=") || got == "match=arena bytes=0" {
		t.Errorf("a checkpoint: got %q, want its match and its bytes", got)
	}
	if got := lines("drain"); len(got) != 1 {
		t.Errorf("%d spans of draining, want 1", len(got))
	}
}
