/** The same lines as JMH benchmarks. */
package ristretto.jmh.micro;
