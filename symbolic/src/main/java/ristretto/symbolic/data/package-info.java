/** Data sets from files and arrays, in batches. */
package ristretto.symbolic.data;
