/** Peer libraries as competitors, each in a process of its own with its own libraries. */
package ristretto.jmh.peer;
