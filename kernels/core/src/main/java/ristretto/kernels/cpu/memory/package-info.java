/** Memory of the cpu device: its pool, buffers and workspaces, and access by raw address. */
package ristretto.kernels.cpu.memory;
