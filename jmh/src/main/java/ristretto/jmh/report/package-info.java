/** Judges measurements against the targets and shows them: table, CSV, Markdown, charts. */
package ristretto.jmh.report;
