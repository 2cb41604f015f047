# Compiles scripts, caches the classes, and runs them.

# run_script COMMAND SCRIPT [ARGS]: replaces this process by the script's JVM.
run_script() {
  local command=$1
  shift
  case ${1:-} in
    --help | -h) usage && exit 0 ;;
    -?*) wrong_usage "'$command' has no option '$1'; options of the script come after its name." ;;
    "") wrong_usage "'$command' needs a script: ./ristretto $command SCRIPT.java [ARGS]" ;;
  esac
  local script=$1 classes main
  shift
  [[ -d $script ]] && wrong_usage "$script is a folder, not a script."
  [[ -f $script ]] || wrong_usage "no such script: $script$(nearest_script "$script")"
  [[ -r $script ]] || fail "cannot read $script"
  [[ $script == *.java ]] || wrong_usage "$script is not a Java source: a script's name ends in .java"
  need_engine
  need_classes
  run_java "$main" "$@"
}

nearest_script() {
  local file near=()
  for file in "$(dirname "$1")"/*.java examples/*.java; do
    [[ -f $file ]] && near+=("${file#./}")
  done
  [[ ${#near[@]} -eq 0 ]] || did_you_mean "${1#./}" "${near[@]}"
}

# need_classes: sets `classes` and `main`; compiles the script unless its classes are cached.
need_classes() {
  local name=${script##*/} scripts=$store/scripts entry new cache
  # A build of another user may be read-only.
  if [[ ! -w $store ]]; then
    user_cache
    scripts=$cache/scripts
    close_folder "$scripts" "set RISTRETTO_CACHE to a folder of yours"
  fi
  name=${name%.java}
  entry=$scripts/$name-$(digest <"$script")-${built##*-}
  if ! is_whole "$entry"; then
    rm -rf "$entry"
    (umask 022 && mkdir -p "$scripts") && new=$(mktemp -d "$scripts/.new.XXXXXX") ||
      fail "cannot write to $scripts, the folder of compiled scripts."
    if ! (umask 022 && compile "$new" && sums "$new"); then
      rm -rf "$new"
      exit 1
    fi
    mv "$new" "$entry" 2>/dev/null
    rm -rf "$new"
  fi
  classes=$entry/classes
  read -r main <"$entry/main"
}

# compile FOLDER: writes classes/ and the file `main` with the name of the main class.
compile() {
  local source=$script class=${name//[^A-Za-z0-9_\$]/_} line
  [[ $class == [0-9]* ]] && class=_$class
  if [[ $class != "$name" ]]; then
    # The name of a compact source file must be a valid class name.
    source=$1/$class.java
    cp "$script" "$source"
  fi
  if ! compile_java -d "$1/classes" "$source" >"$1/messages" 2>&1 </dev/null; then
    while IFS= read -r line; do
      printf '%s\n' "${line/"$source"/"$script"}"
    done <"$1/messages" >&2
    if is_bundle && grep -q -F 'ristretto.onnx' "$1/messages"; then
      say "bundles leave out the import of ONNX models (ristretto.onnx): run the script where Ristretto is built."
    fi
    return 1
  fi
  if [[ ! -d $1/classes ]] || ! grep -q -w main "$script"; then
    say "$script has no main method: write \`void main() { ... }\`."
    return 1
  fi
  if [[ ! -f $1/classes/$class.class ]]; then
    class=$(first_class "$1/classes")
  fi
  echo "$class" >"$1/main"
}

# first_class FOLDER: prints the top-level class that comes first in the source.
first_class() {
  (
    script_path=$(cd "$(dirname "$script")" && pwd)/${script##*/}
    cd "$1" || exit
    find . -name '*.class' ! -name '*$*' | sed 's|^\./||; s|\.class$||; s|/|.|g' | while read -r class; do
      echo "$(grep -n -m1 -w -E "(class|record|enum|interface) +${class##*.}" "$script_path" | cut -d: -f1) $class"
    done | sort -n | head -1 | cut -d' ' -f2
  )
}

# run_java CLASS ARGS: replaces this process by a JVM with the engine, the options in the array
# jvm_options, and the script's classes.
run_java() {
  # shellcheck disable=SC2086
  exec "$jdk/bin/java" @"$built/java.args" ${jvm_options[@]+"${jvm_options[@]}"} ${RISTRETTO_JAVA_OPTS:-} \
    -cp "$(<"$built/path")${classes:+:$classes}" "$@"
}

# run_benchmarks ARGS: replaces this process by the benchmarks' JVM, whose child JVMs inherit its
# options.
run_benchmarks() {
  # shellcheck disable=SC2086
  exec "$jdk/bin/java" @"$built/java.args" ${RISTRETTO_JAVA_OPTS:-} ristretto.jmh.Bench "$@"
}
