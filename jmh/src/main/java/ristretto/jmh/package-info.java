/**
 * The {@code bench} command: measures the engine against its limits and its peers and judges the
 * result.
 */
package ristretto.jmh;
