/** JSON as maps and lists. */
package ristretto.llm.json;
