/** `<`, and the escape for it that JSON knows. */
const less = 0x3c;
const escaped = Buffer.from('\\u003c');

/**
 * Bytes of a record for an element of a page. In JSON the character `<` is only in texts, where its escape has the same meaning; without it nothing
 * can end the element, or begin a comment in it. Works on any part of a record: `<` is never a part of another character in UTF-8.
 */
export function embedded(bytes: Uint8Array): Uint8Array {
  let from = 0;
  let at = bytes.indexOf(less);
  if (at < 0) return bytes;
  const parts: Uint8Array[] = [];
  for (; at >= 0; at = bytes.indexOf(less, from)) {
    parts.push(bytes.subarray(from, at), escaped);
    from = at + 1;
  }
  parts.push(bytes.subarray(from));
  return Buffer.concat(parts);
}
