# shellcheck shell=bash
# How ./test spends two cores: the build, once, and beside and after it jobs of tests, each a Maven of its own that only runs tests.
# A job begins when the modules that it is about are built; the longest begin first.

# How many virtual machines of tests run at once, and how many while the build needs the processors as well. Many a test waits.
readonly slots=6 slots_in_build=2

# About how long the build of a module takes, for the time left: most of them are small.
readonly seconds_to_build=8

# What a job reads as its local repository: the real one, by links, and the modules of this checkout as they are built. So a job needs
# no other module in its Maven, and two checkouts share what is fetched but not what they build.
link_repository() {
  local layer=$suite/repository module name version
  rm -rf "$layer"
  mkdir -p "$layer/dev/reprise"
  version=$(sed -n '0,/<version>/s:.*<version>\(.*\)</version>.*:\1:p' pom.xml)
  mkdir -p "$layer/dev/reprise/reprise/$version"
  ln -s "$root/pom.xml" "$layer/dev/reprise/reprise/$version/reprise-$version.pom"
  while read -r module name; do
    mkdir -p "$layer/dev/reprise/$name/$version"
    ln -s "$root/$module/pom.xml" "$layer/dev/reprise/$name/$version/$name-$version.pom"
    ln -s "$root/$module/$target/$name-$version.jar" "$layer/dev/reprise/$name/$version/"
  done <"$suite/artifacts"
}

# link_fetched: into it, all that has been fetched by now.
link_fetched() {
  local layer=$suite/repository entry
  for entry in "$repository"/* "$repository"/dev/*; do
    case ${entry#"$repository"/} in dev | dev/reprise | 'dev/*') continue ;; esac
    [ -e "$layer/${entry#"$repository"/}" ] || ln -s "$entry" "$layer/${entry#"$repository"/}"
  done
}

# plan_jobs: writes a job a line: NUMBER JDK FORKS SECONDS CLASSES MODULE,MODULE. CLASSES are names divided by commas, * for all, quick
# for those that are not slow, or lints: these modules are compiled, for what only the compiler of that JDK warns of.
plan_jobs() {
  local module classes named=''
  case " ${maven_arguments[*]-} " in *' -Dtest='*) named=yes ;; esac
  rm -rf "$suite/jobs" "$suite/times"
  mkdir -p "$suite/jobs" "$suite/times"
  {
    for module in $whole; do
      plan_line "$default_major" "$module" '*'
    done
    # In --changed, one path of what uses the changed modules, and what is named of those that are large.
    for module in $part; do
      plan_line "$default_major" "$module" "$(setting "$module" 5)"
    done
    for module in $large; do
      plan_line "$default_major" "$module" quick
      plan_line "$default_major" "$module" "$(cat "$suite/classes-${module//\//-}")"
    done
    if [ -n "$second_jdk" ]; then
      for module in $whole $large; do
        if [ -n "$named" ]; then classes='*'; else classes=$(setting "$module" 5); fi
        plan_line 25 "$module" "$classes"
        [ "$module" = service/dist ] || [ -n "$named" ] || echo 25 "$module" lints 1 lints 1
      done
    fi
  } | awk '
    # All of a module: with the others of its group. Some classes of it: with those of all modules, since a Maven costs more than they.
    { all = $3 == "*" || $3 == "quick"; some = !all && $3 != "lints"
      key = $1 " " (some && $2 != "service/dist" ? ($6 >= 90 ? "long" : "short") : $5) }
    !(key in modules) { order[++n] = key; jdk[key] = $1; forks[key] = all ? $4 : 1 }
    { modules[key] = modules[key] (modules[key] ? "," : "") $2; seconds[key] += some ? 8 : $3 == "quick" ? int($6 / 4) : $6
      classes[key] = some ? classes[key] (classes[key] ? "," : "") $3 : $3 }
    END { for (i = 1; i <= n; i++) { k = order[i]; print jdk[k], forks[k], seconds[k], classes[k], modules[k] } }
  ' | sort -k3,3nr | awk '{ print NR, $0 }' >"$suite/plan"
  build_estimate=$(($(wc -w <<<"$selected") * seconds_to_build))
  total_seconds=$((build_estimate + $(awk '{ n += $4 } END { print n + 0 }' "$suite/plan")))
  total_jobs=$(awk 'END { print NR }' "$suite/plan")
}

# plan_line JDK MODULE CLASSES: JDK MODULE CLASSES FORKS GROUP SECONDS.
plan_line() {
  local group
  group=$(setting "$2" 2)
  # Those without tests, and those whose tests the build runs.
  [ "$group" != - ] && [ "$3" != - ] && [ -n "$3" ] || return 0
  echo "$1" "$2" "$3" "$(setting "$2" 3)" "$group" "$(setting "$2" 4)"
}

# share_checkers: has the build load Error Prone and its plugins once, and not anew for each compilation: see SharedCheckers. Which jars
# these are is asked of a compilation, and remembered for this pom.xml and repository. Without them the build only takes longer.
share_checkers() {
  # One module, whatever the build leaves out when it is offline.
  local folder name jar maven_when_offline=()
  name=checkers-$(maven_checksum <<<"$repository $default_jdk $(cat pom.xml testkit/suite/src/main/java/dev/reprise/suite/SharedCheckers.java)" | cut -c1-16)
  # Relative to the checkout, where Maven runs: its script takes no blank in the options of Java.
  folder=$target/$name
  if [ ! -s "$folder/path" ] || [ ! -e "$folder/agent.jar" ]; then
    rm -rf "$target"/checkers-*
    mkdir -p "$folder"
    maven_build checkers -X -Dtarget.dir="$target/checkers" -pl testkit/suite compile |
      sed -n 's/.* -processorpath \([^ ]*[^ :]\):* .*/\1/p' | head -n 1 >"$folder/path"
    printf 'Premain-Class: dev.reprise.suite.SharedCheckers\n' >"$folder/manifest"
    "$default_jdk/bin/jar" --create --file "$folder/agent.jar" --manifest "$folder/manifest" \
      -C "testkit/suite/$target/checkers/classes" dev/reprise/suite/SharedCheckers.class || return 0
  fi
  # Some may be gone from the repository; one whose own path has a blank was cut above.
  while IFS= read -r jar; do
    [ -s "$jar" ] || return 0
  done < <(tr ':' '\n' <"$folder/path")
  [ ! -s "$folder/path" ] || MAVEN_OPTS+=" -javaagent:$folder/agent.jar=$folder/path"
}

