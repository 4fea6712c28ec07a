// Package usernet is the network of a tool: it answers what comes out of the
// sandbox's own device and opens connections of this process in its stead, to
// the internet and to nothing else.
//
// What it promises. A flow is judged by the address that it is really going
// to, at the moment at which it is opened, whatever name or spelling led the
// tool there. Addresses that are not of the public internet are refused: this
// machine's (its public ones too), the local network's, those that clouds tell
// their secrets on, and whatever registries have set apart. An IPv4 address
// inside an IPv6 one is judged as what it is. An [Exception] opens what the
// person named, at the port that was named, and nothing beside it.
//
// A refused TCP flow is reset, a refused datagram answered as a closed port.
// Only TCP and UDP are carried: nothing of ICMP, no fragment that was not put
// together, no packet that comes from outside.
//
// Names are asked of this machine's own name servers. What they answer is only
// an address, and judged like any other.
//
// What it never does. It never lets the tool choose an address of this side of
// a connection, never keeps more flows than package limits allows, and never
// opens a listening socket of the host's. Its cost is bounded however many
// flows are asked for.
package usernet
