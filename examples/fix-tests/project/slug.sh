# Makes a title fit for an address: lower case, with single dashes between its words.
slug() {
  printf '%s' "$1" | tr 'A-Z' 'a-z' | sed 's/[ _]/-/g'
}
