# Parts of a CI run, for `.ci/run`: each keeps its output in the folder `logs`, for the sum at the end, and a failure in `worst`.
# shellcheck shell=bash disable=SC2034,SC2154

part() { # NAME COMMAND...: its output is kept for the sum at the end
  printf '\n=== %s\n' "$1"
  local code=0
  "${@:2}" 2>&1 | tee -- "$logs/$1" || code=$?
  ((code == 0)) || worst=1
}

side_by_side() { # NAME COMMAND... [-- NAME COMMAND...]...: parts that wait for most of their time; each is shown when all are done
  local names=() running=() name words
  while (($#)); do
    name=$1 words=() && shift
    while (($#)) && [[ $1 != -- ]]; do words+=("$1") && shift; done
    (($#)) && shift
    "${words[@]}" >"$logs/$name" 2>&1 </dev/null &
    running+=($!) names+=("$name")
  done
  for name in "${!names[@]}"; do
    wait "${running[name]}" || worst=1
    printf '\n=== %s\n' "${names[name]}"
    cat -- "$logs/${names[name]}"
  done
}
