/** What it costs to start: a launch, a first kernel, a new process, a script. */
package ristretto.jmh.start;
