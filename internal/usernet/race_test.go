//go:build race

package usernet_test

const raced = true
