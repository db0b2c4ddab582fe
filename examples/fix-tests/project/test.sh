# The tests: sh test.sh
. ./slug.sh
failures=0

check() {
  actual=$(slug "$1")
  if [ "$actual" = "$2" ]; then
    echo "ok: \"$1\" is \"$2\""
  else
    echo "not ok: \"$1\" must be \"$2\", but it is \"$actual\""
    failures=$((failures + 1))
  fi
}

check 'Hello World' 'hello-world'
check 'Two  spaces' 'two-spaces'
check 'snake_case and spaces' 'snake-case-and-spaces'

[ "$failures" -eq 0 ]
