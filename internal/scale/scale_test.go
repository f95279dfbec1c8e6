// Package scale prints the tables of docs/scale.md from what was measured and what is assumed.
package scale

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/internal/bench/edge"
)

// What is assumed about fleets.
const (
	load     = 0.5  // share of a core that is used when a fleet is as full as it should be
	free     = 0.2  // seats that are kept free
	overhead = 1.35 // bytes on the wire for each of payload: QUIC, UDP, IP

	corePrice   = 25.0  // dollars a month for a dedicated core with 2 GB
	egressPrice = 0.01  // dollars a GB: of a provider for games; the large clouds take 0.05 to 0.09
	cloudEgress = 0.08  // dollars a GB there
	hours       = 730.0 // of a month
	average     = 0.5   // players on average, of those at the peak
)

// fleet is what so many players at the peak need.
type fleet struct {
	cores, gigabits, terabytes float64
}

// of returns what players at the peak need of which the measured step of backstep bench capacity had some.
func of(players float64, measured *edge.Step) fleet {
	rate := players * measured.Down * overhead // kB/s at the peak
	return fleet{
		cores:     players * measured.ServerUsed / float64(measured.Players) / load * (1 + free),
		gigabits:  rate * 8 / 1e6,
		terabytes: rate * average * hours * 3600 / 1e9,
	}
}

// The table of docs/scale.md: what 1,000, 100,000 and ten million players need, in matches of 20 at 60 Hz over QUIC as
// docs/capacity.json has them.
func TestFleetTable(t *testing.T) {
	report, err := edge.ReadCapacity("../../docs/capacity.json")
	if err != nil {
		t.Fatal(err)
	}
	measured := report.Measured("match20_60", "quic")
	if measured == nil {
		t.Fatal("docs/capacity.json has no step of match20_60 over quic: print docs/scale.md again on an idle machine")
	}
	fmt.Println("| players at the peak | cores | down at the peak | down a month | cores a month | traffic a month at $0.01/GB | at $0.08/GB |")
	fmt.Println("|---:|---:|---:|---:|---:|---:|---:|")
	for _, players := range []float64{1e3, 1e5, 1e7} {
		f := of(players, measured)
		fmt.Printf("| %s | %s | %s Gbit/s | %s TB | $%s | $%s | $%s |\n", short(players), short(f.cores), short(f.gigabits),
			short(f.terabytes), short(f.cores*corePrice), short(f.terabytes*1000*egressPrice), short(f.terabytes*1000*cloudEgress))
	}
	if small, large := of(1e3, measured), of(1e6, measured); large.cores < 999*small.cores || large.terabytes < 999*small.terabytes {
		t.Errorf("a thousand times the players need %v, and %v need less", large, small)
	}
}

// short writes two to four digits of a number, with its thousands.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.3g million", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%.0f,000", v/1e3)
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
