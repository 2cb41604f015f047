/** Progress bars, charts and report pages of trainings. */
package ristretto.report;
