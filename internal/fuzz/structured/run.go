package structured

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

const (
	// Inputs names the variable of the environment with the number of inputs for each decoder.
	Inputs = "BACKSTEP_FUZZ_INPUTS"
	// Seed names the variable of the environment with the seed; 1 if it is not set.
	Seed = "BACKSTEP_FUZZ_SEED"
	// inTest is how many inputs a decoder gets in go test.
	inTest = 20_000
	// timed is how many inputs are timed together: reading a clock takes as long as decoding.
	timed = 256
	// maxMessages is how many messages a decoder's inputs are made from.
	maxMessages = 256
)

// Result is what a run of one decoder found.
type Result struct {
	Inputs   int           // how many there were
	Accepted int           // how many of them were accepted
	Took     time.Duration // all of them, with making them
	Slowest  time.Duration // the slowest input, the best of several times
	Bytes    uint64        // the most that an input allocated
}

// Run fuzzes decoders with structured inputs: 20,000 each, or as many as the environment says. It
// fails on a panic, on a property that an input breaks, and on an input that allocates more than
// the description allows. It logs a line for each, which internal/fuzz reads.
func Run(t *testing.T, decoders ...Decoder) {
	inputs, seed := fromEnvironment(Inputs, inTest), fromEnvironment(Seed, 1)
	for _, d := range decoders {
		t.Run(d.Name, func(t *testing.T) {
			r := newRunner(t, &d, uint64(seed))
			res := r.run(max(r.batch, inputs/max(d.Slow, 1)))
			t.Log(res.line(d.Name))
		})
	}
}

// line is what internal/fuzz reads.
func (r *Result) line(name string) string {
	return fmt.Sprintf("structured: %s inputs=%d accepted=%d ns=%d slowest=%d bytes=%d",
		name, r.Inputs, r.Accepted, r.Took.Nanoseconds(), r.Slowest.Nanoseconds(), r.Bytes)
}