# remove_in_modules PATTERN: what this suite has built in each module, or what of it matches.
remove_in_modules() {
  local module
  for module in $all_modules; do
    # shellcheck disable=SC2086
    rm -rf "$module/$target"$1
  done
}

start_build() {
  # Of the tests of the suite itself, which the build runs, none may have the name that -Dtest gives.
  local scope=suite arguments=(-T 2 -Pall -DskipTests -Dsurefire.failIfNoSpecifiedTests=false --fail-at-end -Dtarget.dir="$target"
    -Dorg.slf4j.simpleLogger.showDateTime=true -Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss)
  if [ "$selected" != "$all_modules" ]; then
    scope=modules-$(cksum <<<"$selected" | cut -d' ' -f1)
    local modules=testkit/suite,$(tr '\n' ',' <<<"$selected")
    # What the archive is made of.
    case $modules in *,service/dist,*) modules+=cli ;; esac
    arguments+=(-pl "${modules%,}" -am)
  fi
  # The list of libraries in the archive is made by a plugin that refuses to run offline, so it is left to the job of dist.
  case " $(tr '\n' ' ' <<<"$selected")" in *' service/dist '*) maven_when_offline=(-pl '!service/dist') ;; *) maven_when_offline=() ;; esac
  # --changed builds what has changed; Maven sees by itself what that is.
  [ -n "$changed" ] || remove_in_modules ""
  remove_in_modules "/surefire-reports*"
  link_repository
  say "builds on JDK $default_major; tests run on it${second_jdk:+, and on JDK 25 what may differ there}"
  (
    trap - EXIT
    share_checkers
    maven_build "$scope" "${arguments[@]}" ${maven_arguments[@]+"${maven_arguments[@]}"} verify >"$suite/jobs/build.log"
    echo $? >"$suite/jobs/build.code"
  ) &
  build_pid=$!
}

# The last step of each module in Maven's log: of Maven 3.8, and, with a shorter name of the plugin, of 3.9.
readonly last_step='--- spotless(-maven-plugin)?:.* @ '

# find_built: sets `built_modules` to those that the build is through with, as ` MODULE MODULE `.
find_built() {
  [ -e "$suite/jobs/build.log" ] || return 0
  built_modules=" $(awk -v last_step="$last_step" '
    FNR == NR { folder[$2] = $1; next }
    $0 ~ last_step { sub(/.* @ /, ""); sub(/ ---$/, ""); printf "%s ", folder[$0] }
    ' "$suite/artifacts" "$suite/jobs/build.log")"
}

