/**
 * Derivatives of scalar code: a rule per operation, reverse mode for tapes, forward mode for
 * functions.
 */
package ristretto.kernels.gradient;
