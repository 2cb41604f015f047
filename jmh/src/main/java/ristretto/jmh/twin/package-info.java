/**
 * What the engine is measured against inside this process: hand-written Vector API loops, the same
 * loops in C, the bandwidth of plain loops, and bare calls of OpenBLAS.
 */
package ristretto.jmh.twin;
