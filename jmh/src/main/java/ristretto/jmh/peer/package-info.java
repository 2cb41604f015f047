/** Peer libraries as competitors, each in its own process. */
package ristretto.jmh.peer;
