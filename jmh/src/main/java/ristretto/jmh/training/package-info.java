/** Training steps, compared with PyTorch's. */
package ristretto.jmh.training;
