// A CSV file of daily weather in, statistics by month and pictures out. The data are made here: ten
// years of dates, temperatures with gaps, wind and a word for the sky.
//
//   ./ristretto run examples/Weather.java [--quick] [--out FILE.png]

import module ristretto.expr;
import module ristretto.plot;
import static ristretto.expr.Ops.*;

void main(String[] args) throws IOException {
  boolean quick = List.of(args).contains("--quick");
  int at = List.of(args).indexOf("--out");
  Path out = at < 0 ? Path.of("out", "weather.png") : Path.of(args[at + 1]);
  Files.createDirectories(out.toAbsolutePath().getParent());
  Path file = out.resolveSibling("weather.csv");
  Files.writeString(file, weather(quick ? 2 : 10));

  try (var ctx = Context.open()) {
    Table t = ctx.readCsv(file);
    t.head().print();
    Tensor<F32> day = t.column("date", F32);
    Tensor<F32> temperature = t.column("temperature", F32);
    Tensor<BOOL> known = ctx.eval(temperature.eq(temperature)); // NaN differs from itself
    Tensor<F32> filled = ctx.eval(where(known, temperature, fill(F32, 0, t.rows())));
    double gaps = t.rows() - ctx.eval(sum(known.cast(F32))).item();
    double mean = ctx.eval(sum(filled).div(sum(known.cast(F32)))).item();

    // A year is a wave: its amplitude is twice the mean product with a cosine of that phase.
    Expr<F32> phase = day.times(2 * Math.PI / 365.25);
    Expr<F32> deviation = where(known, filled.minus(mean), fill(F32, 0, t.rows()));
    double a = 2 * ctx.eval(sum(deviation.times(cos(phase)))).item() / (t.rows() - gaps);
    double b = 2 * ctx.eval(sum(deviation.times(sin(phase)))).item() / (t.rows() - gaps);
    Tensor<F32> wave = ctx.eval(cos(phase).times(a).plus(sin(phase).times(b)).plus(mean));

    Plot.grid(
            2,
            2,
            Plot.line(day, temperature)
                .name("measured")
                .line(day, wave, "wave")
                .title("Temperature")
                .xLabel("day since 1970")
                .yLabel("degrees"),
            Plot.histogram(t.column("wind", F32)).title("Wind").xLabel("m/s").yLabel("days"),
            Plot.scatter(temperature, t.column("wind", F32))
                .title("Wind and temperature")
                .xLabel("degrees")
                .yLabel("m/s"),
            Plot.histogram(t.codes("sky"), t.categories("sky").size())
                .title(String.join(", ", t.categories("sky")))
                .yLabel("days"))
        .title("Weather")
        .save(out);
    IO.println(out + " has the pictures");
    IO.println(
        String.format(
            Locale.ROOT,
            "result: mean=%.3f amplitude=%.3f gaps=%.0f",
            mean,
            Math.hypot(a, b),
            gaps));
  }
}

/// Text of a CSV file with a row for each day of some years from 2015.
static String weather(int years) {
  var random = new SplittableRandom(7);
  var text = new StringBuilder("date,temperature,wind,sky\n");
  LocalDate start = LocalDate.of(2015, 1, 1);
  for (LocalDate d = start; d.getYear() < 2015 + years; d = d.plusDays(1)) {
    double season = -9 * Math.cos(2 * Math.PI * (d.getDayOfYear() - 20) / 365.25);
    double temperature = 10 + season + 3 * random.nextGaussian();
    double wind = 4 * Math.sqrt(-Math.log(1 - random.nextDouble()));
    boolean gap = random.nextInt(50) == 0;
    String sky = List.of("clear", "cloudy", "rain").get(random.nextInt(3));
    text.append(
        String.format(
            Locale.ROOT, "%s,%s,%.1f,%s\n", d, gap ? "" : tenths(temperature), wind, sky));
  }
  return text.toString();
}

static String tenths(double v) {
  return String.format(Locale.ROOT, "%.1f", v);
}
