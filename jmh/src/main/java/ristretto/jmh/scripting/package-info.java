/** Functions for scripts, compared with NumPy and SciPy. */
package ristretto.jmh.scripting;
