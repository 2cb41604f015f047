/** Lines of the table, their inputs, and their values in double precision. */
package ristretto.jmh.line;
