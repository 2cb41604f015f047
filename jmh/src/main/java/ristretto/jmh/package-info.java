/** The {@code bench} command: measures the engine against limits and peers, and checks targets. */
package ristretto.jmh;