func fromEnvironment(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// runner runs one decoder.
type runner struct {
	t        *testing.T
	d        *Decoder
	seed     uint64
	batch    int
	messages []Message
	into     []byte
	input    []byte // the one that is decoded now
	slow     sample // the batch that took longest, of those that did in their rounds
	large    sample // the round that allocated most
	Result
}

// sample is some inputs and what they cost.
type sample struct {
	inputs [][]byte
	cost   float64
}

func newRunner(t *testing.T, d *Decoder, seed uint64) *runner {
	r := &runner{t: t, d: d, seed: seed, batch: timed, into: make([]byte, 0, 2*maxInput)}
	if d.Unmeasured {
		r.batch = 1
	}
	for _, b := range d.Seeds {
		r.messages = append(r.messages, Message{b, Fields(b, d.Read)})
	}
	if len(r.messages) == 0 {
		r.messages = []Message{{}}
	}
	return r
}

// run decodes that many inputs, round by round.
func (r *runner) run(inputs int) *Result {
	defer r.keepPanic()
	begin := time.Now()
	for n := 0; r.Inputs < inputs; n++ {
		rnd := Rand(r.seed + uint64(n)<<32)
		r.round(&rnd, (inputs-r.Inputs+r.batch-1)/r.batch)
		r.learn(&rnd)
	}
	r.Took = time.Since(begin)
	r.measure()
	return &r.Result
}

// round decodes some batches, at most so many, between two looks at the memory, which stop the world.
func (r *runner) round(rnd *Rand, most int) {
	var before, after runtime.MemStats
	var slowest Rand
	cost, begin, n := time.Duration(0), *rnd, min(most, 64)
	runtime.ReadMemStats(&before)
	for range n {
		from := *rnd
		if took := r.decodeBatch(rnd); took > cost {
			slowest, cost = from, took
		}
	}
	runtime.ReadMemStats(&after)
	if r.d.Unmeasured {
		return
	}
	if cost := float64(after.TotalAlloc - before.TotalAlloc); cost > r.large.cost {
		r.large = sample{r.again(begin, min(n*r.batch, 1024)), cost}
	}
	// What else the machine does takes time too: what the batch took is the best of some times.
	inputs := r.again(slowest, r.batch)
	if cost := float64(r.best(inputs)); cost > r.slow.cost {
		r.slow = sample{inputs, cost}
	}
}

// decodeBatch makes the inputs of a batch and decodes them, and returns how long that took.
func (r *runner) decodeBatch(rnd *Rand) time.Duration {
	begin := time.Now()
	for range r.batch {
		r.input = r.next(rnd)
		accepted, broken := r.d.Decode(r.input)
		if broken != nil {
			r.keep()
			r.t.Fatalf("%s: %x: %v", r.d.Name, r.input, broken)
		}
		if accepted {
			r.Accepted++
		}
	}
	r.Inputs += r.batch
	return time.Since(begin)
}

// best returns what decoding takes, the best of three times.
func (r *runner) best(inputs [][]byte) time.Duration {
	best := time.Hour
	for range 3 {
		begin := time.Now()
		for _, b := range inputs {
			r.d.Decode(b)
		}
		best = min(best, time.Since(begin))
	}
	return best
}

// next makes one input.
func (r *runner) next(rnd *Rand) []byte {
	n := len(r.messages)
	m, other := &r.messages[rnd.Below(n)], &r.messages[rnd.Below(n)]
	r.into = Mutate(rnd, r.into, m, other)
	return r.into
}

// again returns inputs that were made before, since the last message was learnt.
func (r *runner) again(rnd Rand, n int) (all [][]byte) {
	for range n {
		all = append(all, append([]byte(nil), r.next(&rnd)...))
	}
	return all
}

// learn makes a message of an input that is accepted, if it finds one soon. The oldest that was
// learnt goes when there are too many.
func (r *runner) learn(rnd *Rand) {
	if r.d.Unmeasured {
		return // every sequence is accepted: there is nothing to learn
	}
	for range 64 {
		b := r.next(rnd)
		if ok, broken := r.d.Decode(b); !ok || broken != nil || len(b) > maxInput/2 {
			continue
		}
		b = append([]byte(nil), b...)
		m := Message{b, Fields(b, r.d.Read)}
		if len(r.messages) < maxMessages {
			r.messages = append(r.messages, m)
		} else if i := rnd.Below(maxMessages); i >= len(r.d.Seeds) {
			r.messages[i] = m
		}
		return
	}
}

// measure finds, of the batches that cost most, the input that costs most: its time is the best of
// several, since whatever else the machine does only adds to it.
func (r *runner) measure() {
	for _, b := range r.slow.inputs {
		r.Slowest = max(r.Slowest, min(r.best([][]byte{b}), r.best([][]byte{b}), r.best([][]byte{b})))
	}
	if r.large.cost < 16 {
		return // less than the smallest object: nothing was allocated
	}
	for _, b := range r.large.inputs {
		n := allocated(func() { r.d.Decode(b) })
		r.Bytes = max(r.Bytes, n)
		if bound := uint64(r.d.MaxBytes + r.d.PerByte*len(b)); n > bound {
			r.input = b
			r.keep()
			r.t.Fatalf("%s: %x allocates %d bytes, at most %d are allowed", r.d.Name, b, n, bound)
		}
	}
}

// allocated returns how many bytes a call allocates: the least of three, since the runtime
// allocates now and then too.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	least := ^uint64(0)
	for range 3 {
		runtime.ReadMemStats(&before)
		call()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
		if least == 0 {
			break
		}
	}
	return least
}

// keepPanic keeps the input of a panic before it goes on.
func (r *runner) keepPanic() {
	if p := recover(); p != nil {
		r.keep()
		panic(fmt.Sprintf("%s: input %x: %v", r.d.Name, r.input, p))
	}
}

// keep writes the input into the corpus of the fuzz target.
func (r *runner) keep() {
	if r.d.Target == "" {
		return
	}
	dir := filepath.Join("testdata", "fuzz", r.d.Target)
	text := fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n%s", r.input, r.d.Rest)
	name := fmt.Sprintf("structured-%x", sha256.Sum256(r.input))[:27]
	if os.MkdirAll(dir, 0o755) == nil {
		_ = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
	}
	r.t.Logf("the input is kept as %s", filepath.Join(dir, name))
}
