/** What breaks a line, changes the order of what follows, or is not seen. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** What a name is quoted for, beside that: what could end it, or be taken for words around it. */
const needsQuotes = /[\s"\\:<>`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** The text as a JSON string of visible characters, in one line. */
export function quoteText(text: string): string {
  return JSON.stringify(text).replace(unseen, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** A name or path as the file tools show it: as it is when it is plain, else quoted. */
export function showName(name: string): string {
  return name === '' || needsQuotes.test(name) ? quoteText(name).replaceAll('`', '\\u0060') : name;
}

/** The name that {@link showName} has shown; other text is taken as it is. */
export function readName(shown: string): string {
  if (!shown.startsWith('"')) return shown;
  try {
    const name: unknown = JSON.parse(shown);
    return typeof name === 'string' ? name : shown;
  } catch {
    return shown;
  }
}

/** Text in one line that cannot move the cursor or change colors of a terminal: control characters are spelled out. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** `1 file`, `2 files`, `1,024 files`. */
export function counted(amount: number, noun: string): string {
  return `${amount.toLocaleString('en-US')} ${noun}${amount === 1 ? '' : 's'}`;
}
