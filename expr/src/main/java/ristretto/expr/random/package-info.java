/** Random numbers of many distributions, computed in the kernels that use them. */
package ristretto.expr.random;
