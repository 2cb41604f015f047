/** What every layer shares: the exceptions users see. */
package ristretto.kernels;
