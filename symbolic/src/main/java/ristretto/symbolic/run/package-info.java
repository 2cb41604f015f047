/** Runs of an executor: recording, caching, and the inputs and outputs of each thread. */
package ristretto.symbolic.run;
