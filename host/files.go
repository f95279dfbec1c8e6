package host

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
)

// Files serves what a Host serves beside its matches: the page in the folder web ("" for
// none) and the levels, by hash. Programs that show something else in the page use it. The
// error says what is wrong with the folder.
func Files(web string, levels map[string]Level) (http.Handler, error) {
	h := &Host{config: Config{Log: slog.New(slog.DiscardHandler)}, levels: map[string]*levelFiles{}}
	for hash, l := range levels {
		h.levels[hash] = newLevelFiles(hash, l)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /levels/{name}", h.serveLevel)
	if web != "" {
		if _, err := os.ReadDir(web); err != nil {
			return nil, fmt.Errorf("host: %w", err)
		}
		mux.Handle("GET /", pages(newPage(web), nil, noOthers))
	}
	return secure(mux), nil
}

// ModelPath returns the path at which Files and a Host serve a level's model, "" for a
// level without one.
func ModelPath(hash string, l Level) string { return newLevelFiles(hash, l).modelPath() }
