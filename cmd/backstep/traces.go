package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"
)

// tracesFlag is the flag of the commands that can trace.
type tracesFlag struct {
	Traces string `placeholder:"URL" help:"Send OpenTelemetry traces of joins, checkpoints and draining to this address, OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces. Without it none are made."`
}

// check reports an address that is none.
func (f *tracesFlag) check() error {
	if u, err := url.Parse(f.Traces); f.Traces != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("--traces=%s: want a URL such as http://127.0.0.1:4318/v1/traces", f.Traces)
	}
	return nil
}

// lastTraces is how long a program that ends waits for its last traces to be taken.
const lastTraces = 2 * time.Second

// open returns what makes traces, nil without the flag, and what ends it. Errors of sending are logged once a minute;
// beyond what waits to be sent, traces are dropped. The variables OTEL_… of the environment have further settings, such
// as headers.
func (f *tracesFlag) open(log *slog.Logger) (trace.Tracer, func(), error) {
	if f.Traces == "" {
		return nil, func() {}, nil
	}
	exporter, err := otlptracehttp.New(context.Background(), otlptracehttp.WithEndpointURL(f.Traces))
	if err != nil {
		return nil, nil, fmt.Errorf("--traces=%s: %w", f.Traces, err)
	}
	warnings := rate.NewLimiter(rate.Every(time.Minute), 1)
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		if warnings.Allow() {
			log.Warn("traces are not sent", "to", f.Traces, "why", err)
		}
	}))
	of := resource.NewSchemaless(attribute.String("service.name", "backstep"), attribute.String("service.version", version()))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(of))
	return provider.Tracer("github.com/backstep-net/backstep"), func() {
		ctx, cancel := context.WithTimeout(context.Background(), lastTraces)
		defer cancel()
		_ = provider.Shutdown(ctx) // the handler has its errors
	}, nil
}
