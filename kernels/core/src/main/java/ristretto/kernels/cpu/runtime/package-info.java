/** Worker threads of the cpu device, memory of each thread, and warm-up of vector code. */
package ristretto.kernels.cpu.runtime;
