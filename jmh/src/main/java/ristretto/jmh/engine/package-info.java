/** The engine as a competitor. */
package ristretto.jmh.engine;
