package mem

import "time"

// Profile returns a named network, for users that do not know their jitter: "perfect",
// "lan", "fibre", "wifi", "mobile" or "awful". The figures are this project's choices, for
// each direction. ok is false for any other name; see [ProfileNames].
func Profile(name string) (n Network, ok bool) {
	for _, p := range profiles {
		if p.name == name {
			return p.network, true
		}
	}
	return Network{}, false
}

// ProfileNames returns the names that [Profile] knows, from good to bad.
func ProfileNames() []string {
	var names []string
	for _, p := range profiles {
		names = append(names, p.name)
	}
	return names
}

const ms = time.Millisecond

var profiles = [...]struct {
	name    string
	network Network
}{
	{"perfect", Network{}},
	{"lan", Network{RTT: 2 * ms, Jitter: 1 * ms}},
	{"fibre", Network{RTT: 20 * ms, Jitter: 3 * ms, Loss: 0.001}},
	{"wifi", Network{RTT: 60 * ms, Jitter: 15 * ms, Loss: 0.01, Burst: Burst{Enter: 0.002, Leave: 0.4}}},
	{"mobile", Network{RTT: 110 * ms, Jitter: 35 * ms, Loss: 0.02, Burst: Burst{Enter: 0.004, Leave: 0.25}, Reorder: 0.01}},
	{"awful", Network{RTT: 200 * ms, Jitter: 60 * ms, Loss: 0.08, Burst: Burst{Enter: 0.01, Leave: 0.2}, Duplicate: 0.01, Reorder: 0.03}},
}
