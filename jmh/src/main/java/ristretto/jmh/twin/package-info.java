/**
 * In-process baselines of the engine: hand-written Vector API loops, the same loops in C, the
 * bandwidth of plain loops, and bare calls of OpenBLAS.
 */
package ristretto.jmh.twin;
