/** Embedded device {@code cpu}: kernels run on the processor, as bytecode generated at run time. */
package ristretto.kernels.cpu;
