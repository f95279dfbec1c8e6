// Package udpclients makes the UDP connections of many clients of one process through one socket: for a program that
// plays for many, such as a load generator, on the server's own machine. Start at [New]; a single client uses [udp.Dial].
//
// On Linux every address of 127.0.0.0/8 is the machine's own. Each client has one of them, 127.1.0.0 and those after
// it, and the kernel says to which address a packet was sent. So the clients need no sockets, goroutines and timers of
// their own: before its frames the caller's loop calls [Socket.Receive], which takes what has arrived for all of them
// in one system call, and after its frames [Socket.Flush], which sends all that they have made in another. To the
// server they are clients like any others.
//
// Other systems have no such addresses: there Dial is [udp.Dial], and Receive and Flush do nothing.
package udpclients
