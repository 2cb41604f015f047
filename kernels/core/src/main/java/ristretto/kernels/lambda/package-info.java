/**
 * The functional interfaces that users' lambdas implement: one family for each input type, {@code
 * FloatLambda.ToBoolean2} takes two floats and gives a boolean. The arguments are elements at one
 * index of the expressions that {@code map} is given; those of a lambda for {@code reduce} are two
 * partial results. A lambda's bytecode is read and becomes part of the kernel; the lambda itself
 * never runs.
 *
 * <p>A lambda, and every static method it calls, may use
 *
 * <ul>
 *   <li>its parameters, local variables and captured primitives. A captured value is an argument of
 *       the kernel: another value is no new kernel;
 *   <li>arithmetic, shifts, comparisons and casts of primitives, {@code ?:}, {@code if}, {@code
 *       &&}, {@code ||}, {@code !}, {@code switch} over numbers, loops with {@code break}, {@code
 *       continue} and early {@code return};
 *   <li>the functions of {@link java.lang.Math} and {@link java.lang.StrictMath}, but {@code
 *       random} and those that throw ({@code addExact} and its kin); static methods of {@link
 *       java.lang.Float}, {@link java.lang.Double}, {@link java.lang.Integer}, {@link
 *       java.lang.Long} and {@link java.lang.Character} that compute with primitives;
 *   <li>static methods of your own over primitives, private ones too, that do not call themselves;
 *   <li>{@code static final} fields of primitive types, which are constants of the kernel.
 * </ul>
 *
 * <p>Everything else is a {@link ristretto.kernels.LambdaException} that says where and what to
 * write instead: objects, arrays, strings, boxed numbers, other fields, {@code new}, instance
 * methods, exceptions, {@code synchronized}, recursion, writing to variables outside.
 *
 * <p>Results are Java's, bit for bit, with these exceptions: integer division and remainder by zero
 * give 0 instead of an exception; transcendental functions are within 2 ulp; a {@code (float)} of a
 * double function of a float, as in {@code (float) Math.exp(v)}, is computed in float arithmetic;
 * {@code assert} is ignored.
 */
package ristretto.kernels.lambda;
