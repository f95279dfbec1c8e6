package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// draft is a file that is being written. It takes its name only when all is well;
// until then, what had the name stays as it was.
type draft struct {
	flag string // that asked for it, for errors
	path string
	file *os.File
	temp string // "" where it is written in place: a device, a pipe
}

// openDraft opens a draft for what a flag names, so that a folder that is not
// there is found out before anything is played. An empty path is no draft.
func openDraft(flag, path string) (*draft, error) {
	if path == "" {
		return nil, nil
	}
	d := &draft{flag: flag, path: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		d.path = real // of a link, what it points to is replaced
	}
	var err error
	if info, there := os.Stat(d.path); there == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return nil, d.fail(errors.New("is a folder"))
		}
		d.file, err = os.OpenFile(d.path, os.O_WRONLY, 0)
	} else {
		d.temp = fmt.Sprintf("%s.%08x.part", d.path, rand.Uint32())
		d.file, err = os.OpenFile(d.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		return nil, d.fail(err)
	}
	return d, nil
}

// fail names the flag. What went wrong stands without the path of the temporary
// file, which nobody asked for.
func (d *draft) fail(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s=%s: %w", d.flag, d.path, err)
}

// fill writes the contents.
func (d *draft) fill(write func(io.Writer) error) error {
	if d == nil {
		return nil
	}
	if err := write(d.file); err != nil {
		return d.fail(err)
	}
	return nil
}

// keep gives the file its name.
func (d *draft) keep() error {
	if d == nil {
		return nil
	}
	err := d.file.Close()
	d.file = nil
	if err == nil && d.temp != "" {
		err = os.Rename(d.temp, d.path)
	}
	if err != nil {
		return d.fail(err)
	}
	d.temp = ""
	return nil
}

// drop removes what was not kept. It may be called after keep, too.
func (d *draft) drop() {
	if d == nil {
		return
	}
	if d.file != nil {
		d.file.Close()
	}
	if d.temp != "" {
		os.Remove(d.temp)
	}
}
