// Copies the results of `./ristretto bench --output FOLDER` to docs/performance.md: tables, charts
// and today's date. The description of the machine is written by hand.
//
//   ./ristretto run .ci/Performance.java FOLDER

/// Page with the table below a heading replaced.
static String replace(String page, String heading, List<String> table) {
  if (table.size() <= 2) {
    return page;
  }
  Pattern old =
      Pattern.compile("(?s)(\n## " + heading + "\n(?:[^|\n][^\n]*\n|\n)*)(?:\\|[^\n]*\n)+");
  Matcher found = old.matcher(page);
  if (!found.find()) {
    throw new IllegalStateException("docs/performance.md has no table below '" + heading + "'");
  }
  String text = found.group(1) + String.join("\n", table) + "\n";
  return page.substring(0, found.start()) + text + page.substring(found.end());
}

void main(String[] args) throws IOException {
  if (args.length != 1 || !Files.isReadable(Path.of(args[0], "table.md"))) {
    System.err.println(
        "usage: Performance FOLDER, where ./ristretto bench --output wrote table.md");
    System.exit(2);
  }
  Path folder = Path.of(args[0]);
  Path docs = Path.of("docs/performance");
  List<String> lines = Files.readAllLines(folder.resolve("table.md"));
  int facts = lines.indexOf("");
  List<String> rows = lines.subList(0, facts < 0 ? lines.size() : facts);
  var page = Files.readString(Path.of("docs/performance.md"));
  var headings = Map.of("One thread", 1, "Two threads", 2);
  for (var heading : headings.entrySet()) {
    var table = new ArrayList<String>(rows.subList(0, Math.min(2, rows.size())));
    rows.stream()
        .skip(2)
        .filter(row -> row.split(" *\\| *")[3].equals(String.valueOf(heading.getValue())))
        .forEach(table::add);
    page = replace(page, heading.getKey(), table);
  }
  if (facts >= 0) {
    page = replace(page, "Starting and launching", lines.subList(facts + 1, lines.size()));
  }
  var date = DateTimeFormatter.ofPattern("d MMMM uuuu", Locale.ENGLISH).format(LocalDate.now());
  page = page.replaceFirst("(Results of `./ristretto bench` on )[^,]*", "$1" + date);
  Files.writeString(Path.of("docs/performance.md"), page);
  try (var charts = Files.newDirectoryStream(docs, "*.png")) {
    for (Path chart : charts) {
      Path made = folder.resolve(chart.getFileName());
      if (Files.exists(made)) {
        Files.copy(made, chart, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }
  IO.println("docs/performance.md has the results of " + folder);
}
