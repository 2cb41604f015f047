/** Target checks and reports of measurements: table, CSV, Markdown, charts. */
package ristretto.jmh.report;
