/**
 * Functional interfaces for user lambdas, one family per input type: {@code FloatLambda.ToBoolean2}
 * takes two floats and returns a boolean. The arguments are the elements of the operands of {@code
 * map} at one index; for {@code reduce} they are two partial results. The bytecode of a lambda
 * becomes part of the kernel; the lambda itself is never called.
 *
 * <p>A lambda, and every static method that it calls, may use
 *
 * <ul>
 *   <li>its parameters, local variables and captured primitives. A captured value is an argument of
 *       the kernel: a changed value needs no new kernel;
 *   <li>arithmetic, shifts, comparisons and casts of primitives, {@code ?:}, {@code if}, {@code
 *       &&}, {@code ||}, {@code !}, {@code switch} over numbers, loops with {@code break}, {@code
 *       continue} and early {@code return};
 *   <li>the functions of {@link java.lang.Math} and {@link java.lang.StrictMath}, except {@code
 *       random} and the ones that throw, such as {@code addExact}; static methods of {@link
 *       java.lang.Float}, {@link java.lang.Double}, {@link java.lang.Integer}, {@link
 *       java.lang.Long} and {@link java.lang.Character} that compute with primitives;
 *   <li>user-defined static methods over primitives, including private ones, that are not
 *       recursive;
 *   <li>{@code static final} fields of primitive types, which are constants of the kernel.
 * </ul>
 *
 * <p>Everything else throws a {@link ristretto.kernels.LambdaException} that names the source line
 * and suggests a replacement: objects, arrays, strings, boxed numbers, other fields, {@code new},
 * instance methods, exceptions, {@code synchronized}, recursion, assignments to variables outside
 * the lambda.
 *
 * <p>Results equal Java's bit for bit, except that integer division and remainder by zero give 0
 * instead of an exception; transcendental functions are within 2 ulp; a {@code (float)} of a double
 * function of a float, as in {@code (float) Math.exp(v)}, is computed in float arithmetic; {@code
 * assert} is ignored.
 */
package ristretto.kernels.lambda;
