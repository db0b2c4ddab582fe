import type { Redaction } from './redactor.ts';

/** So much of a secret at the end of a text that was cut off is hidden too. */
const minBeginning = 8;

/** A way in which a secret is written, and what is shown in its place. */
export interface HiddenForm {
  /** At least two UTF-16 units. */
  readonly text: string;
  readonly replacement: string;
}

/** Forms by their first two units, the longest first. */
type FormsByStart = ReadonlyMap<number, readonly HiddenForm[]>;

/** A part of a text that is hidden. */
interface HiddenPart {
  readonly start: number;
  readonly end: number;
  readonly form: HiddenForm;
}

/**
 * A redaction that replaces what is written in one of these forms, and eight characters or more of its beginning where a text was cut
 * off. Of forms that overlap in a text all is hidden, under the name of the longest. One pass over the text, however many forms there are.
 */
export function hideForms(forms: readonly HiddenForm[]): Redaction {
  // Of several names for one text the first is shown.
  const distinct = [...new Map(forms.toReversed().map((form) => [form.text, form])).values()].sort(
    (left, right) => right.text.length - left.text.length,
  );
  const byStart = new Map<number, HiddenForm[]>();
  for (const form of distinct) {
    const start = startAt(form.text, 0);
    const others = byStart.get(start);
    if (others === undefined) byStart.set(start, [form]);
    else others.push(form);
  }
  const longest = distinct[0]?.text.length ?? 0;
  const firstUnits = new Set(distinct.map(({ text }) => text.charCodeAt(0)));
  return Object.assign((text: string) => hide(text, byStart), {
    pending: (text: string) => pendingIn(text, byStart, firstUnits, longest),
  });
}

/** The two units at a place of a text, as one number. */
function startAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}

function hide(text: string, forms: FormsByStart): string {
  let result = '';
  let from = 0;
  let open: HiddenPart | undefined;
  const close = ({ start, end, form }: HiddenPart): void => {
    result += text.slice(from, start) + form.replacement;
    from = end;
  };
  for (let at = 0; at + 1 < text.length; at += 1) {
    const candidates = forms.get(startAt(text, at));
    const found = candidates === undefined ? undefined : hiddenAt(text, at, candidates);
    if (found === undefined) continue;
    if (open === undefined || found.start >= open.end) {
      if (open !== undefined) close(open);
      open = found;
    } else if (found.end > open.end) {
      const isLonger = found.end - found.start > open.end - open.start;
      open = { start: open.start, end: found.end, form: isLonger ? found.form : open.form };
    }
  }
  if (open !== undefined) close(open);
  return from === 0 ? text : result + text.slice(from);
}

/** What is hidden from a place on: the longest of the forms that is there. */
function hiddenAt(text: string, at: number, forms: readonly HiddenForm[]): HiddenPart | undefined {
  let longest: HiddenPart | undefined;
  for (const form of forms) {
    const end = endOfAgreement(text, at, form.text);
    const isHidden = end - at === form.text.length || (end - at >= minBeginning && isCutOff(text, end));
    if (isHidden && end > (longest?.end ?? at)) longest = { start: at, end, form };
  }
  return longest;
}

function endOfAgreement(text: string, start: number, secret: string): number {
  let length = 0;
  while (length < secret.length && text[start + length] === secret[length]) length += 1;
  return start + length;
}

function isCutOff(text: string, end: number): boolean {
  return end === text.length || text.startsWith('…', end) || text.startsWith('...', end);
}

function pendingIn(
  text: string,
  forms: FormsByStart,
  firstUnits: ReadonlySet<number>,
  longest: number,
): number {
  // A prefix is hidden before an ellipsis, so it may not be emitted before the last dot.
  const ends = ['', '.', '..'].filter((dots) => text.endsWith(dots));
  return Math.max(
    ...ends.map((dots) => {
      const end = text.length - dots.length;
      const beginning = beginningAt(text, end, forms, firstUnits, longest);
      return beginning >= (dots === '' ? 1 : minBeginning) ? beginning + dots.length : 0;
    }),
  );
}

/** The most characters before `end` that are the beginning of a form, but not all of it. */
function beginningAt(
  text: string,
  end: number,
  forms: FormsByStart,
  firstUnits: ReadonlySet<number>,
  longest: number,
): number {
  for (let at = Math.max(0, end - longest + 1); at + 1 < end; at += 1) {
    const candidates = forms.get(startAt(text, at)) ?? [];
    const isBeginning = candidates.some(
      ({ text: form }) => form.length > end - at && form.startsWith(text.slice(at, end)),
    );
    if (isBeginning) return end - at;
  }
  return end > 0 && firstUnits.has(text.charCodeAt(end - 1)) ? 1 : 0;
}
