/** Start-up costs: a launch, a first kernel, a new process, a script. */
package ristretto.jmh.start;
