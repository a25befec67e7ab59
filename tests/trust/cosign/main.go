// Checks a witness's cosignature with code that is not ours: transparency-dev/formats.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
)

type input struct {
	Key  string `json:"key"` // the witness's verifier key, of the cosignature kind
	Note string `json:"note"`
}

func fail(what string, err error) {
	fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	os.Exit(1)
}

func main() {
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		fail("the input", err)
	}
	verifier, err := formats.NewVerifierForCosignatureV1(in.Key)
	if err != nil {
		fail("the key", err)
	}
	opened, err := note.Open([]byte(in.Note), note.VerifierList(verifier))
	if err != nil {
		fail("the cosignature", err)
	}
	at, err := formats.CoSigV1Timestamp(opened.Sigs[0])
	if err != nil {
		fail("the time", err)
	}
	fmt.Println(at.Unix())
}
