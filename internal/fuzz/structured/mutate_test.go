package structured

import (
	"bytes"
	"slices"
	"testing"
)

// bitsOf returns the bits of bytes, one by one, the least of each byte first.
func bitsOf(b []byte) (list []bool) {
	for i := range 8 * len(b) {
		list = append(list, b[i/8]>>(i%8)&1 == 1)
	}
	return list
}

// drawn returns bytes at random.
func drawn(r *Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint64())
	}
	return b
}

// Bits that are read, set and copied are those of a list of bits; the others stay as they were.
func TestBitsAgainstAList(t *testing.T) {
	const seed = 3
	r := Rand(seed)
	for range 20_000 {
		b := drawn(&r, 1+r.Below(24))
		at := r.Below(8 * len(b))
		n := 1 + r.Below(min(64, 8*len(b)-at))
		list := bitsOf(b)
		want := uint64(0)
		for i := range n {
			if list[at+i] {
				want |= 1 << i
			}
		}
		if got := getBits(b, at, n); got != want {
			t.Fatalf("seed %d: %d bits from %d of %x are %x, want %x", seed, n, at, b, got, want)
		}
		v := r.Uint64()
		setBits(b, at, n, v)
		for i := range n {
			list[at+i] = v>>i&1 == 1
		}
		if !slices.Equal(bitsOf(b), list) {
			t.Fatalf("seed %d: %d bits from %d set to %x: %x", seed, n, at, v, b)
		}
		src := drawn(&r, 1+r.Below(40))
		from := r.Below(8 * len(src))
		n = r.Below(min(8*len(src)-from, 8*len(b)-at) + 1)
		copy(list[at:at+n], bitsOf(src)[from:])
		if copyBits(b, at, src, from, n); !slices.Equal(bitsOf(b), list) {
			t.Fatalf("seed %d: %d bits from %d of %x copied to %d: %x", seed, n, from, src, at, b)
		}
	}
}

// A message that is cut has its bits up to there and zeros behind them; one that is spliced goes on with
// the end of another message, from one of its fields on.
func TestCutAndSplicedMessages(t *testing.T) {
	const seed = 4
	r := Rand(seed)
	for range 5000 {
		b, rest := drawn(&r, 1+r.Below(30)), drawn(&r, r.Below(30))
		before := bitsOf(b)
		at := r.Below(8 * len(b))
		short := cut(bytes.Clone(b), at)
		if got := bitsOf(short); len(short) != (at+7)/8 || !slices.Equal(got[:at], before[:at]) || slices.Contains(got[at:], true) {
			t.Fatalf("seed %d: %x cut at bit %d is %x", seed, b, at, short)
		}
		other := Message{Bytes: rest}
		if len(rest) > 0 {
			other.Fields = []int{0, r.Below(8 * len(rest))}
		}
		got := bitsOf(splice(&r, bytes.Clone(b), at, &other))
		ok := len(rest) == 0 && len(got) == 8*len(short)
		for _, from := range other.Fields {
			end := bitsOf(rest)[from:]
			ok = ok || len(got) >= at+len(end) && slices.Equal(got[:at], before[:at]) && slices.Equal(got[at:at+len(end)], end) && !slices.Contains(got[at+len(end):], true) && len(got) < at+len(end)+8
		}
		if !ok {
			t.Fatalf("seed %d: %x cut at bit %d and gone on with a field of %x: %v", seed, b, at, rest, got)
		}
	}
}

// No mutation grows beyond the longest input, unless the message is longer itself, and none changes the
// message that it is made from, or the other one.
func TestMutationsStayWithinBounds(t *testing.T) {
	const seed = 5
	r := Rand(seed)
	var into []byte
	for _, size := range []int{0, 1, 7, maxInput - 1, maxInput, maxInput + 40} {
		m, other := Message{Bytes: drawn(&r, size)}, Message{Bytes: drawn(&r, maxInput-3), Fields: []int{0, 9, 100, 8*maxInput - 40}}
		if size == 7 || size == maxInput { // of the others the fields are not known: bits at random
			m.Fields = []int{0, 5, 8*size - 3}
		}
		mine, its := bytes.Clone(m.Bytes), bytes.Clone(other.Bytes)
		for range 2000 {
			if into = Mutate(&r, into, &m, &other); len(into) > max(size, maxInput) {
				t.Fatalf("seed %d: %d bytes of a message of %d, want %d at most", seed, len(into), size, max(size, maxInput))
			}
		}
		if !bytes.Equal(m.Bytes, mine) || !bytes.Equal(other.Bytes, its) {
			t.Errorf("seed %d: a message of %d bytes was changed itself", seed, size)
		}
	}
}

// What is left of a failing input has no byte that it could do without, and none that could be less by
// one; no more inputs are tried than were allowed.
func TestWhatIsLeftIsNeeded(t *testing.T) {
	const seed = 6
	r := Rand(seed)
	for range 60 {
		a, b, sum := byte(1+r.Below(255)), byte(1+r.Below(255)), 1+r.Below(600)
		fails := func(in []byte) bool { // two bytes in their order, and a sum
			i, total := bytes.IndexByte(in, a), 0
			for _, v := range in {
				total += int(v)
			}
			return total >= sum && i >= 0 && bytes.IndexByte(in[i+1:], b) >= 0
		}
		in := append(append(drawn(&r, r.Below(60)), a, 200, 200, 200, b), drawn(&r, r.Below(60))...)
		calls := 0
		got := Shrink(in, 20_000, func(in []byte) bool { calls++; return fails(in) })
		if !fails(got) || len(got) > len(in) || calls > 20_000 {
			t.Fatalf("seed %d: %x of %x after %d calls does not fail", seed, got, in, calls)
		}
		for i := range got {
			if without := slices.Delete(bytes.Clone(got), i, i+1); fails(without) {
				t.Fatalf("seed %d: %x fails without byte %d", seed, got, i)
			}
			if less := bytes.Clone(got); less[i] > 0 {
				if less[i]--; fails(less) {
					t.Fatalf("seed %d: %x fails with byte %d less", seed, got, i)
				}
			}
		}
		calls = 0
		if Shrink(in, 9, func(in []byte) bool { calls++; return fails(in) }); calls > 9 {
			t.Fatalf("seed %d: %d calls, want 9 at most", seed, calls)
		}
	}
}

// Numbers below a bound are below it, and each of them comes as often as the others; one seed gives one
// sequence.
func TestNumbersBelowABound(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 64} {
		r, again := Rand(9), Rand(9)
		count := make([]int, n)
		for range 1000 * n {
			v := r.Below(n)
			if v != again.Below(n) || v < 0 || v >= n {
				t.Fatalf("below %d: %d, or another one the second time", n, v)
			}
			count[v]++
		}
		if slices.Min(count) < 850 || slices.Max(count) > 1150 {
			t.Errorf("below %d: %v, want about 1000 each", n, count)
		}
	}
}
