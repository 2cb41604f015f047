# Builds the engine with Maven when its sources changed, and keeps the files for runs in
# target/launcher/KIND-DIGEST: our jars, the JVM's options (java.args, written last to mark a
# complete build) and the AOT cache. KIND is engine, bench for engine and benchmarks, notebook for
# engine and notebooks, spark for engine and Apache Spark, or tornado for the engine with TornadoVM.

store=$home/target/launcher

# Folder of Spark's installation; empty if this run does not use one.
spark=

need_engine() {
  local kind=engine
  if wants_tornado; then
    need_tornado
    kind=tornado
  fi
  build $kind "$home"/{pom.xml,ristretto,launcher} "$home"/{kernels/*,expr,report,plot,symbolic,onnx,llm,nnet3}/{pom.xml,src/main}
}

need_benchmarks() {
  build bench "$home"/{pom.xml,ristretto,launcher} "$home"/{kernels/*,expr,report,plot,symbolic,onnx,llm,nnet3,jmh}/{pom.xml,src/main}
}

need_notebook() {
  build notebook "$home"/{pom.xml,ristretto,launcher} "$home"/{kernels/*,expr,report,plot,symbolic,onnx,llm,nnet3,notebook}/{pom.xml,src/main}
}

# need_spark: a build with the module ristretto-spark and Spark's jars, of SPARK_HOME or of Maven.
need_spark() {
  wants_tornado && wrong_usage "commands on Spark run without TornadoVM: leave out --tornado and RISTRETTO_DEVICE=tornado."
  is_bundle && fail "a bundle has no module for Spark: run this where Ristretto is built."
  spark=${SPARK_HOME:-}
  [[ -z $spark || -d $spark/jars ]] || fail "SPARK_HOME is $spark, which has no folder 'jars': set it to the folder of an installation of Spark, or unset it for Spark's jars of Maven."
  build spark "$home"/{pom.xml,ristretto,launcher} "$home"/{kernels/*,expr,report,plot,symbolic,onnx,llm,nnet3,spark}/{pom.xml,src/main}
}

# build KIND SOURCE...: sets `built` to the folder of an up-to-date build.
build() {
  local kind=$1 source sources=()
  shift
  case ${RISTRETTO_AOT:-on} in
    on | off) ;;
    *) fail "RISTRETTO_AOT must be on or off; got '$RISTRETTO_AOT'." ;;
  esac
  if is_bundle; then
    unpack
    return
  fi
  for source in "$@"; do
    [[ -e $source ]] && sources+=("$source")
  done
  need_jdk
  close_folder "$store" "remove that permission (chmod -R go-w), or use your own copy"
  is_current && return
  local mask
  mask=$(umask)
  umask 022
  local digest
  if ! mkdir -p "$store" 2>/dev/null || [[ ! -w $store ]]; then
    # A build of another user, whose sources were copied or got other modes after it.
    digest=$(digest_of_sources)
    built=$store/$kind-$digest
    umask "$mask"
    is_complete && return
    fail "cannot write to $store, the folder of the builds: build once as a user who can, with the JDK in $jdk, or use your own copy."
  fi
  lock
  if ! is_current; then
    touch "$store/$kind.started"
    digest=$(digest_of_sources)
    built=$store/$kind-$digest
    is_complete || build_now
    printf '%s\n' "$digest" "$jdk $jdk_version${sdk:+ $sdk}${spark:+ $spark}" >"$store/$kind.started.$$"
    touch -r "$store/$kind.started" "$store/$kind.started.$$"
    mv "$store/$kind.started.$$" "$store/$kind.stamp"
  fi
  unlock
  umask "$mask"
}

# is_current: true if the stamp, which holds the digest and the JDK of the last build, matches the
# JDK and no source is newer than the stamp. The stamp has the time at which that build started.
is_current() {
  local stamp=$store/$kind.stamp digest built_with
  [[ -f $stamp ]] || return 1
  { read -r digest && read -r built_with; } <"$stamp"
  [[ $built_with == "$jdk $jdk_version${sdk:+ $sdk}${spark:+ $spark}" ]] || return 1
  built=$store/$kind-$digest
  is_complete && [[ -z $(find "${sources[@]}" -newercm "$stamp" -print -quit) ]]
}

is_complete() {
  [[ -f $built/java.args ]] || return 1
  local jar
  while read -r jar; do
    [[ -e $jar ]] || return 1
  done <"$built/libraries"
}

digest_of_sources() {
  {
    echo "$jdk $jdk_version${sdk:+ $sdk}${spark:+ $spark}"
    find "${sources[@]}" -type f -print0 | LC_ALL=C sort -z | xargs -0 cat
  } | digest
}

# digest: prints the first 16 hexadecimal digits of the SHA-256 of standard input.
digest() {
  local sum
  sum=$("${sha256[@]}")
  echo "${sum:0:16}"
}

# lock: allows one build at a time; a second launcher waits, and then finds the build done.
lock() {
  if command -v flock >/dev/null; then
    exec 9>"$store/lock"
    flock -n 9 && return
    say "waiting for another build to finish ..."
    flock 9
  else
    local waited=0 owner
    until mkdir "$store/lock.d" 2>/dev/null; do
      read -r owner 2>/dev/null <"$store/lock.d/owner" && ! kill -0 "$owner" 2>/dev/null && rm -rf "$store/lock.d"
      [[ $((waited++)) -eq 1 ]] && say "waiting for another build to finish ..."
      sleep 1
    done
    temporary+=("$store/lock.d")
    echo $$ >"$store/lock.d/owner"
  fi
}

unlock() {
  exec 9>&-
  rm -rf "$store/lock.d"
}

build_now() {
  local log=$store/build.log started=$SECONDS modules=()
  command -v mvn >/dev/null || fail "Maven 3.8 or newer is needed to build: install the package 'maven'."
  printf 'ristretto: building (%s) ... ' "$([[ -f $store/$kind.stamp ]] && echo "sources changed" || echo "first use, fetches libraries")" >&2
  case $kind in
    bench) modules=(-pl '!notebook,!spark') ;;
    notebook) modules=(-pl '!jmh,!spark') ;;
    spark) modules=(-pl '!jmh,!notebook') ;;
    *) modules=(-pl '!jmh,!notebook,!spark') ;;
  esac
  run_maven -f "$home/pom.xml" -Dmaven.test.skip=true -Dmaven.compiler.debuglevel=lines,source -Dlauncher \
    package ${modules[@]+"${modules[@]}"} >"$log" 2>&1 9>&- || step_failed "the build" "$log"
  collect
  complete
  remove_old
}

# run_maven ARGS: runs Maven without checks. Unless this run uses TornadoVM, its device is not built,
# even if an SDK is installed.
run_maven() {
  env -u TORNADOVM_HOME ${sdk:+TORNADOVM_HOME="$sdk"} JAVA_HOME="$jdk" mvn -q -B -ntp -Dquick -P '!tornado-of-sdkman' "$@" </dev/null
}

# step_failed STEP LOG: ends the build's progress line, shows Maven's errors or else the last lines
# of the log, and exits.
step_failed() {
  show_failure "$2"
  fail "$1 failed; its output is in $2"
}

show_failure() {
  local errors
  errors=$(grep '^\[ERROR\]' "$1" | grep -v -E '^\[ERROR\] *($|To see|Re-run|For more|\[Help|After correcting|  mvn)' | head -n 20)
  printf 'failed\n%s\n' "${errors:-$(tail -n 20 "$1")}" >&2
}

# complete: makes the AOT cache, marks the build as complete, and ends the build's progress line.
complete() {
  if train >"$store/train.log" 2>&1 </dev/null 9>&-; then
    echo "done in $((SECONDS - started)) s" >&2
  else
    show_failure "$store/train.log"
    say "runs start slower, because creating the AOT cache failed; its output is in $store/train.log; RISTRETTO_AOT=off skips it"
  fi
  mv "$built/java.args.new" "$built/java.args"
  temporary=()
}

# read_version: sets `version`.
read_version() {
  version=unknown
  if is_bundle; then
    read -r version <"$home/version"
  else
    read_property revision version
  fi
}

# read_property NAME VARIABLE: sets the variable to the value of a property of pom.xml.
read_property() {
  local line
  while read -r line; do
    if [[ $line == "<$1>"*"</$1>" ]]; then
      line=${line#"<$1>"}
      printf -v "$2" %s "${line%"</$1>"}"
      return
    fi
  done <"$home/pom.xml"
}

# collect: copies our jars, links their lambdas, and writes the JVM's options.
collect() {
  local list folder jar name version jars=() ours=()
  rm -rf "$built"
  mkdir -p "$built"
  temporary+=("$built")
  read_version
  for list in "$home"/{kernels/*,expr,report,plot,symbolic,onnx,llm,nnet3,jmh,notebook,spark}/target/launcher/libraries; do
    [[ $list -nt $store/$kind.started ]] || continue
    folder=${list%/target/launcher/libraries}
    cp "$folder"/target/launcher/ristretto-*-"$version".jar "$built/"
    IFS=: read -r -a jars <"$list"
    printf '%s\n' "${jars[@]}" >>"$built/libraries.all"
    # Spark's jars are no modules, so the module for Spark is none.
    [[ $folder != */spark ]] || continue
    while read -r name; do
      if [[ $name =~ ^(open )?module\ ([a-z0-9.]+) ]]; then ours+=("${BASH_REMATCH[2]}"); fi
    done <"$folder/src/main/java/module-info.java"
  done
  if [[ ${#ours[@]} -eq 0 ]]; then
    show_failure "$log"
    fail "the build produced no modules; its output is in $log"
  fi
  grep -v -F "$home/" "$built/libraries.all" | LC_ALL=C sort -u | copy_libraries >"$built/libraries" ||
    fail "cannot copy the libraries to $store/lib: free space there."
  local path=
  for jar in "$built"/*.jar; do
    path=$path:$jar
  done
  while read -r jar; do
    path=$path:$jar
  done <"$built/libraries"
  path=${path#:}
  [[ $path == */jocl-* ]] && ours+=(jocl jocl.blast)
  [[ $path == */jcuda-* ]] && ours+=(jcuda)
  (IFS=, && echo "${ours[*]}") >"$built/modules"
  jars=()
  for jar in "$built"/ristretto-*.jar; do
    # Linked classes make bundles larger. These modules run rarely, or with a driver that starts
    # slowly; besides, the classes of TornadoVM's SDK are in folders and modules of their own.
    [[ $jar == *-testkit-* || $jar == *-jmh-* || $jar == *-cuda-* || $jar == *-tornado-* || $jar == *-spark-* ]] || jars+=("$jar")
  done
  local modules=$path
  if [[ $kind == spark ]]; then
    spark_libraries
    modules=${path//"$(echo "$built"/ristretto-spark-*.jar)":/}
    echo "$(echo "$built"/ristretto-spark-*.jar):$spark_path" >"$built/compile.path"
    path=$path:$spark_path
  fi
  log=$store/link.log
  link_ahead "$path" ${jars[@]+"${jars[@]}"} >"$log" 2>&1 || step_failed "linking the build" "$log"
  write_arguments "$path" "$(<"$built/modules")" "$modules"
}

# copy_libraries: copies the jars whose paths it reads, because other users may not be able to read
# Maven's repository, and prints the paths of the copies.
copy_libraries() {
  local jar copy
  mkdir -p "$store/lib"
  while read -r jar; do
    copy=$store/lib/${jar##*/}
    if ! cmp -s "$jar" "$copy"; then
      if [[ -e $copy ]]; then
        mkdir -p "$built/lib"
        copy=$built/lib/${jar##*/}
      fi
      cp "$jar" "$copy.new" && mv "$copy.new" "$copy" || return 1
    fi
    echo "$copy"
  done
}

# spark_libraries: sets `spark_path` to Spark's jars, without what the other jars have already.
spark_libraries() {
  local jar jars name known="|" all=()
  for jar in "$built"/*.jar $(<"$built/libraries"); do
    name=${jar##*/}
    known="$known${name%-[0-9]*}|"
  done
  if [[ -n $spark ]]; then
    all=("$spark"/jars/*.jar)
  else
    while read -r jar; do
      all+=("$jar")
    done < <(tr : '\n' <"$home/spark/target/launcher/spark-libraries" | grep -v -F "$home/" | copy_libraries)
  fi
  spark_path=
  for jar in "${all[@]}"; do
    name=${jar##*/}
    [[ $known == *"|${name%-[0-9]*}|"* ]] && continue
    # Programs log with slf4j-simple, as all commands do.
    [[ $name == log4j-slf4j2-impl-* || $name == slf4j-* ]] || spark_path=$spark_path:$jar
  done
  spark_path=${spark_path#:}
  tr : '\n' <<<"$spark_path" >>"$built/libraries"
}

# link_ahead PATH JAR...: replaces the bootstrap of lambdas and other dynamic calls in the jars by
# classes; the jars' dependencies are on the path.
link_ahead() {
  local path=$1
  shift
  "$jdk/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$path" "$home/launcher/LinkAhead.java" "$@"
}

# unpack: sets `built` to the folder of a bundle's options and AOT cache, beside the bundle's jars
# if that is writable, or in the user's cache. The folder's name depends on the bundle's path, which
# the options contain, so a bundle that was moved is prepared again.
unpack() {
  local jar path= started=$SECONDS cache mask
  need_jdk
  mask=$(umask)
  umask 022
  store=$home/cache
  if ! mkdir -p "$store" 2>/dev/null || [[ ! -w $store ]]; then
    user_cache
    store=$cache/bundle
  fi
  close_folder "$store" "delete it, and remove their permission to write to $home"
  built=$store/$kind-$(echo "$home $jdk_version" | cat - "$home/version" | digest)
  if ! is_complete; then
    mkdir -p "$built" || fail "cannot write to $store, the folder of prepared runs."
    prepare
  fi
  umask "$mask"
}

prepare() {
  lock
  if ! is_complete; then
    printf 'ristretto: first use of this bundle, preparing ... ' >&2
    for jar in "$home"/lib/*.jar; do
      path=$path:$jar
    done
    if [[ $kind == bench ]]; then
      for jar in "$home"/lib/bench/*.jar; do
        path=$path:$jar
      done
    fi
    : >"$built/libraries"
    write_arguments "${path#:}" "$(<"$home/lib/modules")"
    complete
  fi
  unlock
}

# user_cache: sets `cache` to the user's cache folder, by the engine's rules. Fails if other users
# own it or can replace its entries; the entries' own modes are checked by close_folder.
user_cache() {
  local parent=${HOME:+$HOME/.cache}
  [[ ${XDG_CACHE_HOME:-} != /* ]] || parent=$XDG_CACHE_HOME
  cache=${RISTRETTO_CACHE:-${parent:+$parent/ristretto}}
  [[ -n $cache ]] ||
    fail "compiled programs are kept in the user's cache folder, which is unknown: set HOME, or RISTRETTO_CACHE to a folder of yours."
  (umask 022 && mkdir -p "$cache") 2>/dev/null && [[ -w $cache ]] || fail "cannot write to $cache, the folder of compiled programs."
  cache=$(cd "$cache" && pwd)
  ! is_open "$cache" ||
    fail "compiled programs are kept in $cache, which others own or may write to: set RISTRETTO_CACHE to a folder of yours."
}

# write_arguments PATH MODULES [MODULE_PATH]: writes the argument files of the compiler and the JVM.
# The module path of the compiler is PATH unless it is given.
write_arguments() {
  local path=$1 ours=$2
  {
    echo "--module-path $(quoted "${3:-$path}")"
    echo "--add-modules ALL-MODULE-PATH,jdk.incubator.vector"
  } >"$built/javac.args"
  [[ $kind == engine || $kind == spark ]] && echo "$built/warmup.jar:$path" >"$built/path" || echo "$built/warmup.jar" >"$built/path"
  {
    if [[ $kind == tornado ]]; then
      tornado_arguments "$path" "$ours"
      echo "--enable-native-access=ALL-UNNAMED,$ours"
    elif [[ $kind == bench || $kind == notebook || $kind == spark ]]; then
      echo "-cp $(quoted "$path") --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED"
    else
      echo "--add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED"
    fi
    # The JVM writes warnings about its caches to standard output, which belongs to the script.
    echo "-Xlog:disable -Xlog:all=error:stderr -Xlog:aot*=off -Xlog:cds*=off"
    echo "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
    # Warnings of Spark that no user can act on, and errors that are thrown too.
    [[ $kind != spark ]] || printf -- '-Dorg.slf4j.simpleLogger.log.%s\n' org.apache.spark.SparkContext=off \
      org.apache.spark.util.Utils=error org.apache.spark.metrics=error org.apache.hadoop.util.NativeCodeLoader=error
    # protobuf-java, which reads ONNX files, uses sun.misc.Unsafe; without the option the JVM warns
    # on standard error.
    echo "--sun-misc-unsafe-memory-access=allow"
    # Generated vector code is slow until C2 compiles it, so 0.01 of the usual threshold applies.
    echo "-XX:CompileCommand=quiet"
    echo "-XX:CompileCommand=CompileThresholdScaling,ristretto.kernels.cpu.codegen.Generated*::*,0.01"
    echo "-XX:CompileCommand=CompileThresholdScaling,ristretto.kernels.cpu.moves.VectorMoves::*,0.01"
    echo "-XX:CompileCommand=CompileThresholdScaling,ristretto.kernels.cpu.block.*::*,0.01"
    # The hand-written loops of benchmarks get the same threshold for a fair comparison.
    [[ $kind != bench ]] || echo "-XX:CompileCommand=CompileThresholdScaling,ristretto.jmh.twin.*::*,0.01"
  } >"$built/java.args.new"
}

# quoted TEXT: quotes text for a JVM's argument file.
quoted() {
  local text=${1//\\/\\\\}
  echo "\"${text//\"/\\\"}\""
}

# train: runs a typical script once, so that the JVM writes an AOT cache: the engine's classes
# parsed and linked, and profiles of its methods. A cache is valid for class paths that start with
# the one it was made with, so scripts run with warmup.jar in front. RISTRETTO_AOT=off skips the
# cache.
train() {
  [[ $kind == engine && ${RISTRETTO_AOT:-} != off ]] || return 0
  local classes=$built/warmup status name
  if [[ ! -f $store/javac-$jdk_version.aot ]]; then
    "$jdk/bin/javac" -J-XX:+UseSerialGC -J-XX:AOTCacheOutput="$store/javac-$jdk_version.aot" @"$built/javac.args" \
      -proc:none -d "$classes" "$home"/launcher/WarmUp*.java
  fi
  compile_java -d "$classes" "$home"/launcher/WarmUp*.java &&
    "$jdk/bin/jar" --create --file "$built/warmup.jar" -C "$classes" . &&
    (
      # The cache is made with default settings, independent of this run's.
      for name in ${!RISTRETTO_@}; do
        [[ $name == RISTRETTO_CACHE ]] || unset "$name"
      done
      "$jdk/bin/java" @"$built/java.args.new" -XX:AOTCacheOutput="$built/engine.aot" \
        -cp "$(<"$built/path")" ristretto.launcher.WarmUp
    ) && [[ -f $built/engine.aot ]] &&
    echo "-XX:AOTCache=$(quoted "$built/engine.aot")" >>"$built/java.args.new"
  status=$?
  rm -rf "$classes"
  return $status
}

# compile_java ARGS: runs javac with the engine's modules and without notices.
compile_java() {
  local cache=$store/javac-$jdk_version.aot options=()
  [[ -f $cache ]] && options=(-J-XX:AOTCache="$cache")
  # Messages are English in every locale.
  "$jdk/bin/javac" ${options[@]+"${options[@]}"} -J-Duser.language=en -J-Xlog:disable -J-XX:+UseSerialGC @"$built/javac.args" \
    -Xlint:-incubating -proc:none -g -cp "$built" "$@"
}

# remove_old: deletes all but the three newest builds, libraries that no build uses, and scripts
# compiled over a month ago.
remove_old() {
  local old
  ls -dt "$store/$kind"-*/ | tail -n +4 | while read -r old; do rm -rf "$old"; done
  for old in "$store/lib"/*.jar; do
    grep -q -x -F -e "$old" "$store"/*/libraries || rm -f "$old"
  done
  find "$store/scripts" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} + 2>/dev/null
}
