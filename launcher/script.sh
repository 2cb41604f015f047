# Compiles scripts, caches the classes, and runs them.

# run_script COMMAND SCRIPT [ARGS]: replaces this process by the script's JVM. The variables `need`
# and `launch` may name other functions than need_engine and run_java.
run_script() {
  local command=$1
  shift
  case ${1:-} in
    -?*) wrong_usage "'$command' has no option '$1'; options of the script come after its name." ;;
    "") wrong_usage "'$command' needs a script: ./ristretto $command SCRIPT.java [ARGS]" ;;
  esac
  local script=$1 shown=$1 folder text classes main libraries=
  shift
  if [[ $script == - ]]; then
    shown="standard input"
    folder=$PWD
    IFS= read -r -d '' text
  else
    [[ -d $script ]] && wrong_usage "$script is a folder, not a script."
    [[ -f $script ]] || wrong_usage "no such script: $script$(nearest_script "$script")"
    [[ -r $script ]] || fail "cannot read $script"
    IFS= read -r -d '' text <"$script"
    [[ $script == *.java || $text == '#!'* ]] ||
      wrong_usage "$script is not a Java source: a script's name ends in .java, or its first line begins with #!"
    folder=$PWD
    [[ $script != */* ]] || folder=${script%/*}
    [[ $folder == /* || $script == /* ]] || folder=$PWD/$folder
    folder=${folder%/.}
  fi
  "${need:-need_engine}"
  need_classes
  "${launch:-run_java}" "$main" "$@"
}

nearest_script() {
  local file near=()
  for file in "$(dirname "$1")"/*.java examples/*.java; do
    [[ -f $file ]] && near+=("${file#./}")
  done
  [[ ${#near[@]} -eq 0 ]] || did_you_mean "${1#./}" "${near[@]}"
}

# need_classes: sets `classes`, `main` and `libraries`; compiles the script unless its classes are
# cached. Scripts with the same text in other folders are others, since they may use other sources.
need_classes() {
  local name=${script##*/} scripts=$store/scripts entry new cache
  # A build of another user may be read-only.
  if [[ ! -w $store ]]; then
    user_cache
    scripts=$cache/scripts
    close_folder "$scripts" "set RISTRETTO_CACHE to a folder of yours"
  fi
  name=${name%.java}
  [[ $script != - ]] || name=Stdin
  entry=$scripts/$name-$(digest <<<"$folder/$text")-${built##*-}
  if ! is_whole "$entry" || ! has_libraries; then
    rm -rf "$entry"
    (umask 022 && mkdir -p "$scripts") && new=$(mktemp -d "$scripts/.new.XXXXXX") ||
      fail "cannot write to $scripts, the folder of compiled scripts."
    temporary+=("$new")
    if ! (umask 022 && compile "$new" && sums "$new" && sums_of_sources "$new"); then
      exit 1
    fi
    mv "$new" "$entry" 2>/dev/null
    rm -rf "$new"
    has_libraries
  fi
  classes=$entry/classes
  read -r main <"$entry/main"
}

# has_libraries: sets `libraries` to the script's class path; false if a library is missing.
has_libraries() {
  local jar
  libraries=
  [[ -f $entry/libraries ]] || return 0
  while read -r jar; do
    [[ -e $jar ]] || return 1
    libraries=${libraries:+$libraries:}$jar
  done <"$entry/libraries"
}

# sums_of_sources FOLDER: adds the digests of the other sources that a script uses, so that it is
# compiled again when they change.
sums_of_sources() {
  local file
  [[ -f $1/used ]] || return 0
  while IFS= read -r file; do
    "${sha256[@]}" "$file" >>"$1/sums" || return
  done <"$1/used"
}

# compile FOLDER: writes classes/, the file `main` with the name of the main class, and the files
# `libraries` and `used` for scripts with libraries and other sources.
compile() {
  local source=$script class=${name//[^A-Za-z0-9_\$]/_} root sources=() libraries=() path
  [[ $class == [0-9]* ]] && class=_$class
  if [[ $class != "$name" || $script == - || $text == '#!'* ]]; then
    # The name of a compact source file must be a valid class name.
    source=$1/$class.java
    [[ $text != '#!'* ]] || text=//$text
    printf '%s' "$text" >"$source"
  fi
  if [[ $text == *DEPS* || $text == *SOURCES* ]]; then
    directives "$shown" "$folder" <<<"$text" || return
    if [[ ${#libraries[@]} -gt 0 ]]; then
      resolve "$1" || return
    fi
  fi
  path=$built
  [[ ! -f $built/compile.path ]] || path=$path:$(<"$built/compile.path")
  [[ ! -f $1/libraries ]] || path=$path:$(tr '\n' : <"$1/libraries")
  root=$(source_root)
  if ! compile_java -cp "$path" -d "$1/classes" "$source" ${sources[@]+"${sources[@]}"} >"$1/messages" 2>&1 </dev/null; then
    # Classes of files beside the script are found only if the script does not compile without them,
    # so that a file named like a class of a library does not hide that class.
    grep -q -E 'cannot find symbol|does not exist' "$1/messages" && compile_with_folder "$1" || {
      show_messages "$1/messages"
      return 1
    }
  fi
  if [[ ! -d $1/classes ]] || ! grep -q -w main "$source"; then
    say "$shown has no main method: write \`void main() { ... }\`."
    return 1
  fi
  used_sources "$1"
  if [[ ! -f $1/classes/$class.class ]]; then
    class=$(first_class "$1/classes" "$source")
  fi
  echo "$class" >"$1/main"
}

# compile_with_folder FOLDER: compiles the script with the sources in its folder.
compile_with_folder() {
  rm -rf "$1/classes"
  compile_java -cp "$path" -sourcepath "$root" -implicit:class -d "$1/classes" "$source" ${sources[@]+"${sources[@]}"} \
    >"$1/with-folder" 2>&1 </dev/null && return
  # Errors in files beside the script matter, and fewer errors in the script itself: the folder then
  # has some of the missing classes. Otherwise the first messages matter.
  if grep -v -F "$source:" "$1/with-folder" | grep -q "^$root/.*\.java:[0-9]" ||
    (($(errors "$1/with-folder") < $(errors "$1/messages"))); then
    mv "$1/with-folder" "$1/messages"
  fi
  return 1
}

# errors FILE: prints the number of a compiler's errors.
errors() { grep -c -E '^.+\.java:[0-9]+: error: ' "$1"; }

# show_messages FILE: prints the compiler's messages with the script's name.
show_messages() {
  local line
  while IFS= read -r line; do
    printf '%s\n' "${line/"$source"/"$shown"}"
  done <"$1" >&2
  if is_bundle && grep -q -F 'ristretto.onnx' "$1"; then
    say "bundles leave out the import of ONNX models (ristretto.onnx): run the script where Ristretto is built."
  fi
}

# source_root: prints the folder of the script's classes: above the folders of its package.
source_root() {
  local package
  package=$(grep -m1 -o -E '^package +[A-Za-z0-9_.]+' <<<"$text")
  package=${package##* }
  [[ -n $package && $folder == */${package//.//} ]] && echo "${folder%/"${package//.//}"}" || echo "$folder"
}

# used_sources FOLDER: writes the paths of the other sources whose classes were compiled to the file
# `used`.
used_sources() {
  local class file
  {
    for file in ${sources[@]+"${sources[@]}"}; do
      echo "$file"
    done
    find "$1/classes" -name '*.class' ! -name '*$*' | while IFS= read -r class; do
      class=${class#"$1/classes/"}
      file=$root/${class%.class}.java
      [[ -f $file && ! $file -ef $script ]] && echo "$file"
    done
  } | LC_ALL=C sort -u >"$1/used"
  [[ -s $1/used ]] || rm "$1/used"
}

spaced_directive='^// (DEPS( +[^: ]+:[^: ]+:[^: ]+)+|SOURCES( +[^ ]+[.]java)+) *$'

# directives NAME FOLDER: reads a source and adds the libraries of its lines //DEPS to `libraries`,
# and the files of its lines //SOURCES, with theirs, to `sources`.
directives() {
  local name=$1 folder=$2 line number=0 word words file known
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    line=${line%$'\r'}
    # Formatters add a space after the slashes.
    [[ ! $line =~ $spaced_directive ]] || line=//${line#// }
    case $line in
      "//DEPS "*)
        read -r -a words <<<"${line//,/ }"
        for word in "${words[@]:1}"; do
          [[ $word =~ ^[A-Za-z0-9._-]+:[A-Za-z0-9._-]+:[A-Za-z0-9._+-]+$ ]] || {
            say "$name:$number: //DEPS names libraries as group:artifact:version; got '$word'."
            return 1
          }
          libraries+=("$word")
        done
        ;;
      "//SOURCES "*)
        read -r -a words <<<"$line"
        for word in "${words[@]:1}"; do
          file=$word
          [[ $file == /* ]] || file=$folder/$file
          [[ -f $file && -r $file ]] || {
            say "$name:$number: //SOURCES names files by their path from the script's folder; there is no $file."
            return 1
          }
          known=
          for other in ${sources[@]+"${sources[@]}"}; do
            [[ $other -ef $file ]] && known=yes
          done
          [[ -n $known || $file -ef $script ]] && continue
          sources+=("$file")
          directives "$file" "${file%/*}" <"$file" || return
        done
        ;;
    esac
  done
}

# resolve FOLDER: writes the paths of the libraries, which Maven fetches into its repository, and of
# theirs to the file `libraries`.
resolve() {
  local library group artifact missing
  if is_bundle; then
    say "a bundle fetches no libraries (//DEPS in $shown): run the script where Ristretto is built."
    return 1
  fi
  command -v mvn >/dev/null || {
    say "Maven 3.8 or newer is needed for the libraries of $shown (//DEPS): install the package 'maven'."
    return 1
  }
  {
    echo "<project><modelVersion>4.0.0</modelVersion><groupId>script</groupId><artifactId>script</artifactId><version>0</version><dependencies>"
    for library in "${libraries[@]}"; do
      IFS=: read -r group artifact library <<<"$library"
      echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$library</version></dependency>"
    done
    echo "</dependencies></project>"
  } >"$1/pom.xml"
  if ! env JAVA_HOME="$jdk" mvn -B -ntp -f "$1/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.10.0:build-classpath \
    -Dmdep.includeScope=runtime -Dmdep.outputFile="$1/libraries.path" >"$1/messages" 2>&1 </dev/null; then
    missing=$(grep -o -E '(Could not find artifact|Could not transfer artifact|Cannot access [^ ]+ \([^)]*\) in offline mode and the artifact) [^ ]+' "$1/messages" | head -n 1)
    case $missing in
      "Could not find"*)
        say "no repository has the library ${missing##* } (//DEPS in $shown): check its group, artifact and version."
        ;;
      ?*)
        say "the library ${missing##* } (//DEPS in $shown) cannot be fetched: connect to its repository once; Maven keeps it for later runs."
        ;;
      *)
        grep '^\[ERROR\]' "$1/messages" | head -n 5 >&2
        say "Maven cannot fetch the libraries of $shown (//DEPS)."
        ;;
    esac
    return 1
  fi
  tr : '\n' <"$1/libraries.path" >"$1/libraries"
  echo >>"$1/libraries"
}

# first_class FOLDER SOURCE: prints the top-level class that comes first in the source.
first_class() {
  (
    script_path=$(cd "$(dirname "$2")" && pwd)/${2##*/}
    cd "$1" || exit
    find . -name '*.class' ! -name '*$*' | sed 's|^\./||; s|\.class$||; s|/|.|g' | while read -r class; do
      echo "$(grep -n -m1 -w -E "(class|record|enum|interface) +${class##*.}" "$script_path" | cut -d: -f1) $class"
    done | sort -n | head -1 | cut -d' ' -f2
  )
}

# run_shell ARGS: replaces this process by jshell with the engine.
run_shell() {
  local script=$home/launcher/Shell.java shown=launcher/Shell.java folder=$home/launcher text classes main libraries= service
  is_bundle && fail "a bundle has no shell: run it where Ristretto is built."
  IFS= read -r -d '' text <"$script"
  ! wants_tornado || fail "the shell runs without TornadoVM: select another device with RISTRETTO_DEVICE."
  need_engine
  need_classes
  service=$classes/META-INF/services/jdk.jshell.spi.ExecutionControlProvider
  [[ -f $service ]] || (umask 022 && mkdir -p "${service%/*}" && echo "$main" >"$service") ||
    fail "cannot write to $classes, the folder of compiled scripts."
  run_java "$main" "$(<"$built/path")" --startup DEFAULT --startup "$home/launcher/shell.jsh" "$@"
}

# run_notebook ARGS: writes the kernel's description for Jupyter, or replaces this process by the
# kernel.
run_notebook() {
  case ${1:-} in
    --install) [[ $# -le 2 ]] || wrong_usage "'notebook --install' takes one folder; got '$3' too." ;;
    "") wrong_usage "'notebook' needs --install; after it, start a notebook with Jupyter." ;;
    -*) wrong_usage "'notebook' has no option '$1'$(did_you_mean "$1" --install)" ;;
    *) [[ -f $1 ]] || wrong_usage "'notebook' takes --install; Jupyter starts it with a file of ports, which $1 is not." ;;
  esac
  is_bundle && fail "a bundle has no notebooks: run it where Ristretto is built."
  need_notebook
  # shellcheck disable=SC2086
  exec "$jdk/bin/java" @"$built/java.args" -Dristretto.progress=true ${RISTRETTO_JAVA_OPTS:-} \
    ristretto.notebook.Notebook "$home/ristretto" "$@"
}

# run_java CLASS ARGS: replaces this process by a JVM with the engine, the options in the array
# jvm_options, and the script's classes.
run_java() {
  # shellcheck disable=SC2086
  exec "$jdk/bin/java" @"$built/java.args" ${jvm_options[@]+"${jvm_options[@]}"} ${RISTRETTO_JAVA_OPTS:-} \
    -cp "$(<"$built/path")${classes:+:$classes}${libraries:+:$libraries}" "$@"
}

# run_benchmarks ARGS: replaces this process by the benchmarks' JVM, whose child JVMs inherit its
# options.
run_benchmarks() {
  # shellcheck disable=SC2086
  exec "$jdk/bin/java" @"$built/java.args" ${RISTRETTO_JAVA_OPTS:-} ristretto.jmh.Bench "$@"
}
