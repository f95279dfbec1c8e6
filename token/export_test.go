package token

import "errors"

// Remembered returns how many used tokens the checker remembers.
func (c *Checker) Remembered() int { return len(c.used) }

// Bytes returns the bytes of a shared key, as another library would read them.
func Bytes(k Key) ([]byte, error) {
	if k.kind != shared {
		return nil, errors.New("not a shared key")
	}
	return []byte(k.bytes), nil
}
