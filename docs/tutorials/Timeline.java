// Draws the launches of a profile (RISTRETTO_TRACE) as an SVG: a row per thread, time to the right.
// The last N milliseconds are shown.
//
//   RISTRETTO_TRACE=out/trace.json ./ristretto run docs/tutorials/Recorded.java
//   ./ristretto run docs/tutorials/Timeline.java out/trace.json out/timeline.svg 45

static final int WIDTH = 960;
static final int ROW = 46;
static final int LEFT = 90;
static final List<String> COLOURS =
    List.of("#1f6feb", "#d29922", "#2da44e", "#a371f7", "#cf222e", "#57606a");

record Event(String name, String category, int thread, double start, double length) {}

void main(String[] args) throws IOException {
  Pattern form =
      Pattern.compile(
          "\"name\":\"([^\"]+)\",\"cat\":\"(map|row|scan|scatter|gemm|sort|chunk)\",\"ph\":\"X\","
              + "\"ts\":([-0-9.]+),\"dur\":([0-9.]+),\"pid\":\\d+,\"tid\":(\\d+)");
  List<Event> all =
      form.matcher(Files.readString(Path.of(args[0])))
          .results()
          .map(m ->
              new Event(
                  m.group(1),
                  m.group(2),
                  Integer.parseInt(m.group(5)),
                  Double.parseDouble(m.group(3)) / 1000,
                  Double.parseDouble(m.group(4)) / 1000))
          .toList();
  double end = all.stream().mapToDouble(e -> e.start + e.length).max().orElseThrow();
  double from = end - Double.parseDouble(args[2]);
  List<Event> events = all.stream().filter(e -> e.start >= from).toList();
  List<Integer> threads = events.stream().map(Event::thread).distinct().sorted().toList();
  List<String> names =
      events.stream().filter(e -> !e.category.equals("chunk")).map(Event::name).distinct().toList();
  double scale = (WIDTH - LEFT - 20) / (end - from);
  int height = ROW * threads.size() + 60 + 18 * names.size();
  var svg = new StringBuilder();
  svg.append(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif'>%n"
          .formatted(WIDTH, height));
  svg.append("<rect width='100%' height='100%' fill='white'/>\n");
  for (Event e : events) {
    int row = threads.indexOf(e.thread);
    boolean part = e.category.equals("chunk");
    String colour =
        part ? "#c8d1da" : COLOURS.get(Math.min(names.indexOf(e.name), COLOURS.size() - 1));
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s'><title>%s %.3f"
                + " ms</title></rect>%n",
            LEFT + (e.start - from) * scale,
            12 + ROW * row + (part ? 24 : 0),
            Math.max(0.5, e.length * scale),
            part ? 10 : 22,
            colour,
            e.name,
            e.length));
  }
  for (int k = 0; k < threads.size(); k++) {
    svg.append(
        "<text x='8' y='%d' font-size='13'>thread %d</text>%n".formatted(28 + ROW * k, k + 1));
  }
  int axis = 18 + ROW * threads.size();
  for (int ms = 0; ms <= end - from; ms += 5) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x='%.0f' y='%d' font-size='12'>%d ms</text>%n",
            LEFT + ms * scale,
            axis + 12,
            ms));
  }
  for (int k = 0; k < names.size(); k++) {
    String colour = COLOURS.get(Math.min(k, COLOURS.size() - 1));
    int y = axis + 36 + 18 * k;
    svg.append(
        "<rect x='%d' y='%d' width='12' height='12' fill='%s'/><text x='%d' y='%d' font-size='13'>%s</text>%n"
            .formatted(LEFT, y - 11, colour, LEFT + 18, y, names.get(k)));
  }
  Path out = Path.of(args[1]);
  Files.createDirectories(out.toAbsolutePath().getParent());
  Files.writeString(out, svg.append("</svg>\n"));
}
