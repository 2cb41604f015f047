/** What devices behind a driver share: programs on disk, checks of indices, words about kernels. */
package ristretto.kernels.driver;
