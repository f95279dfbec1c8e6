package predict

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

var update = flag.Bool("update", false, "rewrite testdata")

// Each file of testdata is a situation: orders, a line of ----, and what happened.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			orders, want, _ := strings.Cut(string(b), "----\n")
			got := play(orders)
			if *update {
				os.WriteFile(file, []byte(orders+"----\n"+got), 0o644)
			} else if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// setup is one owner and one authority, and the packets and verdicts that are kept
// by name until they are delivered.
type setup struct {
	strings.Builder
	o        *toyOwner
	a        *toyAuthority
	now      clock.Micros // match time
	at       clock.Micros // the owner's newest stamp
	packets  map[string][]byte
	verdicts map[string]*toyVerdict
}

// arguments of an order: positional ones by their number, and key=value ones.
type arguments map[string]string

func (w arguments) num(key string, or float64) float64 {
	if s, ok := w[key]; ok {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			panic(key + " needs a number")
		}
		return f
	}
	return or
}

func (w arguments) state(s toyState) toyState {
	s.Pos.X, s.Pos.Z = w.num("x", s.Pos.X), w.num("z", s.Pos.Z)
	s.Vel.X, s.Vel.Z = w.num("vx", s.Vel.X), w.num("vz", s.Vel.Z)
	s.Ammo = int(w.num("ammo", float64(s.Ammo)))
	return s
}

func play(orders string) string {
	s := &setup{packets: map[string][]byte{}, verdicts: map[string]*toyVerdict{}}
	s.o, s.a = newToyOwner(toyState{}), newToyAuthority(toyState{})
	for _, line := range strings.Split(orders, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		w := arguments{}
		for i, a := range f[1:] {
			if k, v, ok := strings.Cut(a, "="); ok {
				w[k] = v
			} else {
				w[strconv.Itoa(i)] = a
			}
		}
		fmt.Fprintf(s, "> %s\n", line)
		s.order(f[0], w)
	}
	return s.String()
}

func (s *setup) order(verb string, w arguments) {
	switch verb {
	case "start":
		start := w.state(toyState{Ammo: 5})
		s.o, s.a = newToyOwner(start), newToyAuthority(start)
	case "redundancy":
		s.o.Redundancy = int(w.num("0", 0))
		s.o.SetLoss(0, 0)
	case "link":
		s.o.SetLoss(w.num("loss", 0), int(w.num("run", 0)))
	case "combining":
		s.o.Combining = true
	case "frame":
		s.frame(w)
	case "pack":
		s.packets[w["0"]] = sealed(s.o, int(w.num("budget", 1000)))
		fmt.Fprintf(s, "%d bytes: %s\n", len(s.packets[w["0"]]), moves(&s.o.out))
	case "forge":
		s.forge(w)
	case "deliver":
		if err := open(s.a, s.now, s.packets[w["0"]]); err != nil {
			fmt.Fprintln(s, err)
		}
		s.run(w["quiet"] == "")
	case "wait":
		s.now += clock.Micros(w.num("0", 0) * 1000)
		s.at = max(s.at, s.now)
	case "teleport":
		s.a.SetState(w.state(*s.a.State()), 0, 0)
	case "modify":
		s.a.Modify(func(t *toyState) { *t = w.state(*t) })
	case "urgent":
		fmt.Fprintln(s, s.o.Urgent())
	case "corrections":
		for _, c := range s.o.RecentCorrections() {
			fmt.Fprintf(s, "%+v\n", c)
		}
	case "verdict":
		s.verdict(w["0"])
	case "answer":
		s.o.Receive(copied(s.verdicts[w["0"]]))
	case "ack":
		s.o.Receive(&toyVerdict{Number: uint32(w.num("0", 0))})
	case "correct":
		v := toyVerdict{Number: uint32(w.num("0", 0)), Correction: true, Teleports: s.o.teleports, Epoch: uint8(w.num("epoch", 1)), State: w.state(*s.o.State())}
		if w.num("teleport", 0) != 0 {
			v.Cause, v.Teleports = Teleport, v.Teleports+1
		}
		s.o.Receive(&v)
		fmt.Fprintf(s, "%+v\n", s.o.LastCorrection())
	case "owner":
		s.owner()
	case "authority":
		fmt.Fprintf(s, "%s, epoch %d\n%+v\n", toyLine(s.a.State()), s.a.epoch, s.a.Counters())
	default:
		panic("no order " + verb)
	}
}

