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

// outputFile is a file that is replaced only when it is complete; until commit, the old
// file stays as it was.
type outputFile struct {
	flag string // the flag that named it, for errors
	path string
	file *os.File
	temp string // "" if written in place: a device, a pipe
}

// openOutput opens the file that a flag names, so that a missing folder is found before
// anything is played. An empty path returns nil.
func openOutput(flag, path string) (*outputFile, error) {
	if path == "" {
		return nil, nil
	}
	d := &outputFile{flag: flag, path: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		d.path = real // of a link, the target is replaced
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

// fail returns an error that names the flag, without the path of the temporary file, which
// would confuse the user.
func (d *outputFile) fail(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s=%s: %w", d.flag, d.path, err)
}

// write writes the contents.
func (d *outputFile) write(write func(io.Writer) error) error {
	if d == nil {
		return nil
	}
	if err := write(d.file); err != nil {
		return d.fail(err)
	}
	return nil
}

// commit gives the file its name.
func (d *outputFile) commit() error {
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

// discard removes the file unless commit was called. It may be called after commit.
func (d *outputFile) discard() {
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
