/** The commands chat and serve. */
package ristretto.llm.command;
