package transport_test

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// What one datagram there and one back costs at a game's pace (a pair every
// 2 ms), both ends and the kernel's part together: cpu-µs/op is the figure,
// ns/op is just the pace.
func BenchmarkEchoPerDatagram(b *testing.B) {
	for _, r := range testTransports[:5] {
		b.Run(r.name, func(b *testing.B) {
			client, server := r.open(b)
			gram := make([]byte, 200)
			var in []transport.Packet
			got := 0
			b.ReportAllocs()
			b.ResetTimer()
			before := cpuTime()
			for range b.N {
				client.Datagrams(gram)
				time.Sleep(time.Millisecond)
				in = server.Drain(in[:0])
				got += len(in)
				server.Datagrams(gram)
				time.Sleep(time.Millisecond)
				in = client.Drain(in[:0])
				got += len(in)
			}
			b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N), "cpu-µs/op")
			if got < 2*b.N-2 {
				b.Logf("%d of %d came", got, 2*b.N)
			}
		})
	}
}

// What the caller's tick pays to hand over two datagrams.
func BenchmarkHandOverOfASet(b *testing.B) {
	for _, r := range testTransports[:4] {
		b.Run(r.name, func(b *testing.B) {
			_, server := r.open(b)
			one, two := make([]byte, 1000), make([]byte, 500)
			b.ReportAllocs()
			for range b.N {
				server.Datagrams(one, two)
			}
		})
	}
}

// How fast a level comes: messages of 32 KiB, as fast as they are taken.
func BenchmarkStream(b *testing.B) {
	for _, r := range testTransports[:4] {
		b.Run(r.name, func(b *testing.B) {
			client, server := r.open(b)
			msg := make([]byte, 32<<10)
			b.SetBytes(int64(len(msg)))
			sent, got := 0, 0
			var in []transport.Packet
			for begin := time.Now(); got < b.N; {
				if sent < b.N && server.Stream(msg) == nil {
					sent++
				} else {
					time.Sleep(100 * time.Microsecond)
				}
				in = client.Drain(in[:0])
				got += len(in)
				if time.Since(begin) > time.Minute {
					b.Fatalf("%d of %d came", got, b.N)
				}
			}
		})
	}
}
