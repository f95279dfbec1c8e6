package setting

import (
	"io"
	"log/slog"
)

// LogLevel returns the lowest level that a server logs.
func LogLevel(verbose bool) slog.Level {
	if verbose {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// durationAsText makes durations of a JSON line text with a unit, as in the other format: the handler writes bare
// nanoseconds.
func durationAsText(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// NewLogger returns what the settings log and verbose mean: format is "json" or "text".
func NewLogger(to io.Writer, format string, verbose bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: LogLevel(verbose)}
	if format == "json" {
		options.ReplaceAttr = durationAsText
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}
