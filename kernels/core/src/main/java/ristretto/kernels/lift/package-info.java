/**
 * Lifting: user lambdas become scalar IR. {@link ristretto.kernels.lift.Lifter} is the entry.
 *
 * <p>In order of use: {@code LambdaLifter} lifts a lambda, {@code SerializedForm} tells which
 * method implements a lambda, {@code ClassFiles} its bytecode, {@code MethodCode} its basic blocks,
 * {@code ControlFlow} its loops and live variables. {@code Region} interprets the blocks between
 * two loop heads over tape rows and turns their branches into selects; {@code Instructions} does
 * one instruction, {@code MathCalls} the functions that are operations of the IR, {@code Logic} the
 * boolean rules. A method with loops is made of several regions: by {@code UnrollLoops} if they
 * turn a few constant times, otherwise by {@code FunctionLifter}.
 */
package ristretto.kernels.lift;
