package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// writeJSON writes v with a line for each key and for each element of an array.
func writeJSON(w io.Writer, v any) error {
	var compact bytes.Buffer
	e := json.NewEncoder(&compact)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	s := spreader{in: compact.Bytes()}
	s.all()
	_, err := w.Write(s.out)
	return err
}

// spreader breaks compact JSON into lines, but not inside the elements of arrays.
type spreader struct {
	in, out []byte
	open    []byte // the brackets around
	inline  int    // how many of them are within an element
}

func (s *spreader) all() {
	for i := 0; i < len(s.in); i++ {
		switch c := s.in[i]; c {
		case '"':
			end := i + closing(s.in[i:])
			s.out = append(s.out, s.in[i:end+1]...)
			i = end
		case '{', '[':
			s.enter(c, s.in[i+1])
		case '}', ']':
			s.leave(c, s.in[i-1])
		case ',':
			s.out = append(s.out, c)
			s.line(s.inline == 0)
		case ':':
			s.out = append(s.out, c, ' ')
		default:
			s.out = append(s.out, c)
		}
	}
}

// closing returns the index of the quote that ends the string at the beginning of b.
func closing(b []byte) int {
	for i := 1; ; i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
}

func (s *spreader) enter(c, next byte) {
	element := len(s.open) > 0 && s.open[len(s.open)-1] == '['
	s.open = append(s.open, c)
	s.out = append(s.out, c)
	switch {
	case s.inline > 0 || element:
		s.inline++
	case next != '}' && next != ']':
		s.line(true)
	}
}

func (s *spreader) leave(c, before byte) {
	s.open = s.open[:len(s.open)-1]
	switch {
	case s.inline > 0:
		s.inline--
	case before != '{' && before != '[':
		s.line(true)
	}
	s.out = append(s.out, c)
}

// line begins a new line, or adds a space.
func (s *spreader) line(really bool) {
	if !really {
		s.out = append(s.out, ' ')
		return
	}
	s.out = append(s.out, '\n')
	for range s.open {
		s.out = append(s.out, ' ', ' ')
	}
}
