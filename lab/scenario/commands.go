package scenario

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// MaxCommands is the largest number of lines of a file of commands, MaxPacked the largest size of
// one of its commands or states in bytes.
const (
	MaxCommands = 1 << 20
	MaxPacked   = 4096
)

// Commands are the commands of one player from a recording: the file that a player's key commands
// names. Its first line is "backstep commands 1"; the others are in order of time (µs since time
// zero):
//
//	zero TIME                   the match time of time zero, once, first
//	c END LASTS X Y Z COMMAND   a command that ends then, and the position of the feet after it
//	p TIME STATE                the server sets the state before the first tick at or after the time
//
// COMMAND and STATE are packed by the game, in hexadecimal. Lines with p are in order among
// themselves, and so are lines with c.
type Commands struct {
	// Zero is the match time that the recording has as its time zero, in µs. 0 leaves the choice to
	// the run.
	Zero     clock.Micros
	Commands []Command // the lines with c, with ends that ascend
	Places   []PlaceAt // the lines with p, in order of time
}

// Command is one recorded command.
type Command struct {
	// End is the match time since time zero at which the command ends, Lasts its duration.
	End, Lasts clock.Micros
	Position   geom.Vec3 // recorded position of the feet after it, m
	Packed     []byte    // as the game packs it, at most MaxPacked bytes
}

// PlaceAt is a state of the player that the server sets.
type PlaceAt struct {
	At     clock.Micros // match time since time zero
	Packed []byte       // the state as the game packs it, at most MaxPacked bytes
}

const commandsTitle = "backstep commands 1"

// AppendText appends the text of the file.
func (c *Commands) AppendText(dst []byte) []byte {
	dst = fmt.Appendf(dst, "%s\nzero %d\n", commandsTitle, c.Zero)
	places := c.Places
	for i := range c.Commands {
		k := &c.Commands[i]
		for len(places) > 0 && places[0].At < k.End {
			dst = fmt.Appendf(dst, "p %d %x\n", places[0].At, places[0].Packed)
			places = places[1:]
		}
		p := k.Position
		dst = fmt.Appendf(dst, "c %d %d %s %s %s %x\n", k.End, k.Lasts, shortest(p.X), shortest(p.Y), shortest(p.Z), k.Packed)
	}
	for i := range places {
		dst = fmt.Appendf(dst, "p %d %x\n", places[i].At, places[i].Packed)
	}
	return dst
}

func shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

var errCommands = errors.New("scenario: not a file of commands: its first line is not " + strconv.Quote(commandsTitle))

// ReadCommands parses the text of AppendText. The error names the line.
func ReadCommands(from io.Reader) (*Commands, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 4*MaxPacked)
	if !lines.Scan() || lines.Text() != commandsTitle {
		return nil, errCommands
	}
	c := &Commands{}
	for n := 2; lines.Scan(); n++ {
		if n > MaxCommands {
			return nil, fmt.Errorf("scenario: more than %d lines of commands", MaxCommands)
		}
		if err := c.line(strings.Fields(lines.Text())); err != nil {
			return nil, fmt.Errorf("scenario: commands, line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("scenario: commands: %w", err)
	}
	return c, nil
}

var errLine = errors.New("want zero TIME, c END LASTS X Y Z COMMAND, or p TIME STATE, in order of time")

// line parses one line.
func (c *Commands) line(words []string) error {
	switch {
	case len(words) == 2 && words[0] == "zero" && len(c.Commands)+len(c.Places) == 0:
		return instant(words[1], 0, &c.Zero)
	case len(words) == 3 && words[0] == "p":
		p := PlaceAt{}
		least := clock.Micros(0)
		if n := len(c.Places); n > 0 {
			least = c.Places[n-1].At
		}
		err := errors.Join(instant(words[1], least, &p.At), packed(words[2], &p.Packed))
		c.Places = append(c.Places, p)
		return err
	case len(words) == 7 && words[0] == "c":
		k := Command{}
		least := clock.Micros(0)
		if n := len(c.Commands); n > 0 {
			least = c.Commands[n-1].End + 1
		}
		err := errors.Join(instant(words[1], least, &k.End), instant(words[2], 0, &k.Lasts), packed(words[6], &k.Packed),
			metres(words[3], &k.Position.X), metres(words[4], &k.Position.Y), metres(words[5], &k.Position.Z))
		c.Commands = append(c.Commands, k)
		return err
	}
	return errLine
}

// instant parses a time that is not before another one.
func instant(word string, least clock.Micros, into *clock.Micros) error {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || clock.Micros(n) < least || clock.Micros(n) > MaxTime {
		return errLine
	}
	*into = clock.Micros(n)
	return nil
}

func metres(word string, into *float64) error {
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || !(x >= -1e6 && x <= 1e6) {
		return errLine
	}
	*into = x
	return nil
}

func packed(word string, into *[]byte) error {
	b, err := hex.AppendDecode(nil, []byte(word))
	if err != nil || len(b) > MaxPacked {
		return errLine
	}
	*into = b
	return nil
}
