/** What NVIDIA's own copies and products take, beside the engine on the same GPU. */
package ristretto.jmh.cuda;
