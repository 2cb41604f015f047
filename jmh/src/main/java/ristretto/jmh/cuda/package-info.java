/** NVIDIA's copies and products, measured next to the engine on the same GPU. */
package ristretto.jmh.cuda;
