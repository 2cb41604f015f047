/** How competitors are run side by side and timed. */
package ristretto.jmh.run;
