// Package registrytest is for tests of registry and of what stands on it: real
// sealed trees with a key of their own ([Registry]), the suite that every
// registry.Source passes ([Run]), and a web server that counts round trips and
// bytes and can be made late ([Server]).
//
// It seals with the production code and signs with a fixed key, so that trees
// come out the same on every run. It is for tests alone: the key is public.
package registrytest
