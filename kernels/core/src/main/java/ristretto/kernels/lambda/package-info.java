/** Lifting: user lambdas become scalar IR. */
package ristretto.kernels.lambda;