# built MODULES: whether the build is through with these; divided by commas.
built() {
  local module
  for module in ${1//,/ }; do
    [ "$module" != service/dist ] || module=cli
    case $built_modules in *" $module "*) ;; *) return 1 ;; esac
  done
}

# reports_of JDK MODULES CLASSES: the folder of their reports, below that of the build.
reports_of() {
  if [ "$3" = quick ]; then
    echo surefire-reports-quick
  elif [ "$1" = "$default_major" ]; then
    echo surefire-reports
  elif [ "$2" = service/dist ]; then
    echo "jdk$1/surefire-reports"
  else
    echo "surefire-reports-jdk$1"
  fi
}

# second_jdk_flags: what a JDK 25 is started with, so that it does not warn.
second_jdk_flags() (
  java_major=25
  set_flags
  echo "${quiet_flags[*]}"
)

use_second_jdk() {
  MAVEN_OPTS+=" $(second_jdk_flags)"
  export JAVA_HOME=$second_jdk
}

# start_job NUMBER JDK FORKS CLASSES MODULES: in the background; its exit code comes to rest in a file.
# A module that fails stops no other of its job, not even one that knows it: -fn. Maven then ends with 0 and says so.
start_job() (
  number=$1 jdk=$2 forks=$3 classes=$4 modules=$5
  goals=(surefire:test@default-test)
  # tempDir: another job may test the same module on the other JDK, and each clears its folder away.
  arguments=(-B -Dstyle.color=never -Pall -pl "$modules" -fn -Dmaven.repo.local="$suite/repository" -DtempDir="surefire-$number"
    -Dtest.forks="$forks" -Dsurefire.rerunFailingTestsCount=1 -Dsurefire.failIfNoSpecifiedTests=false
    -Dmaven.test.additionalClasspath="$root/testkit/suite/$target/classes" -Dreprise.test.times="$suite/times/$jdk-$number.tsv")
  if [ "$classes" = lints ]; then
    goals=(test-compile)
    # With those that it knows: nothing is looked up that another Maven is building.
    arguments+=(-o -am -Dfast=lints -Denforcer.skip -Dtarget.dir="$target/jdk$jdk")
    use_second_jdk
  elif [ "$modules" = service/dist ]; then
    # The archive holds the runtime of the JDK that builds it. All that the plugins need has been fetched; one refuses to run offline.
    goals=(verify)
    if [ "$jdk" = "$default_major" ]; then
      arguments+=(-Dtarget.dir="$target")
    else
      arguments+=(-Dtarget.dir="$target/jdk$jdk")
      use_second_jdk
    fi
  else
    arguments+=(-o -Dtarget.dir="$target")
    if [ "$jdk" != "$default_major" ]; then
      arguments+=(-Djvm="$second_jdk/bin/java" -Dtest.jvm.flags="$(second_jdk_flags)")
      # Where all runs again, the second compiler and the other collector do as well.
      [ "$classes" != '*' ] || arguments+=(-Dtest.jvm.tuning=)
    fi
    arguments+=(-Dtest.reports="$(reports_of "$jdk" "$modules" "$classes")")
  fi
  case $classes in
    '*' | lints) ;;
    quick) arguments+=(-Dexcluded.tags=slow) ;;
    *) arguments+=(-Dtest="$classes") ;;
  esac
  trap - EXIT
  {
    mvn "${arguments[@]}" ${maven_arguments[@]+"${maven_arguments[@]}"} "${goals[@]}" </dev/null >"$suite/jobs/$number.log" 2>&1 &
    echo $! >"$suite/jobs/$number.pid"
    wait $!
    code=$?
    ! grep -q 'Build failures were ignored' "$suite/jobs/$number.log" || code=1
    echo "$code" >"$suite/jobs/$number.code"
  } &
)

