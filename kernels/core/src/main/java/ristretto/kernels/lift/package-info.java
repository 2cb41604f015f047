/**
 * Lifting: conversion of user lambdas to scalar IR. {@link ristretto.kernels.lift.Lifter} is the
 * entry point.
 *
 * <p>In order of use: {@code LambdaLifter} lifts a lambda, {@code SerializedForm} finds the method
 * that implements a lambda, {@code ClassFiles} its bytecode, {@code MethodCode} its basic blocks,
 * {@code ControlFlow} its loops and live variables. {@code Region} interprets the blocks between
 * two loop heads over tape rows and turns their branches into selects; {@code Instructions}
 * interprets one instruction, {@code MathCalls} calls of functions that are operations of the IR,
 * {@code Logic} holds the boolean rules. A method with loops has several regions: {@code
 * UnrollLoops} inlines the loops if their trip counts are small constants, otherwise {@code
 * FunctionLifter} lifts the method.
 */
package ristretto.kernels.lift;
