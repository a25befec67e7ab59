// Checks what Evenhand signs with code that is not ours: Go's sumdb packages.
//
// Reads one JSON object on standard input and prints "ok", or says on standard error what does
// not hold and exits 1.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type inclusion struct {
	Index int64    `json:"index"`
	Leaf  string   `json:"leaf"` // the leaf's content, in base64
	Proof []string `json:"proof"`
}

type input struct {
	Key         string      `json:"key"`
	Note        string      `json:"note"`
	Old         string      `json:"old"` // an older note, or empty
	Consistency []string    `json:"consistency"`
	Inclusions  []inclusion `json:"inclusions"`
	SignWith    string      `json:"sign_with"` // a private key: sign this text and print the note
	Text        string      `json:"text"`
}

func fail(what string, err error) {
	fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	os.Exit(1)
}

func hashes(texts []string) []tlog.Hash {
	var out []tlog.Hash
	for _, text := range texts {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw) != tlog.HashSize {
			fail("a proof", fmt.Errorf("not a hash: %q", text))
		}
		var h tlog.Hash
		copy(h[:], raw)
		out = append(out, h)
	}
	return out
}

// The first three lines of a checkpoint: origin, size, root.
func state(text string) (int64, tlog.Hash) {
	var origin, root string
	var size int64
	if _, err := fmt.Sscanf(text, "%s\n%d\n%s\n", &origin, &size, &root); err != nil {
		fail("a checkpoint", err)
	}
	return size, hashes([]string{root})[0]
}

func open(text string, verifiers note.Verifiers) (int64, tlog.Hash) {
	opened, err := note.Open([]byte(text), verifiers)
	if err != nil {
		fail("the note", err)
	}
	return state(opened.Text)
}

func main() {
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		fail("the input", err)
	}
	if in.SignWith != "" {
		signer, err := note.NewSigner(in.SignWith)
		if err != nil {
			fail("the private key", err)
		}
		signed, err := note.Sign(&note.Note{Text: in.Text}, signer)
		if err != nil {
			fail("signing", err)
		}
		os.Stdout.Write(signed)
		return
	}
	verifier, err := note.NewVerifier(in.Key)
	if err != nil {
		fail("the key", err)
	}
	verifiers := note.VerifierList(verifier)
	size, root := open(in.Note, verifiers)
	for _, one := range in.Inclusions {
		leaf, err := base64.StdEncoding.DecodeString(one.Leaf)
		if err != nil {
			fail("a leaf", err)
		}
		if err := tlog.CheckRecord(hashes(one.Proof), size, root, one.Index, tlog.RecordHash(leaf)); err != nil {
			fail("an inclusion proof", err)
		}
	}
	if in.Old != "" {
		oldSize, oldRoot := open(in.Old, verifiers)
		if err := tlog.CheckTree(hashes(in.Consistency), size, root, oldSize, oldRoot); err != nil {
			fail("the consistency proof", err)
		}
	}
	fmt.Println("ok")
}
