/** The {@code cuda} device: kernels as CUDA C on NVIDIA GPUs. */
package ristretto.cuda;
