/** Steps of training, beside PyTorch's. */
package ristretto.jmh.training;