# run_jobs: until every job has ended, or can not begin since its build has failed.
run_jobs() {
  local number jdk forks seconds classes modules in_use limit looks building=yes
  spent_seconds=0 ended_jobs=0 working_since=
  local waiting=' ' runs=' ' built_modules=' '
  while read -r number _; do waiting+="$number "; done <"$suite/plan"
  while [ -n "$building" ] || [ "$runs" != ' ' ] || [ "$waiting" != ' ' ]; do
    [ -e "$suite/plan" ] || fail "$suite was removed while the tests ran: nothing more can be said of them"
    if [ -n "$building" ] && [ ! -e "$suite/jobs/build.code" ] && ! kill -0 "$build_pid" 2>/dev/null; then
      # Somebody has killed it.
      sleep 1
      [ -e "$suite/jobs/build.code" ] || echo 1 >"$suite/jobs/build.code"
    fi
    # Another Maven may have fetched until now.
    [ -n "$working_since" ] || [ ! -s "$suite/jobs/build.log" ] || working_since=$SECONDS
    looks=$building
    if [ -n "$building" ] && [ -e "$suite/jobs/build.code" ]; then
      building=
      build_code=$(cat "$suite/jobs/build.code")
      build_seconds=$((SECONDS - began))
      spent_seconds=$((spent_seconds + build_estimate))
      printf '   built in %s%s\n' "$(minutes "$build_seconds")" "$([ "$build_code" = 0 ] || echo ', WITH ERRORS')"
    fi
    # Once more when the build has ended.
    [ -z "$looks" ] || find_built
    in_use=0
    while read -r number jdk forks seconds classes modules; do
      case $runs in *" $number "*) ;; *) continue ;; esac
      if [ -e "$suite/jobs/$number.code" ]; then
        runs=${runs/ $number / }
        job_ended "$number" "$jdk" "$seconds" "$modules" "$classes"
      else
        in_use=$((in_use + forks))
      fi
    done <"$suite/plan"
    limit=$slots
    [ -z "$building" ] || limit=$slots_in_build
    while read -r number jdk forks seconds classes modules; do
      case $waiting in *" $number "*) ;; *) continue ;; esac
      if [ "$in_use" -gt 0 ] && [ $((in_use + forks)) -gt "$limit" ]; then
        continue
      fi
      if [ -n "$building" ] && { [ "$classes" = lints ] || [ "$modules" = service/dist ]; }; then
        # The one would take the processors from the build; the other builds the archive, which the build may be at.
        continue
      elif [ "$classes" = lints ] || built "testkit/suite,$modules"; then
        link_fetched
        waiting=${waiting/ $number / } runs+="$number "
        in_use=$((in_use + forks))
        start_job "$number" "$jdk" "$forks" "$classes" "$modules"
      elif [ -z "$building" ]; then
        waiting=${waiting/ $number / }
        not_built+=" $modules"
      fi
    done <"$suite/plan"
    sleep 0.5
  done
  wait
}

# stop_jobs: ends what still runs, when ./test ends early.
stop_jobs() {
  local file
  for file in "$suite"/jobs/*.pid; do
    [ ! -e "$file" ] || [ -e "${file%.pid}.code" ] || end_with_children "$(cat "$file")"
  done
  [ -z "${build_pid:-}" ] || [ -e "$suite/jobs/build.code" ] || end_with_children "$build_pid"
}

# end_with_children PID: the build is a shell, whose Maven would go on without it.
end_with_children() {
  local child
  for child in $(pgrep -P "$1"); do
    end_with_children "$child"
  done
  kill "$1" 2>/dev/null
}

minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# job_ended NUMBER JDK SECONDS MODULES CLASSES: one line, with the time left.
job_ended() {
  local number=$1 jdk=$2 seconds=$3 modules=$4 log=$suite/jobs/$1.log left p f s took done_seconds built_seconds
  spent_seconds=$((spent_seconds + seconds))
  ended_jobs=$((ended_jobs + 1))
  read -r p f s <<<"$(sums "$log")"
  took=$(sed -n 's/^\[INFO\] Total time: *//p' "$log" | tail -n 1)
  left=''
  done_seconds=$spent_seconds
  # What has been built so far is spent as well.
  if [ -z "${build_code:-}" ]; then
    built_seconds=$((seconds_to_build * $(grep -cE -e "$last_step" "$suite/jobs/build.log")))
    done_seconds=$((done_seconds + (built_seconds < build_estimate ? built_seconds : build_estimate)))
  fi
  if [ "$ended_jobs" -lt "$total_jobs" ] && [ "$done_seconds" -gt 0 ]; then
    left="; about $(minutes $(((SECONDS - ${working_since:-$began}) * (total_seconds - done_seconds) / done_seconds))) left"
  fi
  if [ "$5" = lints ]; then
    printf '   [%d/%d] JDK %s: compiled with its warnings in %s%s\n' "$ended_jobs" "$total_jobs" "$jdk" "${took:-no time}" "$left"
    return
  fi
  printf '   [%d/%d] JDK %s: %d passed, %d failed, %d skipped, %s: %s%s\n' \
    "$ended_jobs" "$total_jobs" "$jdk" "$p" "$f" "$s" "${took:-no time}" "${modules//,/ }" "$left"
}
