//go:build !linux

package durable

import (
	"errors"
	"io/fs"
	"os"
)

func lookAt(path string) (look, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return look{}, nil
	}
	if err != nil {
		return look{}, Classify("look at", path, err)
	}
	l := look{there: true, mode: uint32(info.Mode()), size: info.Size(), content: info.ModTime().UnixNano()}
	l.other, l.device, l.number = identity(info)
	return l, nil
}
