/** Descriptions of operations for translators to other formats. */
package ristretto.expr.form;
