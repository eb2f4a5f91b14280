# shellcheck shell=bash
# What ./test says at its end: what failed, with the command that runs just that; what was left out; where the time went; the sum.

# sums LOG: PASSED FAILED SKIPPED. Surefire closes each module with one line; the lines of single classes go on with a time.
sums() {
  sed -nE 's/^.*Tests run: ([0-9]+), Failures: ([0-9]+), Errors: ([0-9]+), Skipped: ([0-9]+)(, Flakes: [0-9]+)?$/\1 \2 \3 \4/p' "$1" |
    awk '{ bad = $2 + $3; p += $1 - bad - $4; f += bad; s += $4 } END { print p + 0, f + 0, s + 0 }'
}

# cases REPORTS KIND MODULE...: tests as MODULE CLASS METHOD that failed (KIND (failure|error)) or passed when run again (flaky…).
cases() {
  local reports=$1 kind=$2 module file
  shift 2
  for module; do
    for file in "$module/$target/$reports"/TEST-*.xml; do
      [ -e "$file" ] || continue
      awk -v module="$module" -v kind="$kind" '
        function attribute(name) {
          return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : ""
        }
        /<testcase / { test = attribute("classname") " " attribute("name") }
        $0 ~ "<" kind "[ />]" && test != "" { print module, test; test = "" }' "$file"
    done
  done
}

