/** oneDNN for convolutions on processors. */
package ristretto.onednn;
