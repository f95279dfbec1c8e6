package front

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics are the metrics of the admin port, for Prometheus.
type metrics struct {
	registry *prometheus.Registry
	waited   prometheus.Histogram
	failed   prometheus.Counter
	refused  *prometheus.CounterVec
}

func newMetrics(l *line) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		waited:   prometheus.NewHistogram(prometheus.HistogramOpts{Name: "backstep_front_wait_seconds", Help: "From the request to the seat.", Buckets: prometheus.ExponentialBuckets(.05, 2, 14)}),
		failed:   prometheus.NewCounter(prometheus.CounterOpts{Name: "backstep_front_allocations_failed_total", Help: "Allocations that failed, full servers left aside."}),
		refused:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "backstep_front_refused_total", Help: "Players that were refused, by cause."}, []string{"cause"}),
	}
	m.registry.MustRegister(m.waited, m.failed, m.refused,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "backstep_front_waiting", Help: "Players in the queue."}, func() float64 { return float64(l.waiting()) }),
	)
	return m
}
