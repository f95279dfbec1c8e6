package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// server is backstep serve as a process.
type server struct {
	*process
	url, quic, admin string
}

// startServer starts it with a match for every so many bots, and waits until it answers.
func startServer(ctx context.Context, o options, folder string) (*server, error) {
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close() // the process has its own
	s := &server{url: "http://" + ports[0], quic: ports[1], admin: "http://" + ports[2]}
	matches := max(1, (o.bots+o.seats-1)/o.seats)
	s.process, err = startLogged(context.WithoutCancel(ctx), log, serverCore, o.backstep, "serve", "--addr", ports[0], "--quic", ports[1], "--admin", ports[2],
		"--matches", strconv.Itoa(matches), "--players", strconv.Itoa(o.seats+4), "--bots", "0", "--per-address=-1",
		"--checkpoint", filepath.Join(folder, "checkpoints"))
	if err != nil {
		return nil, err
	}
	for range 200 {
		if _, err = s.status(); err == nil {
			return s, nil
		}
		if !sleep(ctx, 100*time.Millisecond) {
			break
		}
	}
	s.stop()
	return nil, fmt.Errorf("the server does not answer: %w", err)
}

// freePorts returns addresses of loopback that nothing listens on, for TCP and UDP.
func freePorts(n int) (addresses []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}

// match is what the siege reads of a match's status.
type match struct {
	Connections int     `json:"connections"`
	TickP99     float64 `json:"tick_p99_ms"`
	TickMax     float64 `json:"tick_max_ms"`
	Missed      int64   `json:"ticks_missed"`
}

// status asks the admin port.
func (s *server) status() ([]match, error) {
	b, err := get(s.admin + "/status")
	if err != nil {
		return nil, err
	}
	var status struct{ Matches []match }
	return status.Matches, json.Unmarshal(b, &status)
}

// asking is the client of the admin port.
var asking = &http.Client{Timeout: 5 * time.Second}

// get reads a page.
func get(url string) ([]byte, error) {
	res, err := asking.Get(url)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}

// sample is the server at an instant.
type sample struct {
	at     time.Time
	cpu    time.Duration // processor time so far
	heap   float64       // MB that the last garbage collection left
	missed int64         // ticks of all matches
}

func (s *server) sample() (sample, error) {
	v := sample{at: time.Now()}
	matches, err := s.status()
	if err != nil {
		return v, err
	}
	for _, m := range matches {
		v.missed += m.Missed
	}
	text, err := get(s.admin + "/metrics")
	if err != nil {
		return v, err
	}
	metrics := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			metrics[name] = n
		}
	}
	heap, ok := metrics["go_gc_heap_live_bytes"]
	cpu, ok2 := metrics["process_cpu_seconds_total"]
	if !ok || !ok2 { // zeros would be printed as a server that costs nothing
		return v, errors.New("the metrics of the server lack its live heap or its processor time")
	}
	v.heap, v.cpu = heap/(1<<20), time.Duration(cpu*float64(time.Second))
	return v, nil
}

// worst is the worst that was seen of a server in a phase.
type worst struct {
	p99, tick float64 // ms: the 99th percentile of a match, and its longest tick
	heap      float64 // MB
}

// watch asks twice a second until the context ends.
func (s *server) watch(ctx context.Context) (w worst) {
	for sleep(ctx, 500*time.Millisecond) {
		matches, err := s.status()
		if err != nil {
			continue // an admin port that answers late is seen in the ticks
		}
		for _, m := range matches {
			w.p99, w.tick = max(w.p99, m.TickP99), max(w.tick, m.TickMax)
		}
		if v, err := s.sample(); err == nil {
			w.heap = max(w.heap, v.heap)
		}
	}
	return w
}
