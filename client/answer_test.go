package client

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/transport/join"
)

// FuzzAnswer: whatever a server answers to a join request is an error that names the address, or an answer
// that reads the same when it is written again. [THR-13]
func FuzzAnswer(f *testing.F) {
	whole, err := json.Marshal(join.Answer{Protocol: 3, Match: "duel", QUIC: "127.0.0.1:4433", CertHashes: []string{"00"}, WebSocket: "/ws"})
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{string(whole), `{}`, `[]`, `{"protocol":1e99}`, `{"cert_hashes":null}`, ``} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		answers := func(b []byte) Config {
			return Config{Fetch: func(context.Context, string) ([]byte, error) { return b, nil }}
		}
		s, err := Find(context.Background(), "localhost:1", answers(b))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "client: http://localhost:1") {
				t.Fatalf("the error does not say where it is from: %v", err)
			}
			return
		}
		again, err := json.Marshal(s.Answer)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Find(context.Background(), "localhost:1", answers(again))
		if err != nil || !reflect.DeepEqual(o.Answer, s.Answer) {
			t.Fatalf("%+v became %+v (%v)", s.Answer, o, err)
		}
	})
}
