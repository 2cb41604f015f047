/** Language models. */
package ristretto.llm;
