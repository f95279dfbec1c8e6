package client

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/backstep-net/backstep/transport/join"
)

// THR-75: a player in line at a front door keeps its place where one request is lost, since the front door keeps it for
// ten seconds. A front door that does not come back, or that gives no place, is an error.
func TestALostRequestKeepsThePlaceInLine(t *testing.T) {
	away := errors.New("connection refused")
	waits, seated := join.Answer{Place: 1, Ticket: "t1"}, join.Answer{Match: "field", Ticket: "t1"}
	for _, c := range []struct {
		what    string
		answers []any // in turn, the last one from then on
		want    error
	}{
		{"one is lost", []any{waits, away, seated}, nil},
		{"the front door is gone", []any{waits, away}, away},
		{"the first one is lost", []any{away, seated}, away},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := []string{}
			fetch := func(_ context.Context, url string) ([]byte, error) {
				answer := c.answers[min(len(asked), len(c.answers)-1)]
				asked = append(asked, url)
				if err, ok := answer.(error); ok {
					return nil, err
				}
				return json.Marshal(answer)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			s, err := Find(ctx, "front.example", Config{Fetch: fetch})
			if !errors.Is(err, c.want) || err == nil && s.Match != "field" {
				t.Errorf("%s: got %+v, %v; want the error %v", c.what, s, err, c.want)
			}
			if last := asked[len(asked)-1]; len(asked) > 1 && !strings.HasSuffix(last, "&ticket=t1") {
				t.Errorf("%s: asked %s, want its ticket in it", c.what, last)
			}
		})
	}
}
