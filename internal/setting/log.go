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

// NewLogger returns what the settings log and verbose mean: format is "json" or "text".
func NewLogger(to io.Writer, format string, verbose bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: LogLevel(verbose)}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}
