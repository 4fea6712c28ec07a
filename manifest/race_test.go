//go:build race

package manifest

const raced = true