// frame lets the owner make moves.
func (s *setup) frame(w arguments) {
	in := toyInput{X: int(w.num("x", 0)), Z: int(w.num("z", 0)), Fire: w.num("fire", 0) != 0}
	d := clock.Micros(w.num("us", 16680))
	for range int(w.num("0", 1)) {
		s.at += d
		s.now = max(s.now, s.at)
		c := s.o.Advance(s.at, d, in)
		if c != nil && w["quiet"] == "" {
			fmt.Fprintf(s, "%d at %d for %d: %s\n", c.Number, c.Stamp, c.Duration, toyLine(s.o.State()))
		}
		in.Fire = false
	}
}

// run lets the authority make its steps.
func (s *setup) run(verbose bool) {
	for s.a.Next(s.now) {
		what, c := "move", s.a.Command()
		if s.a.GapFill() {
			what = "missing time before"
		}
		if verbose {
			fmt.Fprintf(s, "%s %d at %d for %d: %s\n", what, c.Number, c.Stamp, c.Duration, toyLine(s.a.State()))
		}
	}
}

// forge makes a packet that no honest owner sends: successive numbers from a given stamp,
// all of a given duration.
func (s *setup) forge(w arguments) {
	var m packet[toyState, toyInput]
	m.count, m.epoch = int(w.num("count", 1)), uint8(w.num("epoch", 63))
	for i := range m.count {
		n := uint32(w.num("number", 1)) + uint32(i)
		d := clock.Micros(w.num("us", 16680))
		m.moves[i] = Command[toyInput]{n, clock.Micros(w.num("stamp", 0)) + clock.Micros(i)*d, d, toyInput{X: 1}}
	}
	var p bits.Packer
	p.Write(make([]byte, 1000))
	m.pack(&p, toy{}, s.now, nil)
	s.packets[w["0"]] = p.Bytes()
	if p.Err() != nil {
		fmt.Fprintln(s, p.Err())
	}
}

func (s *setup) verdict(name string) {
	v := s.a.Verdict(s.now)
	if v == nil {
		fmt.Fprintln(s, "nothing")
		return
	}
	s.verdicts[name] = copied(v)
	if v.Correction {
		what := [...]string{"correction", "server force", "teleport", "timeout correction", "throttle correction"}[v.Cause]
		fmt.Fprintf(s, what+" %d of move %d: %s\n", v.Epoch, v.Number, toyLine(&v.State))
	} else {
		fmt.Fprintf(s, "ack %d\n", v.Number)
	}
}

func (s *setup) owner() {
	fmt.Fprintf(s, "%s, epoch %d, view error %.4f\nsaved", toyLine(s.o.State()), s.o.Epoch(), s.o.ViewError())
	for i := range s.o.Unacked() {
		m := s.o.slot(s.o.oldest + uint32(i))
		if i < 3 || i >= s.o.Unacked()-3 {
			s.o.predicted(m.Number)
			fmt.Fprintf(s, " %d:%.4f", m.Number, s.o.replica.Pos.X)
		} else if i == 3 {
			fmt.Fprint(s, " …")
		}
	}
	fmt.Fprintf(s, "\n%+v\n", s.o.Counters())
}

func toyLine(s *toyState) string {
	return fmt.Sprintf("x %.6f z %.6f v %.6f %.6f ammo %d", s.Pos.X, s.Pos.Z, s.Vel.X, s.Vel.Z, s.Ammo)
}

// moves names the moves in a packet.
func moves(m *packet[toyState, toyInput]) string {
	if m.count == 0 {
		return fmt.Sprintf("no moves, epoch %d", m.epoch)
	}
	base := ""
	if m.baseline != nil {
		base = fmt.Sprintf(" on %d", m.baseline.Number)
	}
	return fmt.Sprintf("moves %d to %d%s, epoch %d", m.moves[0].Number, m.moves[m.count-1].Number, base, m.epoch)
}
