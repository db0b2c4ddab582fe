/** Characters that would act instead of being shown: controls but line feed and tab, marks of direction, separators of lines. */
const acting = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * A text of a record with nothing invisible in it. Controls become their pictures (`␛`), and marks of direction, which could show
 * a line in another order than it is executed, become escapes.
 */
export function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(acting, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? '␡' : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
