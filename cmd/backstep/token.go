package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/token"
)

// tokenCommand makes keys and connect tokens. A server in open mode needs neither.
type tokenCommand struct {
	Key   tokenKeyCommand   `cmd:"" help:"Make a key for backend and server, or a pair of keys."`
	Issue tokenIssueCommand `cmd:"" help:"Print a connect token for a player of a server, as a game's backend would issue it."`
}

type tokenKeyCommand struct {
	File string `arg:"" help:"File to write the key to; it must not exist."`
	Pair bool   `help:"Write a signing key to FILE, for the backend, and the key that checks to FILE.pub, for servers."`
}

// Run writes the key, readable by its owner alone.
func (c *tokenKeyCommand) Run(out output) error {
	made, public := token.NewSharedKey(), token.Key{}
	if c.Pair {
		made, public = token.NewKeyPair()
	}
	if err := writeKey(c.File, made, 0o600); err != nil {
		return err
	}
	if !c.Pair {
		fmt.Fprintf(out, "wrote %s: give it to the backend and to backstep serve --token-key=%s, and to nobody else\n", c.File, c.File)
		return nil
	}
	if err := writeKey(c.File+".pub", public, 0o644); err != nil {
		return errors.Join(err, os.Remove(c.File)) // half a pair is of no use, and in the way of the next one
	}
	fmt.Fprintf(out, "wrote %s: the backend's alone\nwrote %s.pub: for backstep serve --token-key=%s.pub\n", c.File, c.File, c.File)
	return nil
}

// writeKey writes a new file.
func writeKey(file string, k token.Key, mode os.FileMode) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("%w: name another file, keys are not overwritten", err)
	}
	_, err = f.WriteString(k.Encode() + "\n")
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

type tokenIssueCommand struct {
	Key     string        `required:"" type:"path" placeholder:"FILE" help:"The key, as backstep token key writes it: a shared or a signing one."`
	Account string        `required:"" help:"The player's account, 1 to 128 bytes."`
	Name    string        `help:"The player's name; without it the player chooses."`
	URL     string        `default:"http://localhost:8080" help:"The server's page."`
	Match   string        `placeholder:"NAME" help:"Which match; the first by default."`
	Life    time.Duration `default:"30s" help:"How long the token is valid, at most 5m."`
}

// Run asks the server what the token has to name, and prints it.
func (c *tokenIssueCommand) Run(ctx context.Context, out output) error {
	k, err := token.ReadKey(c.Key)
	if err != nil {
		return fmt.Errorf("--key: %w", err)
	}
	s, err := client.Find(ctx, c.URL, client.Config{Match: c.Match})
	if err != nil {
		return err
	}
	text, err := k.Issue(c.claims(s), time.Now())
	if err == nil {
		fmt.Fprintln(out, text)
	}
	return err
}

func (c *tokenIssueCommand) claims(s *client.Server) token.Claims {
	return token.Claims{Account: c.Account, Name: c.Name, Life: c.Life, Server: s.Server, Match: s.Match, Protocol: s.Protocol}
}

// readKeys returns the keys of files.
func readKeys(files []string) (keys []token.Key, err error) {
	for _, file := range files {
		k, err := token.ReadKey(file)
		if err == nil && !k.Checks() {
			err = fmt.Errorf("%s: a signing key is the backend's: give the server the key that checks, %s.pub", file, file)
		}
		if err != nil {
			return nil, fmt.Errorf("--token-key: %w", err)
		}
		keys = append(keys, k)
	}
	return keys, nil
}
