package host

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
)

// noTracer makes spans that are nowhere.
var noTracer = noop.NewTracerProvider().Tracer("")

// joinSpan is the time from a player's hello to its seat. It has no name, account or address of the player: the log
// has them, with the same peer. The zero joinSpan has ended.
type joinSpan struct{ span trace.Span }

// beginJoin begins the span of a connection whose hello has arrived.
func beginJoin(tracer trace.Tracer, conn transport.Conn) joinSpan {
	_, span := tracer.Start(context.Background(), "join", trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attribute.String("backstep.transport", conn.Kind())))
	return joinSpan{span}
}

// at notes the match and the peer, by which the log knows the connection.
func (s *joinSpan) at(match string, peer session.Peer) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String("backstep.match", match), attribute.Int64("backstep.peer", int64(peer)))
	}
}

// seated ends the span with the player's seat.
func (s *joinSpan) seated(player session.PlayerID, reconnected bool) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int("backstep.player", int(player)), attribute.Bool("backstep.reconnected", reconnected))
		s.span.End()
		s.span = nil
	}
}

// failed ends the span with the reason for which the player has no seat.
func (s *joinSpan) failed(why string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, why)
		s.span.End()
		s.span = nil
	}
}

// tracePast traces what has just ended and began at a time; the error may be nil.
func tracePast(tracer trace.Tracer, name string, began time.Time, err error, attrs ...attribute.KeyValue) {
	_, span := tracer.Start(context.Background(), name, trace.WithTimestamp(began), trace.WithAttributes(attrs...))
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}
