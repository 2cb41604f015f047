/** Interleaved runs and timing of competitors. */
package ristretto.jmh.run;
