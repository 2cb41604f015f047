# Submits scripts to Apache Spark.

# spark_submit [OPTIONS] SCRIPT.java [ARGS]: replaces this process by Spark's own command, with the
# script's classes in a jar.
spark_submit() {
  submit_options=()
  while [[ $# -gt 0 && ($1 == -* || ${submit_options[*]: -1} == --*) && $1 != *.java ]]; do
    submit_options+=("$1")
    shift
  done
  [[ $# -gt 0 ]] || wrong_usage "'spark-submit' needs a script: ./ristretto spark-submit --master local[2] SCRIPT.java [ARGS]"
  need=need_spark launch=submit
  run_script spark-submit "$@"
}

# submit MAIN ARGS: starts Spark's command. Our jars go to the executors, and options that compile
# vector code early.
submit() {
  local main=$1 jar=${classes%/classes}/script.jar jars=() more
  shift
  if [[ ! -f $jar ]]; then
    "$jdk/bin/jar" --create --file "$jar.$$" -C "$classes" . && mv "$jar.$$" "$jar" || fail "cannot write $jar"
  fi
  jars=("$built"/ristretto-*.jar)
  while read -r more; do
    [[ ${more##*/} =~ ^(openblas|javacpp|fastcsv|dnnl)- ]] && jars+=("$more")
  done <"$built/libraries"
  more=$(grep -o -e '-XX:CompileCommand=[^ ]*' "$built/java.args" | tr '\n' ' ')
  # shellcheck disable=SC2086
  exec "$jdk/bin/java" @"$built/java.args" ${RISTRETTO_JAVA_OPTS:-} -cp "$(<"$built/path")${libraries:+:$libraries}" \
    org.apache.spark.deploy.SparkSubmit --conf "spark.executor.extraJavaOptions=$more" \
    --jars "$(IFS=, && echo "${jars[*]}${libraries:+,${libraries//:/,}}")" \
    --class ristretto.spark.SubmittedScript ${submit_options[@]+"${submit_options[@]}"} "$jar" "$main" "$@"
}
