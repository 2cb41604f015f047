/** JMH benchmarks of the lines. */
package ristretto.jmh.micro;
