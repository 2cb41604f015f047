#!/usr/bin/env bash
# Tests messages, exit codes and streams of ./ristretto. Usage: launcher/test.sh

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
home=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/with space"
passed=0 failed=0
notice='WARNING: Using incubator modules: jdk.incubator.vector'

# check NAME STATUS STDOUT STDERR COMMAND...: runs a command and checks its exit status; the
# patterns must match the whole of each output.
check() {
  local name=$1 status=$2 out=$3 err=$4 got
  shift 4
  "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  got=$?
  judge "$name" "$got" "$status" "$out" "$err"
}

judge() {
  local name=$1 got=$2 status=$3 out=$4 err=$5
  if [[ $got -eq $status && $(<"$scratch/out") == $out && $(<"$scratch/err") == $err ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name: exit code $got, expected $status"
    sed 's/^/  out: /' "$scratch/out"
    sed 's/^/  err: /' "$scratch/err"
  fi
}

script() {
  cat >"$scratch/$1"
}

# Usage
check "no command" 2 "" "Usage: ./ristretto \[--tornado\] COMMAND*" ./ristretto
check "help" 0 "Usage: ./ristretto \[--tornado\] COMMAND*Run a script*" "" ./ristretto --help
for command in $(ls launcher/help | sed -n 's/\.txt$//p'); do
  [[ $command != ristretto ]] || continue
  # Scripts, nnet3 and benchmarks name their arguments differently.
  check "help of $command" 0 "Usage: ./ristretto *" "" ./ristretto "$command" --help
  check "help $command" 0 "Usage: ./ristretto *" "" ./ristretto help "$command"
  check "page of $command" 0 ".TH RISTRETTO*" "" cat "launcher/man/man1/ristretto-$command.1"
done
check "help in the middle" 0 "Usage: ./ristretto devices*" "" ./ristretto devices --check --help
check "help of an option" 0 "Usage: ./ristretto \[--tornado\] COMMAND*" "" ./ristretto --version --help
check "help of help" 0 "Usage: ./ristretto help*" "" ./ristretto help --help
check "help of an unknown command" 2 "" "ristretto: there is no command 'rnu'; did you mean 'run'??ristretto: './ristretto help --help' explains the command." \
  ./ristretto help rnu
check "help of two commands" 2 "" "ristretto: 'help' takes one command; got 'bench' too.*" ./ristretto help run bench
check "help of a command of nnet3" 0 "" "*Usage:  nnet3-info *" ./ristretto help nnet3-info
check "commands of nnet3" 0 "*  nnet3-fit                    Trains a network*" "" ./ristretto nnet3
check "argument of nnet3" 2 "" "ristretto: 'nnet3' takes no arguments; got 'info'.*" ./ristretto nnet3 info
check "completion with TornadoVM" 2 "" "ristretto: 'completion' runs without TornadoVM: leave out --tornado.*" ./ristretto --tornado completion

# completed WORD...: prints the completions of the last word.
completed() {
  bash -c 'source <(./ristretto completion) && COMP_WORDS=(./ristretto "$@") COMP_CWORD=$# && compopt() { :; } && _ristretto && echo "${COMPREPLY[*]}"' bash "$@"
}
check "completed command" 0 "devices docs" "" completed d
check "completed command with TornadoVM" 0 "explain" "" completed --tornado ex
check "completed option" 0 "--frames-per-chunk=" "" completed nnet3-compute --frames-p
check "completed value" 0 "" "" completed nnet3-compute --frames-per-chunk =
check "completed script" 0 "" "" completed run examples/D
check "completed help" 0 "nnet3-info nnet3-init" "" completed help nnet3-in
check "man pages" 0 "*/launcher/man/man1/ristretto.1" "" bash -c 'source <(./ristretto completion); IFS=:; for folder in $MANPATH; do ls "$folder/man1/ristretto.1" && break; done'
check "version" 0 "ristretto [0-9]*\(JDK [2-9][0-9]*" "" ./ristretto --version
check "version as a command" 0 "ristretto [0-9]*" "" ./ristretto version
check "unknown command" 2 "" "ristretto: unknown command 'rnu'; did you mean 'run'?*" ./ristretto rnu
check "far command" 2 "" "ristretto: unknown command 'xyzzy'*" ./ristretto xyzzy
check "unknown option" 2 "" "ristretto: unknown option '--hepl'; did you mean '--help'?*" ./ristretto --hepl
check "script as command" 2 "" "*to run a script: ./ristretto run Digits.java*" ./ristretto Digits.java
check "no script" 2 "" "ristretto: 'run' needs a script: ./ristretto run SCRIPT.java*" ./ristretto run
check "missing script" 2 "" "ristretto: no such script: $scratch/missing.java*" ./ristretto run "$scratch/missing.java"
check "option of run" 2 "" "ristretto: 'run' has no option '--fast'*" ./ristretto run --fast x.java
check "folder" 2 "" "ristretto: $scratch is a folder*" ./ristretto run "$scratch"
check "no script to submit" 2 "" "ristretto: 'spark-submit' needs a script: ./ristretto spark-submit --master local\[2\] SCRIPT.java*" \
  ./ristretto spark-submit --master 'local[2]'
check "missing script to submit" 2 "" "ristretto: no such script: $scratch/missing.java*" ./ristretto spark-submit --master 'local[2]' "$scratch/missing.java"
check "SPARK_HOME without jars" 1 "" "ristretto: SPARK_HOME is $scratch, which has no folder 'jars'*" \
  env SPARK_HOME="$scratch" ./ristretto nnet3-compute --master='local[2]' a b c
check "Spark with TornadoVM" 2 "" "ristretto: commands on Spark run without TornadoVM*" \
  env RISTRETTO_DEVICE=tornado ./ristretto nnet3-compute --master='local[2]' a b c
check "option of docs" 2 "" "ristretto: 'docs' takes --build, --check and --port N; got '--chek'; did you mean '--check'?*" ./ristretto docs --chek
check "port of docs" 2 "" "ristretto: 'docs --port' needs a number; got 'x'.*" ./ristretto docs --port x
mkdir "$scratch/few"
for tool in bash dirname readlink uname sed cat; do ln -s "$(command -v $tool)" "$scratch/few/$tool"; done
check "docs without Node.js" 1 "" "ristretto: the documentation site needs Node.js 18 or newer with npm: install the packages 'nodejs' and 'npm'." \
  env PATH="$scratch/few" ./ristretto docs
touch "$scratch/data.txt"
check "no Java" 2 "" "ristretto: $scratch/data.txt is not a Java source*" ./ristretto run "$scratch/data.txt"
check "wrong option of devices" 2 "" "ristretto: 'devices' takes --check or nothing; got '--all'?*" ./ristretto devices --all
check "nearly right option of devices" 2 "" "*takes --check or nothing; got '--chek'; did you mean '--check'?*" ./ristretto devices --chek
check "wrong JDK" 1 "" "ristretto: RISTRETTO_JAVA_HOME is /nowhere, which is not a JDK 25 or newer." \
  env RISTRETTO_JAVA_HOME=/nowhere ./ristretto devices
check "wrong value of RISTRETTO_AOT" 1 "" "ristretto: RISTRETTO_AOT must be on or off; got 'no'." \
  env RISTRETTO_AOT=no ./ristretto devices

# Started by its relative path without a folder
check "bash ristretto" 0 "ristretto [0-9]*" "" bash ristretto --version

# Commands of nnet3
check "unknown command of nnet3" 1 "" "*\[nnet3\] a command must be one of *; got \"nnet3-copy-eg\"; did you mean 'nnet3-copy-egs'?" ./ristretto nnet3-copy-eg
check "command for speech" 0 "" "*Usage:  compute-wer \[options\]*" ./ristretto compute-wer --help
check "unknown command for speech" 2 "" "ristretto: unknown command 'compute-wr'; did you mean 'compute-wer'?*" ./ristretto compute-wr
check "command of nnet3" 0 "" "*Usage:  nnet3-copy-egs \[options\]*" ./ristretto nnet3-copy-egs --help

# TornadoVM
check "no SDK of TornadoVM" 1 "" "ristretto: the tornado device needs TornadoVM 5.2.0-jdk25, but TORNADOVM_HOME is not set and SDKMAN has none in $scratch/.sdkman/candidates/tornadovm/current.?ristretto: Install that SDK, for example with 'sdk install tornadovm 5.2.0-jdk25-opencl' or from tornadovm.org/downloads,?ristretto: and set TORNADOVM_HOME to its folder if SDKMAN did not install it. Other devices need no SDK: './ristretto devices' lists them." \
  env -u TORNADOVM_HOME -u SDKMAN_DIR HOME="$scratch" ./ristretto --tornado devices
check "tornado by its name" 1 "" "ristretto: the tornado device needs TornadoVM 5.2.0-jdk25, but TORNADOVM_HOME is not set and SDKMAN has none in $scratch/sdkman/candidates/*" \
  env -u TORNADOVM_HOME SDKMAN_DIR="$scratch/sdkman" RISTRETTO_DEVICE=tornado:0 ./ristretto run examples/Sigmoid.java
check "no folder of TornadoVM" 1 "" "ristretto: the tornado device needs TornadoVM 5.2.0-jdk25, and TORNADOVM_HOME is /nowhere, which is not a folder.*" \
  env TORNADOVM_HOME=/nowhere ./ristretto --tornado devices
check "no TornadoVM in the folder" 1 "" "ristretto: TORNADOVM_HOME is $scratch, which is not an SDK of TornadoVM.*" \
  env TORNADOVM_HOME="$scratch" ./ristretto --tornado devices
mkdir -p "$scratch/tornado/etc"
echo "version=4.0.1-jdk21" >"$scratch/tornado/etc/tornado.release"
check "wrong TornadoVM" 1 "" "ristretto: TORNADOVM_HOME is $scratch/tornado, which is version 4.0.1-jdk21, but the tornado device needs 5.2.0-jdk25.*" \
  env TORNADOVM_HOME="$scratch/tornado" ./ristretto --tornado devices
mkdir -p "$scratch/.sdkman/candidates/tornadovm"
ln -s "$scratch/tornado" "$scratch/.sdkman/candidates/tornadovm/current"
check "wrong TornadoVM of SDKMAN" 1 "" "ristretto: SDKMAN's TornadoVM is $scratch/.sdkman/candidates/tornadovm/current, which is version 4.0.1-jdk21, but the tornado device needs 5.2.0-jdk25.*" \
  env -u TORNADOVM_HOME -u SDKMAN_DIR HOME="$scratch" ./ristretto --tornado devices
echo "version=5.2.0-jdk25" >"$scratch/tornado/etc/tornado.release"
check "unfinished TornadoVM" 1 "" "ristretto: $scratch/tornado has no tornado-argfile: run 'tornado --devices' of that SDK once with JAVA_HOME set, which writes it.*" \
  env TORNADOVM_HOME="$scratch/tornado" ./ristretto --tornado devices
check "bench with TornadoVM" 2 "" "ristretto: 'bench' runs without TornadoVM: leave out --tornado.*" ./ristretto --tornado bench
check "bundle with TornadoVM" 2 "" "ristretto: 'bundle' runs without TornadoVM: leave out --tornado.*" ./ristretto --tornado bundle "$scratch/b"

# Failing builds, with a fake Maven that runs the file `maven`.
mkdir -p "$scratch/steps/bin" "$scratch/steps/expr/src/main/java" "$scratch/steps/kernels/tornado/src/main/java"
cp -R ristretto launcher "$scratch/steps"
# A release: its version has no -SNAPSHOT.
sed 's:<revision>.*</revision>:<revision>9</revision>:' pom.xml >"$scratch/steps/pom.xml"
cp kernels/tornado/src/main/jvm.args "$scratch/steps/kernels/tornado/src/main"
echo "module ristretto.expr {}" >"$scratch/steps/expr/src/main/java/module-info.java"
echo "module ristretto.tornado {}" >"$scratch/steps/kernels/tornado/src/main/java/module-info.java"
printf '#!/usr/bin/env bash\nsource "%s/maven"\n' "$scratch" >"$scratch/steps/bin/mvn"
chmod +x "$scratch/steps/bin/mvn"
own_jdk=$(source launcher/jdk.sh && find_jdk && echo "$jdk")

# steps ARGUMENTS: runs ./ristretto in that folder with SDKMAN's TornadoVM.
steps() {
  env -u TORNADOVM_HOME -u SDKMAN_DIR HOME="$scratch" RISTRETTO_JAVA_HOME="$own_jdk" PATH="$scratch/steps/bin:$PATH" "$scratch/steps/ristretto" "$@"
}

# made MODULE NAME: lets the fake Maven make a module's jar, of classes whose dependencies are
# missing.
made() {
  printf 'mkdir -p "%s" && cp "%s" "%s/ristretto-%s-9.jar" && echo "%s" >"%s/libraries"\n' "$scratch/steps/$1/target/launcher" \
    "$scratch/uses.jar" "$scratch/steps/$1/target/launcher" "$2" "$scratch/library.jar" "$scratch/steps/$1/target/launcher" >"$scratch/maven"
}

script Uses.java <<'END'
class Side {}
class Left extends Side {}
class Right extends Side {}
class Uses {
  static Side side(boolean left) {
    Runnable nothing = () -> {};
    nothing.run();
    return left ? new Left() : new Right();
  }
}
END
"$own_jdk/bin/javac" -d "$scratch/uses" "$scratch/Uses.java" && rm "$scratch"/uses/{Side,Left,Right}.class &&
  "$own_jdk/bin/jar" --create --file "$scratch/uses.jar" -C "$scratch/uses" .
"$own_jdk/bin/jar" --create --file "$scratch/library.jar" -C "$scratch" Uses.java
log=$scratch/steps/target/launcher
cat >"$scratch/maven" <<'END'
printf '%s\n' "[INFO] Building" "[ERROR] Expr.java:[3,5] cannot find symbol" "[ERROR] " "[ERROR] To see the full stack trace" "[ERROR] [Help 1] http"
exit 1
END
check "Maven fails" 1 "" "ristretto: building (first use*) ... failed?\[ERROR\] Expr.java:\[3,5\] cannot find symbol?ristretto: the build failed; its output is in $log/build.log" \
  steps devices
echo 'seq 10 31; exit 1' >"$scratch/maven"
check "Maven fails in another way" 1 "" "ristretto: building (first use*) ... failed?12?13?*?31?ristretto: the build failed; its output is in $log/build.log" \
  steps devices
echo 'echo nothing to do' >"$scratch/maven"
check "Maven makes nothing" 1 "" "ristretto: building (first use*) ... failed?nothing to do?ristretto: the build produced no modules; its output is in $log/build.log" \
  steps devices
made expr expr
check "linking fails" 1 "" "ristretto: building (first use*) ... failed?\[link\] classes used by linked classes must be on the path; got Uses.class in ristretto-expr-9.jar: Could not resolve class Left; put its libraries on the path, or leave out the jar?ristretto: linking the build failed; its output is in $log/link.log" \
  steps devices
rm "$scratch/uses/Uses.class"
echo "an engine" >"$scratch/uses/engine"
"$own_jdk/bin/jar" --create --file "$scratch/engine.jar" -C "$scratch/uses" engine
made expr expr
sed -i.bak "s|uses.jar|engine.jar|" "$scratch/maven"
check "training fails" 1 "" "ristretto: building (first use*) ... failed?*error*?ristretto: runs start slower, because creating the AOT cache failed; its output is in $log/train.log; RISTRETTO_AOT=off skips it*" \
  steps devices

# TornadoVM's classes are in its SDK, so our classes are not linked ahead with them.
touch "$scratch/tornado/tornado-argfile"
made kernels/tornado tornado
check "a build with TornadoVM" 1 "*" "ristretto: TORNADOVM_HOME is not set; using SDKMAN's TornadoVM 5.2.0-jdk25 in $scratch/.sdkman/candidates/tornadovm/current?ristretto: building (first use*) ... done in * s*" \
  env RISTRETTO_DEBUG=1 bash -c "$(declare -f steps); scratch='$scratch' own_jdk='$own_jdk'; steps --tornado devices"
check "a build with TornadoVM, again" 1 "*" "" steps --tornado devices

# A build that others could write does not run.
chmod o+w "$log"/tornado-*/java.args
check "options that others may write" 1 "*" "ristretto: building (first use*) ... done in * s*" steps --tornado devices
check "and are ours again" 1 "*" "" steps --tornado devices
touch "$log/planted"
chmod g+w "$log"
check "a folder of builds that others may write to" 1 "*" "ristretto: building (first use*) ... done in * s*" steps --tornado devices
check "loses what they wrote" 2 "" "*planted*" ls "$log/planted"
(umask 002 && rm -rf "$log" && steps --tornado devices >/dev/null 2>&1)
check "a mask that lets groups write" 1 "*" "" steps --tornado devices
# Only root can create files of other users.
if [[ $EUID -eq 0 ]]; then
  chown 12345 "$log"
  check "a folder of builds of another user" 1 "" "ristretto: compiled programs are kept in $log, which others own or may write to: remove that permission (chmod -R go-w), or use your own copy." \
    steps --tornado devices
  chown 0 "$log"
fi

# .ci/run with and without TornadoVM's SDK, with fake steps that succeed at once.
mkdir -p "$scratch/ci/bin" "$scratch/ci/target/surefire-reports"
cp -R .ci launcher pom.xml examples "$scratch/ci"
mkdir "$scratch/ci/docs"
echo "Tests run: 1, Failures: 0, Errors: 0, Skipped: 0" >"$scratch/ci/target/surefire-reports/some.txt"
printf '#!/bin/sh\n%s\n' 'echo "tornado:0   a device"; echo "result: a=1"' >"$scratch/ci/ristretto"
for command in ristretto .ci/readme .ci/blocks .ci/notebooks .ci/javadoc .ci/sizes .ci/artifacts .ci/compatibility launcher/test.sh bin/mvn bin/apt-get bin/npm bin/node bin/chromium; do
  [[ $command == ristretto ]] || printf '#!/bin/sh\n' >"$scratch/ci/$command"
  chmod +x "$scratch/ci/$command"
done
check "CI with TornadoVM" 0 "*== test: ok*== tornado devices: ok*== tornado devices --check: ok*== tornado kit: ok*== tornado nnet3: ok*== tornado names: ok*== tornado Digits: ok*== tornado SpokenDigits: ok*All passed in * s, [01] skipped." "" \
  env -u TORNADOVM_HOME -u SDKMAN_DIR HOME="$scratch" RISTRETTO_JAVA_HOME="$own_jdk" PATH="$scratch/ci/bin:$PATH" "$scratch/ci/.ci/run"
check "CI without TornadoVM" 0 "*== tornado: SKIPPED: no SDK of TornadoVM 5.2.0-jdk25*SKIPPED: tornado (no SDK of TornadoVM 5.2.0-jdk25)?All passed in * s, [12] skipped." \
  "ristretto: the tornado device needs TornadoVM 5.2.0-jdk25, but TORNADOVM_HOME is not set and SDKMAN has none in *" \
  env -u TORNADOVM_HOME -u SDKMAN_DIR HOME=/nowhere RISTRETTO_JAVA_HOME="$own_jdk" PATH="$scratch/ci/bin:$PATH" "$scratch/ci/.ci/run"

# Two concurrent first uses: one builds, the other waits.
script Hello.java <<'END'
import module ristretto.expr;

void main(String[] args) throws Exception {
  IO.println("args " + List.of(args));
  IO.println("read " + new String(System.in.readAllBytes()).strip());
  System.exit(args.length);
}
END
rm -rf target/launcher
echo one | ./ristretto run "$scratch/Hello.java" >"$scratch/out1" 2>"$scratch/err1" &
echo two | ./ristretto run "$scratch/Hello.java" >"$scratch/out2" 2>"$scratch/err2"
wait $!
cat "$scratch/out1" "$scratch/out2" >"$scratch/out"
cat "$scratch/err1" "$scratch/err2" | LC_ALL=C sort | grep -v "$notice" >"$scratch/err"
judge "two first uses at once" $? 0 "args \[\]?read one?args \[\]?read two" \
  "ristretto: building \(first use*\) ... done in * s?ristretto: waiting for another build to finish ..."

# The build must have made the AOT caches; without the caches, runs work but start slower.
check "AOT caches" 0 "*/engine.aot*/javac-*.aot" "" ls target/launcher/engine-*/engine.aot target/launcher/javac-*.aot

# An interrupted compilation leaves no files. Processes in the background may ignore SIGINT, but not
# SIGTERM.
{
  echo 'void main() { int a = 0;'
  for ((k = 0; k < 3000; k++)); do echo "IO.println($k + a);"; done
  echo '}'
} >"$scratch/Slow.java"
interrupted() {
  local run waited=0
  set -m
  ./ristretto run "$scratch/Slow.java" >/dev/null &
  run=$!
  until compgen -G 'target/launcher/scripts/.new.*' >/dev/null || ((waited++ > 500)); do sleep 0.02; done
  kill -TERM -- -$run
  wait $run
  echo "status $?"
  compgen -G 'target/launcher/scripts/.new.*'
}
check "interrupted compilation" 1 "status 143" "*" interrupted

# Streams, arguments and exit codes pass through to the script.
check "exit code" 2 "args \[a, b c\]?read " "$notice" ./ristretto run "$scratch/Hello.java" a "b c"
cp "$scratch/Hello.java" "$scratch/with space/Hello.java"
cd "$scratch/with space" || exit 1
check "path with a space" 0 "args \[\]?read " "$notice" "$home/ristretto" run Hello.java
ln -s "$home/ristretto" "$scratch/link"
check "launcher through a link" 0 "args \[\]?read " "$notice" "$scratch/link" run ./Hello.java
check "absolute path" 1 "args \[--help\]?read " "$notice" "$home/ristretto" run "$scratch/with space/Hello.java" --help
mkdir "$scratch/empty"
check "no script is near" 2 "" "ristretto: no such script: $scratch/empty/x.java?ristretto: './ristretto run --help'*" \
  "$home/ristretto" run "$scratch/empty/x.java"
check "nearest script" 2 "" "*no such script: Helo.java; did you mean 'Hello.java'?*" "$home/ristretto" run Helo.java
cd "$home" || exit 1

# Classes that are linked ahead behave as before, without bootstrap at the first run.
script Forms.java <<'END'
import java.io.Serializable;
import java.util.*;
import java.util.function.*;

sealed interface Form<T> permits Forms.Circle, Forms.Box, Forms.Empty {
  private String own() {
    return "own " + this;
  }

  default Supplier<String> later() {
    return this::own;
  }

  default Supplier<String> lambda() {
    return () -> own() + own();
  }
}

final class Forms {
  record Circle<T>(double radius, T of) implements Form<T> {}

  record Box<T>(byte a, short b, char c, int d, long e, float f, double g, boolean h, int[] i, List<T> j)
      implements Form<T> {}

  record Empty<T>() implements Form<T> {}

  interface Twice extends IntUnaryOperator, Serializable {}

  private int count;

  private long add(int by) {
    count += by;
    return count;
  }

  private static String name(Form<?> form) {
    return switch (form) {
      case Circle<?> c when c.radius > 2 -> "large";
      case Circle<?>(double r, String of) -> "circle " + r + of;
      case Circle<?> _ -> "some circle";
      case Box<?> b -> "box " + b.d;
      case Empty<?> _ -> "empty";
    };
  }

  private static String kind(Object o) {
    return switch (o) {
      case null -> "null";
      case Integer i when i > 10 -> "much";
      case Integer i -> "int " + i;
      case String s -> "text " + s;
      case int[] a -> "ints " + a.length;
      case Object[] a -> "objects " + a.length;
      default -> "other";
    };
  }

  class Inner {
    IntFunction<String> text = n -> n + ":" + count;
    Supplier<Inner> maker = Inner::new;
  }

  static void main() {
    var lines = new ArrayList<String>();
    int[] ints = {1};
    var box = new Box<>((byte) 1, (short) 2, 'c', 4, 5L, -0f, Double.NaN, true, ints, List.of("x"));
    var same = new Box<>((byte) 1, (short) 2, 'c', 4, 5L, -0f, Double.NaN, true, ints, List.of("x"));
    var other = new Box<>((byte) 1, (short) 2, 'c', 4, 5L, 0f, Double.NaN, true, ints, List.of("x"));
    lines.add(box.toString().replaceAll("@[0-9a-f]+", "@"));
    lines.add(box.equals(same) + " " + box.equals(other) + " " + box.equals(null) + " " + box.equals(box));
    lines.add((box.hashCode() == same.hashCode()) + " " + new Circle<>(1.5, null).hashCode());
    lines.add(new Circle<>(1.5, null) + " " + new Empty<>() + new Empty<>().hashCode() + new Empty<>().equals(new Empty<>()));
    for (Form<?> form : List.of(new Circle<>(3, "a"), new Circle<>(1, "b"), new Circle<>(1, 4), box, new Empty<>())) {
      lines.add(name(form) + " " + form.later().get().indexOf("[") + " " + form.lambda().get().startsWith("own "));
    }
    for (Object o : Arrays.asList(null, 4, 40, "x", ints, new String[3], 4.0)) {
      lines.add(kind(o));
    }
    var forms = new Forms();
    IntConsumer adds = forms::add;
    adds.accept(3);
    IntToLongFunction added = forms::add;
    Function<Integer, Long> boxed = forms::add;
    BiFunction<Forms, Integer, Object> unbound = Forms::add;
    ToDoubleFunction<Integer> wide = i -> i;
    lines.add(added.applyAsLong(4) + " " + boxed.apply(5) + " " + unbound.apply(forms, 6) + " " + wide.applyAsDouble(7));
    long l = 8;
    double d = 9;
    float f = 1.5f;
    String s = "text";
    DoubleSupplier all = () -> l + d + f + s.length();
    Supplier<Object> boxing = all::getAsDouble;
    lines.add(all.getAsDouble() + " " + boxing.get());
    Function<String, StringBuilder> builder = StringBuilder::new;
    IntFunction<int[]> array = int[]::new;
    Function<Object, String> text = Object::toString;
    UnaryOperator<String> strip = String::strip;
    Comparator<String> order = String::compareTo;
    lines.add(builder.apply("b").append(array.apply(4).length).append(text.apply(5)).append(strip.apply(" x ")) + "" + order.compare("a", "b"));
    lines.add(forms.new Inner().maker.get().text.apply(4));
    Twice twice = x -> 2 * x;
    Runnable both = (Runnable & Serializable) () -> lines.add("both");
    both.run();
    lines.add("" + twice.applyAsInt(21));
    try {
      Function<Object, Integer> wrong = (Function<Object, Integer>) (Function<?, ?>) (Function<String, Integer>) String::length;
      wrong.apply(4);
    } catch (ClassCastException e) {
      lines.add("no cast");
    }
    lines.forEach(System.out::println);
  }
}
END
linked() {
  local jdk
  source launcher/jdk.sh
  source launcher/ownership.sh
  source launcher/build.sh
  find_jdk
  "$jdk/bin/javac" -XDsuppressNotes -d "$scratch/forms" "$scratch/Forms.java" &&
    "$jdk/bin/jar" --create --file "$scratch/forms.jar" -C "$scratch/forms" . &&
    "$jdk/bin/java" -cp "$scratch/forms.jar" Forms >"$scratch/before" &&
    link_ahead "$scratch/forms.jar" "$scratch/forms.jar" &&
    "$jdk/bin/java" -Xverify:all -cp "$scratch/forms.jar" Forms | diff "$scratch/before" - &&
    rm -r "$scratch/forms" && mkdir "$scratch/forms" &&
    (cd "$scratch/forms" && "$jdk/bin/jar" --extract --file ../forms.jar) &&
    "$jdk/bin/javap" -p -c -v $(find "$scratch/forms" -name '*.class') | grep -E 'REF_invokeStatic.*(Bootstraps|ObjectMethods|Metafactory)\.' |
      sed 's/.*REF_invokeStatic //; s/:.*//' | sort -u
}
check "linking ahead" 0 "java/lang/invoke/LambdaMetafactory.altMetafactory" "" linked

# File names and arguments are UTF-8 in a locale with ASCII encoding.
script größe.java <<'END'
void main(String[] args) throws Exception {
  var file = java.nio.file.Path.of(args[0]);
  java.nio.file.Files.writeString(file, "ä");
  IO.println(file.getFileName());
}
END
check "names in the locale C" 0 "ß ü.txt" "$notice" env LC_ALL=C ./ristretto run "$scratch/größe.java" "$scratch/ß ü.txt"
check "and their files" 0 "ä" "" cat "$scratch/ß ü.txt"
check "names without a locale" 0 "æ.txt" "$notice" env -u LC_ALL -u LC_CTYPE -u LANG ./ristretto run "$scratch/größe.java" "$scratch/æ.txt"

script Broken.java <<'END'
void main() {
  IO.println("one");
  int x = "two";
}
END
check "compile error" 1 "" \
  "$scratch/Broken.java:3: error: incompatible types*  int x = \"two\";*1 error" ./ristretto run "$scratch/Broken.java"
sed -i.bak 's/"two"/2/' "$scratch/Broken.java"
check "changed script" 0 "one" "$notice" ./ristretto run "$scratch/Broken.java"

script Throws.java <<'END'
void main() {
  throw new IllegalStateException("on purpose");
}
END
check "exception" 1 "" "*IllegalStateException: on purpose*Throws.java:2*" ./ristretto run "$scratch/Throws.java"

script three-lines.java <<'END'
void main() {
  IO.println(3);
}
END
check "name that is no class name" 0 "3" "$notice" ./ristretto run "$scratch/three-lines.java"
sed -i.bak 's/3)/3/' "$scratch/three-lines.java"
check "and its errors" 1 "" "$scratch/three-lines.java:2: error*" ./ristretto run "$scratch/three-lines.java"

script three.java <<'END'
void main() {
  IO.println(3);
}
END
check "a script" 0 "3" "$notice" ./ristretto run "$scratch/three.java"

# Classes that are damaged, or that others could write, are compiled again.
entry=$(echo target/launcher/scripts/three-[0-9a-f]*)
mkdir "$scratch/planted"
sed 's/3/4/' "$scratch/three.java" >"$scratch/planted/three.java"
"$own_jdk/bin/javac" -d "$scratch/planted" "$scratch/planted/three.java"
cp "$scratch/planted/three.class" "$entry/classes"
check "a class that was replaced" 0 "3" "$notice" ./ristretto run "$scratch/three.java"
plant() {
  cp "$scratch/planted/three.class" "$entry/classes"
  (cd "$entry" && find . -type f ! -name sums -exec sha256sum {} + >sums)
}
plant
check "a class that its owner replaced" 0 "4" "$notice" ./ristretto run "$scratch/three.java"
chmod o+w "$entry/classes/three.class"
check "a class that others may write" 0 "3" "$notice" ./ristretto run "$scratch/three.java"
plant
chmod g+w "$entry/classes"
check "a folder of classes that others may write to" 0 "3" "$notice" ./ristretto run "$scratch/three.java"
: >"$entry/classes/three.class"
check "an empty class" 0 "3" "$notice" ./ristretto run "$scratch/three.java"
if [[ $EUID -eq 0 ]]; then
  plant
  chown 12345 "$entry/classes/three.class"
  check "a class of another user" 0 "3" "$notice" ./ristretto run "$scratch/three.java"
fi
# Scripts with a first line #!, from standard input, and with classes beside them.
printf '#!%s run\nvoid main(String[] args) {\n  IO.println("tool " + List.of(args));\n}\n' "/usr/bin/env -S $home/ristretto" >"$scratch/tool"
chmod +x "$scratch/tool"
check "a script that is a command" 0 "tool \[a, b c\]" "$notice" "$scratch/tool" a "b c"
sed 's/List/Lost/' "$scratch/tool" >"$scratch/broken-tool"
check "and its errors" 1 "" "$scratch/broken-tool:3: error: cannot find symbol*1 error" ./ristretto run "$scratch/broken-tool"
check "a script from standard input" 0 "in \[x\]" "$notice" \
  bash -c 'echo "void main(String[] args) { IO.println(\"in \" + List.of(args)); }" | ./ristretto run - x'
check "errors in standard input" 1 "" "standard input:1: error: ';' expected*1 error" \
  bash -c 'echo "void main() { IO.println(1)) }" | ./ristretto run -'
check "nothing on standard input" 1 "" "ristretto: standard input has no main method: write \`void main() { ... }\`." ./ristretto run -
mkdir -p "$scratch/größe/more"
cat >"$scratch/größe/Uses.java" <<'END'
void main() {
  IO.println(Höhe.twice(4));
}
END
echo 'class Höhe { static int twice(int x) { return 2 * x; } }' >"$scratch/größe/Höhe.java"
check "a class beside the script" 0 "8" "$notice" env LC_ALL=C ./ristretto run "$scratch/größe/Uses.java"
sed -i.bak 's/2/3/' "$scratch/größe/Höhe.java"
check "and after a change of it" 0 "12" "$notice" ./ristretto run "$scratch/größe/Uses.java"
sed 's/twice(4)/twice(4) + none/' "$scratch/größe/Uses.java" >"$scratch/größe/Wrong.java"
check "an error beside uses of the class" 1 "" "$scratch/größe/Wrong.java:2: error: cannot find symbol*symbol: *variable none*1 error" ./ristretto run "$scratch/größe/Wrong.java"
mkdir "$scratch/other"
cp "$scratch/größe/Uses.java" "$scratch/other"
check "the script without the class" 1 "" "$scratch/other/Uses.java:2: error: cannot find symbol*1 error" ./ristretto run "$scratch/other/Uses.java"
echo 'class Höhe { static int twice(int x) { return "x"; } }' >"$scratch/größe/Höhe.java"
check "an error in the class" 1 "" "$scratch/größe/Höhe.java:1: error: incompatible types*1 error" ./ristretto run "$scratch/größe/Uses.java"
echo 'class Shape {}' >"$scratch/other/Shape.java"
cat >"$scratch/other/Shapes.java" <<'END'
import module ristretto.expr;

void main() {
  IO.println(Shape.of(2, 3));
}
END
check "a class of the library before one beside the script" 0 "\[2,3\]" "$notice" ./ristretto run "$scratch/other/Shapes.java"
cat >"$scratch/größe/Named.java" <<'END'
//SOURCES more/First.java
void main() {
  IO.println(First.NAME);
}
END
printf '//SOURCES Second.java\nclass First { static final String NAME = Second.name(); }\n' >"$scratch/größe/more/First.java"
echo 'class Second { static String name() { return "second"; } }' >"$scratch/größe/more/Second.java"
check "named sources" 0 "second" "$notice" ./ristretto run "$scratch/größe/Named.java"
printf '// SOURCES more/First.java\n// DEPS are none, and // SOURCES are above\nvoid main() { IO.println(First.NAME); }\n' >"$scratch/größe/Formatted.java"
check "a named source after a space" 0 "second" "$notice" ./ristretto run "$scratch/größe/Formatted.java"
sed -i.bak 's/"second"/"changed"/' "$scratch/größe/more/Second.java"
check "and after a change of one" 0 "changed" "$notice" ./ristretto run "$scratch/größe/Named.java"
rm "$scratch/größe/more/Second.java"
check "a named source that is missing" 1 "" "ristretto: $scratch/größe/more/First.java:1: //SOURCES names files by their path from the script's folder; there is no $scratch/größe/more/Second.java." \
  ./ristretto run "$scratch/größe/Named.java"

# Libraries of scripts, with Maven, or with a fake one for its failures.
cat >"$scratch/Library.java" <<'END'
//DEPS com.fasterxml.jackson.core:jackson-core:2.18.2
void main() throws Exception {
  var parser = new com.fasterxml.jackson.core.JsonFactory().createParser("[4]");
  parser.nextToken();
  parser.nextToken();
  IO.println(parser.getIntValue());
}
END
check "a library" 0 "4" "$notice" ./ristretto run "$scratch/Library.java"
check "a library, again, without Maven's repository" 0 "4" "$notice" env MAVEN_OPTS=-Dmaven.repo.local=/nowhere ./ristretto run "$scratch/Library.java"
sed 's/:2.*/:/' "$scratch/Library.java" >"$scratch/Wrong.java"
check "a library without a version" 1 "" "ristretto: $scratch/Wrong.java:1: //DEPS names libraries as group:artifact:version; got 'com.fasterxml.jackson.core:jackson-core:'." \
  ./ristretto run "$scratch/Wrong.java"
mkdir "$scratch/maven-bin"
# library MESSAGE: runs a script whose library Maven cannot fetch.
library() {
  printf '#!/bin/sh\necho "[ERROR] Failed: %s"\nexit 1\n' "$1" >"$scratch/maven-bin/mvn"
  chmod +x "$scratch/maven-bin/mvn"
  sed 's/2.18.2/0.0.0/' "$scratch/Library.java" >"$scratch/Missing.java"
  PATH=$scratch/maven-bin:$PATH ./ristretto run "$scratch/Missing.java"
}
check "a library that does not exist" 1 "" "ristretto: no repository has the library g:a:jar:0.0.0 (//DEPS in $scratch/Missing.java): check its group, artifact and version." \
  library "Could not find artifact g:a:jar:0.0.0 in central"
check "no connection" 1 "" "ristretto: the library g:a:jar:0.0.0 (//DEPS in $scratch/Missing.java) cannot be fetched: connect to its repository once; Maven keeps it for later runs." \
  library "Could not transfer artifact g:a:jar:0.0.0 from/to central: Unknown host"
check "Maven without a connection" 1 "" "ristretto: the library g:a:jar:0.0.0 (//DEPS in $scratch/Missing.java) cannot be fetched: connect to its repository once; Maven keeps it for later runs." \
  library "Cannot access central (https://repo) in offline mode and the artifact g:a:jar:0.0.0 has not been downloaded"
check "another failure of Maven" 1 "" "\[ERROR\] Failed: disk full?ristretto: Maven cannot fetch the libraries of $scratch/Missing.java (//DEPS)." \
  library "disk full"

# Texts do not depend on the language.
script Three.java <<'END'
import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() {
  var ctx = Context.open();
  var x = ctx.tensor(new float[] {-1, 0, 1});
  ctx.eval(map(x, v -> 1f / (1f + (float) Math.exp(-v)))).print();
}
END
check "a script in Turkish" 0 "f32\[3\]?\[0.26894143 0.5        0.7310586 \]" "$notice" \
  env RISTRETTO_JAVA_OPTS="-Duser.language=tr -Duser.country=TR" ./ristretto run "$scratch/Three.java"
check "errors of the compiler in German" 1 "" "Picked up *$scratch/other/Uses.java:2: error: cannot find symbol*1 error" \
  env JAVA_TOOL_OPTIONS=-Duser.language=de ./ristretto run "$scratch/other/Uses.java"

# The shell.
script commands <<'END'
float k = 3
map(ctx.tensor(new float[] {1, 2}), v -> v * k).print()
ctx.ones(F32, 2).plus(ctx.ones(F32, 3))
END
check "the shell" 0 "*jshell> f32\[2\]?\[3. 6.\]?*|  Exception ristretto.kernels.ShapeException: \[add\] shapes must broadcast; got a f32\[2\], b f32\[3\]; *|        at (#3:1)??jshell> *" "$notice" \
  bash -c "./ristretto shell <'$scratch/commands'"
check "the shell with TornadoVM" 2 "" "ristretto: 'shell' runs without TornadoVM: leave out --tornado.*" ./ristretto --tornado shell
check "the shell with TornadoVM's device" 1 "" "ristretto: the shell runs without TornadoVM: select another device with RISTRETTO_DEVICE." \
  env RISTRETTO_DEVICE=tornado ./ristretto shell

# Notebooks.
check "no option of notebook" 2 "" "ristretto: 'notebook' needs --install; after it, start a notebook with Jupyter.*" ./ristretto notebook
check "a slip in an option of notebook" 2 "" "ristretto: 'notebook' has no option '--instal'; did you mean '--install'?*" ./ristretto notebook --instal
check "two folders for a kernel" 2 "" "ristretto: 'notebook --install' takes one folder; got 'b' too.*" ./ristretto notebook --install a b
check "no file of ports" 2 "" "ristretto: 'notebook' takes --install; Jupyter starts it with a file of ports, which a is not.*" ./ristretto notebook a
check "notebooks with TornadoVM" 2 "" "ristretto: 'notebook' runs without TornadoVM: leave out --tornado.*" ./ristretto --tornado notebook --install
check "a kernel for notebooks" 0 "" "*ristretto: wrote $scratch/kernel/kernel.json; start a notebook with: jupyter notebook, kernel Ristretto*" \
  ./ristretto notebook --install "$scratch/kernel"
check "its description" 0 "*$PWD/ristretto*connection_file*" "" cat "$scratch/kernel/kernel.json"

script nomain.java <<'END'
record Point(int x, int y) {}
END
check "nothing to start" 1 "" "ristretto: $scratch/nomain.java has no main method: write \`void main() { ... }\`." \
  ./ristretto run "$scratch/nomain.java"
: >"$scratch/nothing.java"
check "an empty script" 1 "" "ristretto: $scratch/nothing.java has no main method*" ./ristretto run "$scratch/nothing.java"

script classic.java <<'END'
package some.where;

record First(int a) {
  public static void main(String[] args) {
    System.out.println(new Second());
  }
}

record Second() {}
END
check "classes in a package" 0 "Second\[\]" "$notice" ./ristretto run "$scratch/classic.java"

script Import.java <<'END'
import module ristretto.expr;
import module ristretto.onnx;
import module ristretto.symbolic;
import ristretto.symbolic.Executor;

void main(String[] args) {
  try (var ctx = Context.open()) {
    Variable<F32> x = Variable.input("x", Ops.F32, -1);
    Variable<F32> y = Layers.relu(x);
    var file = java.nio.file.Path.of(args[0]);
    new Executor(ctx, y).exportOnnx(file, y);
    var outputs = Onnx.load(ctx, file).run(java.util.Map.of("x", ctx.tensor(new float[] {-2, 3})));
    outputs.values().forEach(t -> IO.println(java.util.Arrays.toString(t.toFloatArray())));
  }
}
END
check "import of an ONNX model" 0 "\[0.0, 3.0\]" "$notice" ./ristretto run "$scratch/Import.java" "$scratch/relu.onnx"

script Debug.java <<'END'
void main() {
  IO.println("debug " + System.getenv("RISTRETTO_DEBUG"));
}
END
check "the level is the script's" 0 "debug 5" "$notice" env RISTRETTO_DEBUG=5 ./ristretto run "$scratch/Debug.java"
check "more JVM options" 0 "debug null" "$notice" env RISTRETTO_JAVA_OPTS="-Xmx64m -XX:+UseSerialGC" ./ristretto run "$scratch/Debug.java"

script Explained.java <<'END'
import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() {
  try (var ctx = Context.open()) {
    var x = ctx.tensor(new float[] {-1, 0, 1});
    ctx.assign(x, exp(x.neg()).plus(1));
  }
}
END
check "explain" 0 "" "$notice?\[plan\] Explained.java:7: 1 kernel, 0 temporaries?  1. map_negExpAdd_f32_flat_* over \[3\]: *?     buffers: t0" \
  ./ristretto explain "$scratch/Explained.java"

# Language models
model=$scratch/tiny.gguf
check "a random model" 0 "$model has 153 kB*result: parameters=* tensors=20" "$notice" ./ristretto run examples/llm/RandomModel.java tiny q8_0 "$model"
check "an answer" 0 "?*" "$notice" ./ristretto chat --prompt "Hello" --tokens 5 --temperature 0 "$model"
cp "$scratch/out" "$scratch/answer"
check "the same answer to a line" 0 "$(<"$scratch/answer")" "$notice" \
  bash -c "echo Hello | ./ristretto chat --tokens 5 --temperature 0 '$model'"
check "a model that is missing" 1 "" "$notice*ristretto: \[load] the file must be readable; got $scratch/none.gguf (no such file); check the path" \
  ./ristretto chat --prompt "Hello" "$scratch/none.gguf"
check "chat without a model" 2 "" "$notice*Missing required parameter: 'MODEL'*Usage: ./ristretto chat *" ./ristretto chat
check "a slip in an option of serve" 2 "" "$notice*Unknown option*'--ports'*--port*" ./ristretto serve --ports 80 "$model"
check "a port out of range" 1 "" "$notice*ristretto: \[serve] the port must be from 0 to 65535; got 99999." ./ristretto serve --port 99999 "$model"

check "devices" 0 "cpu:0 *, *[0-9] thread*, *[0-9]-bit vectors*" "$notice" ./ristretto devices
check "devices tells what tornado needs" 0 "*tornado     not available: TornadoVM is not loaded; install the SDK of TornadoVM 5.2.0-jdk25*" "$notice" \
  ./ristretto devices
check "devices without a driver of OpenCL" 0 "*opencl      not available: *" "$notice" \
  env OCL_ICD_VENDORS="$scratch/empty" OCL_ICD_FILENAMES= ./ristretto devices
if ! ldconfig -p 2>/dev/null | grep -q 'libcuda\.so'; then
  check "devices without a driver of CUDA" 0 "*cuda        not available: no CUDA driver found *" "$notice" ./ristretto devices
  check "a script without a driver of CUDA" 1 "" "*DeviceException: \[open\] no cuda device was found; no CUDA driver found *" \
    env RISTRETTO_DEVICE=cuda ./ristretto run "$scratch/Explained.java"
fi
check "devices --check" 0 "device *passed*worst error*copy GB/s*launch us?cpu:0 *[0-9] of [0-9]* ulp (*)*" "*cpu:0 ...*" ./ristretto devices --check
check "help of bench" 0 "Usage: ./ristretto bench *--only=REGEX*" "*" ./ristretto bench --help
check "list of bench" 0 "*copy*" "*" ./ristretto bench --list
check "wrong option of bench" 2 "" "*Unknown option: '--fast'*Usage: ./ristretto bench *" ./ristretto bench --fast

# read_only FOLDER COMMAND...: runs a command with a read-only folder, if the system allows it.
read_only() {
  local options=-m
  [[ $EUID -eq 0 ]] || options=-rm
  # shellcheck disable=SC2016
  unshare $options bash -c 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && cd "$1" && shift && "$@"' _ "$@"
}
if read_only "$home" true 2>/dev/null; then
  check "a build that others made" 0 "3" "$notice" \
    env XDG_CACHE_HOME="$scratch/cache" bash -c "$(declare -f read_only); read_only '$home' ./ristretto run '$scratch/three.java'"
  check "without a home" 1 "" "ristretto: compiled programs are kept in the user's cache folder, which is unknown: set HOME, or RISTRETTO_CACHE to a folder of yours." \
    env -u HOME -u XDG_CACHE_HOME -u RISTRETTO_CACHE RISTRETTO_JAVA_HOME="$own_jdk" bash -c "$(declare -f read_only); read_only '$home' ./ristretto run '$scratch/three.java'"
  mkdir -p "$scratch/open/ristretto"
  chmod a+w "$scratch/open/ristretto"
  check "a cache of anybody" 1 "" "ristretto: compiled programs are kept in $scratch/open/ristretto, which others own or may write to: set RISTRETTO_CACHE to a folder of yours." \
    env RISTRETTO_CACHE="$scratch/open/ristretto" bash -c "$(declare -f read_only); read_only '$home' ./ristretto run '$scratch/three.java'"
  if [[ $EUID -eq 0 ]]; then
    mkdir -p "$scratch/mine/scripts"
    chown 12345 "$scratch/mine/scripts"
    check "compiled scripts of another user" 1 "" "ristretto: compiled programs are kept in $scratch/mine/scripts, which others own or may write to: set RISTRETTO_CACHE to a folder of yours." \
      env RISTRETTO_CACHE="$scratch/mine" bash -c "$(declare -f read_only); read_only '$home' ./ristretto run '$scratch/three.java'"
    chown 12345 "$scratch/mine"
    check "a cache of another user" 1 "" "ristretto: compiled programs are kept in $scratch/mine, which others own or may write to: set RISTRETTO_CACHE to a folder of yours." \
      env RISTRETTO_CACHE="$scratch/mine" bash -c "$(declare -f read_only); read_only '$home' ./ristretto run '$scratch/three.java'"
  fi
  mkdir "$scratch/bare"
  cp -R ristretto launcher pom.xml "$scratch/bare"
  check "no place for a build" 1 "" "ristretto: cannot write to $scratch/bare/target/launcher, the folder of the builds: build once as *" \
    bash -c "$(declare -f read_only); read_only '$scratch/bare' ./ristretto devices"
fi

# A bundle, moved after it was written.
check "no folder" 2 "" "ristretto: 'bundle' needs the folder to write: ./ristretto bundle DIR*" ./ristretto bundle
check "two folders" 2 "" "ristretto: 'bundle' takes one folder; got 'b' too.*" ./ristretto bundle a b
check "option of bundle" 2 "" "ristretto: 'bundle' has no option '--zip'*" ./ristretto bundle --zip
check "a slip in an option of bundle" 2 "" "ristretto: 'bundle' has no option '--with-onedn'; did you mean '--with-onednn'?*" \
  ./ristretto bundle --with-onedn "$scratch/bundle"
check "a file" 1 "" "ristretto: $scratch/data.txt is a file; name a new folder." ./ristretto bundle "$scratch/data.txt"
check "a full folder" 1 "" "ristretto: launcher is not empty; name a new folder." ./ristretto bundle launcher
check "bundle" 0 "" "*ristretto: wrote $scratch/bundle (*); $scratch/bundle/bin/ristretto runs it, here and on machines like this one." \
  ./ristretto bundle "$scratch/bundle"
check "a bundle with oneDNN" 0 "" "*ristretto: wrote $scratch/onednn (*" ./ristretto bundle --with-onednn "$scratch/onednn"
check "and its libraries" 0 "*/dnnl-*" "" find "$scratch/onednn/lib" -name '*dnnl-*'
rm -rf "$scratch/onednn"
size=$(tar -cz -C "$scratch" bundle | wc -c)
check "a bundle without oneDNN" 0 "" "" find "$scratch/bundle/lib" -name '*dnn*'
echo "A bundle has $((size / 1000000)) MB when compressed"
[[ $size -le 60000000 ]] && passed=$((passed + 1)) || { failed=$((failed + 1)); echo "FAILED: size of the bundle"; }
mv "$scratch/bundle" "$scratch/with space/moved"
bundled() {
  env -i HOME="$scratch" PATH=/usr/bin:/bin "$scratch/with space/moved/bin/ristretto" "$@"
}
check "version of a bundle" 0 "ristretto [0-9]* (JDK [2-9][0-9]* in $scratch/with space/moved/runtime)" "" bundled --version
check "script of a bundle" 0 "args*" "ristretto: first use of this bundle, preparing ... done*" bundled run "$scratch/Hello.java"
check "script of a bundle, again" 0 "args*" "*$notice" bundled run "$scratch/Hello.java"
chmod o+w "$scratch/with space/moved/cache"/*/java.args
check "options of a bundle that others may write" 0 "args*" "ristretto: first use of this bundle, preparing ... done*" bundled run "$scratch/Hello.java"
if [[ $EUID -eq 0 ]]; then
  chown 12345 "$scratch/with space/moved/cache"
  check "a bundle's cache of another user" 1 "" "ristretto: compiled programs are kept in $scratch/with space/moved/cache, which others own or may write to: delete it, and remove their permission to write to $scratch/with space/moved." \
    bundled run "$scratch/Hello.java"
  chown 0 "$scratch/with space/moved/cache"
fi
check "benchmarks of a bundle" 0 "*copy*" "*" bundled bench --only copy --sizes 1e3 --threads 1 --peers none --output "$scratch/measured"
check "TornadoVM in a bundle" 1 "" "ristretto: a bundle has no tornado device: run it where Ristretto is built." bundled --tornado devices
check "bundle of a bundle" 1 "" "ristretto: a bundle cannot make another one; copy the folder $scratch/with space/moved." bundled bundle "$scratch/b"

# Time of a three-line script: printed, not checked, because machines differ.
check "three lines" 0 "f32\[3\]*0.5*" "$notice" ./ristretto run "$scratch/Three.java"
best=1000000
for _ in 1 2 3 4 5; do
  start=$(date +%s%N)
  ./ristretto run "$scratch/Three.java" >/dev/null 2>&1
  taken=$((($(date +%s%N) - start) / 1000000))
  [[ $taken -lt $best ]] && best=$taken
done
echo "A script of three lines, compiled before: $best ms in all (best of five)"

echo "launcher: $passed passed, $failed failed"
[[ $failed -eq 0 ]]