# show_cases JDK REPORTS KIND MODULE...: names these tests, each with the command that runs just that.
show_cases() {
  local jdk=$1 reports=$2 kind=$3 module class method
  shift 3
  cases "$reports" "$kind" "$@" | while read -r module class method; do
    method=${method%%[\[\(\{ ]*}
    printf '   JDK %s  %s.%s\n      ./test -pl %s -Dtest=%s\n' "$jdk" "$class" "$method" "$module" \
      "${class##*.}${method:+#$method}"
  done
}

# show_reasons FILE: why each test of a report failed, what passed when run again among it, at most 12 lines of each.
show_reasons() {
  awk '
    function plain(text) {
      gsub(/^ *<stackTrace>|<!\[CDATA\[|\]\]>.*/, "", text); sub(/<\/.*/, "", text)
      gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&#10;/, " ", text); gsub(/&amp;/, "\\&", text)
      return text
    }
    /<testcase / { test = match($0, / name="[^"]*"/) ? substr($0, RSTART + 7, RLENGTH - 8) : "" }
    /<(failure|error|flakyFailure|flakyError)[ \/>]/ { print "   " plain(test) " failed:"; gsub(/ [a-z]+="[^"]*"/, ""); left = /\/>/ ? 0 : 12; sub(/^.*<(failure|error|flakyFailure|flakyError)\/?>/, "") }
    left > 0 && plain($0) ~ /[^ ]/ { print "      " plain($0); left-- }
    /<\/(failure|error|flakyFailure|flakyError|stackTrace)>/ { left = 0 }' "$1"
}

# show_output REPORTS MODULE...: why the classes that failed did, and what they had printed, seeds among it, at most 200 lines of each.
show_output() {
  local reports=$1 module class reasons
  shift
  cases "$reports" '(failure|error|flakyFailure|flakyError)' "$@" | awk '{ print $1, $2 }' | sort -u | while read -r module class; do
    reasons=$module/$target/$reports/TEST-$class.xml
    if [ -e "$reasons" ]; then
      say "$reasons"
      show_reasons "$reasons"
    fi
    class=$module/$target/$reports/${class%%\$*}-output.txt
    if [ -e "$class" ]; then
      say "$class"
      tail -n 200 "$class"
    fi
  done
}

# left_out: how many classes ran on the default JDK only.
left_out() {
  local first second
  first=$(cat "$suite"/times/"$default_major"-*.tsv 2>/dev/null | cut -f1 | sort -u | awk 'END { print NR }')
  second=$(cat "$suite"/times/25-*.tsv 2>/dev/null | cut -f1 | sort -u | awk 'END { print NR }')
  say "LEFT OUT on JDK 25: $((first - second)) of $first test classes; why, and which ran: testkit/suite/modules"
}

# show_times: the dearest classes of each JDK, and what the build did for how long.
show_times() {
  local jdk
  for jdk in "$default_major" ${second_jdk:+25}; do
    say "the dearest classes on JDK $jdk, in seconds: wall, processor, before the first test (servers, brokers, browsers)"
    cat "$suite"/times/"$jdk"-*.tsv 2>/dev/null | sort -t$'\t' -k2,2nr |
      awk -F'\t' '
        { wall += $2; cpu += $3; first += $4 }
        NR <= 50 { printf "%7.1f %7.1f %7.1f  %s\n", $2 / 1000, $3 / 1000, $4 / 1000, $1 }
        END { printf "%7.1f %7.1f %7.1f  all %d classes\n", wall / 1000, cpu / 1000, first / 1000, NR }'
  done
  say "the build, in seconds of its two threads (wall $(minutes "${build_seconds:-0}")), by what was done"
  awk '
    function at(time) { split(time, t, ":"); return t[1] * 3600 + t[2] * 60 + t[3] }
    / --- .* @ .* ---$/ {
      line = $0; sub(/.*--- /, "", line); split(line, word, " ")
      split(word[1], plugin, ":"); goal = plugin[1] ":" plugin[length(plugin)]
      sub(/.* @ /, "", line); sub(/ ---.*/, "", line)
      if (line in began) spent[doing[line]] += (at($1) - began[line] + 86400) % 86400
      began[line] = at($1); doing[line] = goal
    }
    END { for (goal in spent) if (spent[goal] >= 2) printf "%7d  %s\n", spent[goal], goal }' "$suite/jobs/build.log" | sort -nr
}

# report: says all that and exits.
report() {
  local modules_tested passed=0 failed=0 skipped=0 broken=0 again=0 number jdk forks seconds classes modules log p f s reports flaky bad

  if [ "${build_code:-1}" != 0 ]; then
    say "FAILED: the build"
    grep -E '\[ERROR\]|\[WARNING\] /' "$suite/jobs/build.log" | head -n 100
    [ -s "$suite/jobs/build.log" ] && ! grep -q '\[ERROR\]' "$suite/jobs/build.log" && tail -n 20 "$suite/jobs/build.log"
    say "Maven's whole log is in $suite/jobs/build.log"
    broken=1
  fi
  if [ -n "${not_built:-}" ]; then
    say "NOT TESTED, since not built:${not_built//,/ }"
    broken=1
  fi
  # The build runs the tests of the suite itself.
  echo "build $default_major 1 1 * testkit/suite" | cat - "$suite/plan" >"$suite/ended"
  while read -r number jdk forks seconds classes modules; do
    log=$suite/jobs/$number.log
    [ -e "$suite/jobs/$number.code" ] || continue
    reports=$(reports_of "$jdk" "$modules" "$classes")
    read -r p f s <<<"$(sums "$log")"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    if [ "$classes" = lints ]; then modules_tested=''; else modules_tested=${modules//,/ }; fi
    bad=$(show_cases "$jdk" "$reports" '(failure|error)' $modules_tested)
    flaky=$(show_cases "$jdk" "$reports" '(flakyFailure|flakyError)' $modules_tested)
    [ -z "$bad$flaky" ] || show_output "$reports" $modules_tested
    if [ -n "$flaky" ]; then
      again=$((again + $(grep -c '^   JDK' <<<"$flaky")))
      printf '%s\n' "$flaky" >>"$suite/jobs/flaky"
    fi
    [ -z "$bad" ] || printf '%s\n' "$bad" >>"$suite/jobs/bad"
    if [ "$(cat "$suite/jobs/$number.code")" != 0 ]; then
      broken=1
      if [ "$number" != build ] && [ -z "$bad" ]; then
        say "FAILED on JDK $jdk, and no test says so: $modules ($log)"
        grep -E '\[ERROR\]|\[WARNING\] /' "$log" | head -n 20
      fi
    elif [ "$f" = 0 ] && [ -z "$flaky" ] && grep -qE '^[[:space:]]+at [[:alnum:]_.$]+\(' "$log"; then
      say "FAILED: no test failed, and yet a stack trace was printed ($log); tests print into surefire-reports"
      broken=1
    fi
    if grep -q 'CodeCache is full' "$log"; then
      say "FAILED: Java had no room left for compiled code, and only interpreted from then on ($log); see MAVEN_OPTS in ./test"
      broken=1
    fi
  done <"$suite/ended"

  [ -z "$times" ] || show_times
  if [ -n "$second_jdk" ]; then
    [ -n "$changed$only" ] || left_out
  elif [ "$default_major" != 25 ]; then
    say "NOT RUN on JDK 25: none found; set JAVA_25_HOME to one"
  fi
  if [ -e "$suite/jobs/bad" ]; then
    say "FAILED, and how to run just that:"
    cat "$suite/jobs/bad"
    broken=1
  fi
  if [ "$again" != 0 ]; then
    say "FAILED, AND PASSED WHEN RUN AGAIN: $again. Each is a defect of the test, or of what it tests:"
    cat "$suite/jobs/flaky"
    broken=1
  fi
  if [ "${CI:-}" = true ] && [ "$skipped" -gt 0 ]; then
    say "FAILED: $skipped skipped tests, and CI=true allows none"
    grep -rhE --include='*-output.txt' '^SKIPPED: ' $(awk -v target="$target" '{ print $1 "/" target }' "$suite/artifacts") 2>/dev/null | sort | uniq -c
    broken=1
  fi
  if [ "$broken" = 0 ] && [ "$((passed + failed))" = 0 ]; then
    say "FAILED: no test ran"
    broken=1
  fi
  printf '\n   %s in all\n%d passed, %d failed, %d skipped\n' "$(minutes $((SECONDS - began)))" "$passed" "$failed" "$skipped"
  exit "$broken"
}
