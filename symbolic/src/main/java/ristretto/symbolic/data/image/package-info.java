/** Data sets of images in folders. */
package ristretto.symbolic.data.image;
