package fleet

import (
	"context"
	"os"
	"time"
)

// Host is a Server that can be run: host.Host.
type Host interface {
	Server
	// Run serves until the context ends or Drain is called, and then as long as its matches last.
	Run(ctx context.Context) error
}

// The end of a member of a fleet.
const (
	shutdownTimeout = 5 * time.Second  // for the sidecar to take Shutdown
	sigtermTimeout  = 30 * time.Second // for SIGTERM to come after it
)

// Run runs a server. Where the environment names a sidecar (PortVariable), the server is reported to it for as long
// as it runs, also while it drains: a server that says nothing would be removed with its players. At its end it
// asks to be removed, and waits for SIGTERM, the end of the context. There is no flag for it: Agones sets the
// variable, and on a machine without Agones the same program runs without a sidecar. Config.Port is not read. [THR-74]
func Run(ctx context.Context, config Config, h Host) error {
	if config.Port = os.Getenv(PortVariable); config.Port == "" {
		return h.Run(ctx)
	}
	a := New(config, h)
	reported, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() { defer close(ended); a.Run(reported) }()
	err := h.Run(ctx)
	stop()
	<-ended
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if e := a.Shutdown(soon); e != nil {
		a.log.Warn("fleet: shutdown", "why", e)
		return err
	}
	select {
	case <-ctx.Done():
	case <-time.After(sigtermTimeout):
	}
	a.sidecar.client.CloseIdleConnections()
	return err
}
