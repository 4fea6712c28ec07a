package keyless

import (
	"encoding/asn1"
	"errors"
	"fmt"

	"github.com/digitorus/timestamp"

	"github.com/patch-cat/patch-git/internal/limits"
)

// readStamp reads a timestamp that anybody may have made. The reader of its
// kind of message also takes BER, goes over bytes again where an element ends
// after the one that it is in, so that 500 bytes keep it busy for ever, and
// checks signatures by keys of any size before it is asked whose they are.
func readStamp(response []byte) (*timestamp.Timestamp, error) {
	if err := checkDER(response); err != nil {
		return nil, err
	}
	return timestamp.ParseResponse(response)
}

// checkDER tells what keeps a timestamp from being read in a time that its
// length bounds, or nil.
func checkDER(der []byte) error {
	if len(der) > limits.Timestamp {
		return fmt.Errorf("it has %d bytes, allowed are %d", len(der), limits.Timestamp)
	}
	return nested(der, limits.DERDepth)
}

// nested tells whether each element lies wholly in the one around it.
func nested(der []byte, depth int) error {
	if depth == 0 {
		return errors.New("it is nested too deeply")
	}
	for len(der) > 0 {
		var e asn1.RawValue
		rest, err := asn1.Unmarshal(der, &e)
		if err != nil {
			return errors.New("it is not in DER")
		}
		if e.IsCompound {
			if err := nested(e.Bytes, depth-1); err != nil {
				return err
			}
		}
		der = rest
	}
	return nil
}
