/** Text of messages. */
package ristretto.kernels.text;
