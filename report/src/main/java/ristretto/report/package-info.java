/** Charts and report pages of trainings. */
package ristretto.report;
