package host

import (
	"context"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// What a quiet handler writes in one window: of one kind of line about one address, and of one kind in all.
// Errors are always written.
const (
	quietWindow     = 10 * time.Second
	quietPerAddress = 6
	quietPerKind    = 60
)

// quiet is a log that no client can flood: beyond so many lines of a kind it counts, and says at the end of
// the window how many it left out. The kind of a line is its message, and the attribute "from" its address.
// [THR-36]
type quiet struct {
	next slog.Handler
	kept *quietCounts // of all handlers that were derived from one
}

// quietCounts is what was written in a window.
type quietCounts struct {
	mu    sync.Mutex
	began time.Time
	kinds map[string]*quietKind
}

// quietKind is one kind of line.
type quietKind struct {
	written, left int
	addresses     map[netip.Prefix]int // written of each
}

func newQuiet(next slog.Handler) *quiet {
	return &quiet{next, &quietCounts{kinds: map[string]*quietKind{}}}
}

// Enabled implements slog.Handler.
func (q *quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return q.next.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (q *quiet) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &quiet{q.next.WithAttrs(attrs), q.kept}
}

// WithGroup implements slog.Handler.
func (q *quiet) WithGroup(name string) slog.Handler { return &quiet{q.next.WithGroup(name), q.kept} }

// Handle implements slog.Handler.
func (q *quiet) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		return q.next.Handle(ctx, r)
	}
	said, write := q.kept.take(&r)
	for _, s := range said {
		if err := q.next.Handle(ctx, s); err != nil {
			return err
		}
	}
	if !write {
		return nil
	}
	return q.next.Handle(ctx, r)
}

// flush says what was left out so far: at the end.
func (q *quiet) flush() {
	q.kept.mu.Lock()
	said := q.kept.summary(time.Now())
	clear(q.kept.kinds)
	q.kept.mu.Unlock()
	for _, s := range said {
		_ = q.next.Handle(context.Background(), s)
	}
}

// take counts a line, and reports whether to write it. Where a window is over it returns what to say of it.
func (c *quietCounts) take(r *slog.Record) (said []slog.Record, write bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Time.Sub(c.began) >= quietWindow {
		said = c.summary(r.Time)
		c.began = r.Time
		clear(c.kinds)
	}
	k := c.kinds[r.Message]
	if k == nil {
		k = &quietKind{addresses: map[netip.Prefix]int{}}
		c.kinds[r.Message] = k
	}
	block := addressOf(r)
	if k.written >= quietPerKind || block.IsValid() && k.addresses[block] >= quietPerAddress {
		k.left++
		return said, false
	}
	k.written++
	k.addresses[block]++
	return said, true
}

// summary returns a line for each kind of which lines were left out, by the order of their messages.
func (c *quietCounts) summary(now time.Time) (said []slog.Record) {
	for _, message := range slices.Sorted(maps.Keys(c.kinds)) {
		if left := c.kinds[message].left; left > 0 {
			r := slog.NewRecord(now, slog.LevelInfo, "lines left out of the log", 0)
			r.AddAttrs(slog.String("kind", message), slog.Int("lines", left), slog.Duration("since", now.Sub(c.began)))
			said = append(said, r)
		}
	}
	return said
}

// addressOf returns the address that a line is about.
func addressOf(r *slog.Record) (block netip.Prefix) {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "from" {
			block = transport.AddressBlock(a.Value.String())
		}
		return a.Key != "from"
	})
	return block
}
