package ristretto.expr.special;

/** Inverses of the error functions, and the scaled complementary error function. */
public final class ErrorFunction {
  private ErrorFunction() {}

  /** Inverse of erf; infinite at -1 and 1, NaN outside. */
  public static double erfinv(double x) {
    double a = Math.abs(x);
    double near = center(x);
    double t = Math.sqrt(-Math.log((1 - a) * (1 + a)));
    double far = Math.copySign(a == 1 ? Double.POSITIVE_INFINITY : t < 3 ? tail1(t) : tail2(t), x);
    return a <= 0.75 ? near : far;
  }

  /** Inverse of erf for magnitudes up to 0.75. */
  private static double center(double x) {
    double v = 0.5625 - x * x;
    return x
        * (Polynomial.of(
                v,
                Polynomial.of(
                    v,
                    0.004629517837399209,
                    0.3173041720028166,
                    3.408658783097245,
                    12.832151511952048,
                    21.727106023131146,
                    18.039487151231604,
                    7.160921199844077),
                1.0845597967968248)
            / Polynomial.of(
                v,
                Polynomial.of(
                    v,
                    0.030108495880482707,
                    0.853506428698442,
                    6.247619309789825,
                    18.607684556145774,
                    26.783008068879536,
                    19.707832008081752,
                    7.121354241238418),
                1));
  }

  /** Inverse of erfc; infinite at 0 and 2, NaN outside. */
  public static double erfcinv(double q) {
    double small = q > 1 ? 2 - q : q;
    double x = 1 - small;
    double near = center(x);
    double t = Math.sqrt(-(Math.log(small) + Math.log(2 - small)));
    double far = t < 3 ? tail1(t) : t < 6.5 ? tail2(t) : tail3(t);
    double magnitude = x <= 0.75 ? near : small == 0 ? Double.POSITIVE_INFINITY : far;
    return q > 1 ? -magnitude : magnitude;
  }

  // Inverse of erfc at q as a function of t = sqrt(-log(q (2 - q)))

  private static double tail1(double t) {
    double s = t - 0.9;
    return Polynomial.of(
            s,
            Polynomial.of(
                s,
                -8.1188726699903e-05,
                0.00021803432154745216,
                -0.0017615920012156107,
                0.007832485963516354,
                -0.03183258893040764,
                0.1149058571423514,
                -0.23708528579684793),
            0.45548005635428884,
            -0.21033706464794272,
            0.06407776622794026,
            0.805024523058082)
        / Polynomial.of(
            s,
            Polynomial.of(
                s,
                -1.2883215050224298e-07,
                -7.823311889953155e-05,
                0.00025959985306140245,
                -0.0019439846381877068,
                0.00980630020922269,
                -0.04365839606831308,
                0.16790667086299493),
            -0.4231834069230203,
            0.896234810225032,
            -1.05136629939852,
            1);
  }

  private static double tail2(double t) {
    double s = t - 3;
    return Polynomial.of(
            s,
            Polynomial.of(
                s,
                0.00011940787903553724,
                0.0024759643985425295,
                0.020476452244174544,
                0.10135834831661836,
                0.35561258759126957,
                0.971696837524047,
                2.1226097353805544),
            3.684757017939774,
            4.977061085713207,
            4.744709477862096,
            2.832801984778809)
        / Polynomial.of(
            s,
            Polynomial.of(
                s,
                4.1764203957657556e-10,
                0.00011937217278035496,
                0.0021199465287106835,
                0.0143228387113522,
                0.06023087588287882,
                0.18319394553965054,
                0.4489242475466013),
            0.8432519024544622,
            1.2869696704629916,
            1.320970232087164,
            1);
  }

  private static double tail3(double t) {
    double s = t - 6.5;
    return Polynomial.of(
            s,
            Polynomial.of(
                s,
                7.781291495238163e-10,
                1.903318059956565e-07,
                1.5977251845754127e-05,
                0.0006353070579051662,
                0.013666686440632726,
                0.16899300878039406,
                1.2166802649637978),
            4.9064810754100545,
            9.738222885317594,
            6.364593326434672)
        / Polynomial.of(
            s,
            Polynomial.of(
                s,
                2.0291246349964084e-18,
                7.781275559630439e-10,
                1.8527502353553158e-07,
                1.4775347974995793e-05,
                0.0005396918191147,
                0.010184884008807028,
                0.10351331814884594),
            0.5535289238416069,
            1.371511587183751,
            1);
  }

  /** Returns {@code exp(x^2) erfc(x)}. */
  public static double erfcx(double x) {
    double a = Math.abs(x);
    double w = 2 / (a + 2);
    double positive =
        Polynomial.of(
                w,
                Polynomial.of(
                    w,
                    -0.6182185437746424,
                    -1.1471242098404066,
                    -1.422985335264838,
                    -0.4649801967532438,
                    -0.2837136666338615,
                    4.068318025569765,
                    0.700545110295291),
                7.796961282970606,
                0.037868142529022084,
                5.227302381676551,
                -0.1757493001837029,
                1.1283791670955126)
            / Polynomial.of(
                w,
                Polynomial.of(
                    w,
                    0.0008255617449016815,
                    0.03541100623545098,
                    0.024723287795766376,
                    0.7448183563197425,
                    -0.023047632033110187,
                    3.77023431356724,
                    -0.6250247287530047),
                6.752126547599487,
                -1.0367246514450579,
                4.6090145586068765,
                -0.4057537619522411,
                1)
            / (1 + 2 * a);
    double square = a * a;
    double rest = Math.fma(a, a, -square);
    double power = Math.exp(square);
    double negative = 2 * Math.fma(power, rest, power) - positive;
    return x < -27 ? Double.POSITIVE_INFINITY : x < 0 ? negative : positive;
  }

  /** Derivative of {@link #erfcx}. */
  public static double erfcxSlope(double x) {
    double near = 2 * (x * erfcx(x) - 1 / Math.sqrt(Math.PI));
    double u = 0.5 / (x * x);
    double series =
        Polynomial.of(
            u, Polynomial.of(u, 34459425, -2027025, 135135, -10395, 945, -105, 15), -3, 1);
    return x < 10 ? near : -2 * u * series / Math.sqrt(Math.PI);
  }
}
