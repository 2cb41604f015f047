/** The {@code cuda} device: kernels as CUDA C on NVIDIA's GPUs. */
package ristretto.cuda;
