/// Commands of the launcher.
package ristretto.expr.command;
