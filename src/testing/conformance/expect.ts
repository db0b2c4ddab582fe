import { hasErrorMarker, WinkError } from '../../core/error/index.ts';
import { cutAfter } from '../../core/internal/index.ts';
import { sameJson } from '../../core/schema/index.ts';

/**
 * Codes of {@link ConformanceError}.
 *
 * - `adapter-not-conformant`: an adapter does not meet a requirement.
 *   What to do: read `expected` and `actual`: the adapter differs there.
 * - `journal-not-conformant`: a journal does not, or what runs on it.
 *   What to do: read `expected` and `actual`: the journal, or what runs on it, differs there.
 */
export type ConformanceErrorCode = 'adapter-not-conformant' | 'journal-not-conformant';

/** An adapter or a journal does not meet a requirement. Test runners can show the difference between `expected` and `actual`. */
export class ConformanceError extends WinkError<ConformanceErrorCode> {
  readonly expected: unknown;
  readonly actual: unknown;

  /** @param values the expected and the actual value, neither by default; `code` is `adapter-not-conformant` by default. */
  constructor(
    message: string,
    values: {
      readonly expected?: unknown;
      readonly actual?: unknown;
      readonly cause?: unknown;
      readonly code?: ConformanceErrorCode;
    } = {},
  ) {
    const { expected, actual, cause, code = 'adapter-not-conformant' } = values;
    super('ConformanceError', message, { code, cause });
    this.expected = expected;
    this.actual = actual;
  }

  /** Recognizes this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is ConformanceError {
    return hasErrorMarker(value, 'ConformanceError');
  }
}

/** One member of each item, to compare. */
export function each<Item, Name extends keyof Item>(
  items: readonly Item[],
  name: Name,
): readonly Item[Name][] {
  return items.map((item) => item[name]);
}

/** @param what the name of the compared value, which begins the message: `the text of the response`. */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  const values = { expected: plain(expected), actual: plain(actual) };
  if (sameJson(values.actual, values.expected)) return;
  throw new ConformanceError(
    `${what}: expected ${shown(values.expected)}, got ${shown(values.actual)}.`,
    values,
  );
}

/** @param claim a sentence that must be true. */
export function expectTrue(claim: string, isTrue: boolean, seen?: unknown): asserts isTrue {
  if (isTrue) return;
  const but = seen === undefined ? '' : ` Got ${shown(plain(seen))}.`;
  throw new ConformanceError(`Expected that ${claim}.${but}`, {
    expected: true,
    actual: plain(seen) ?? false,
  });
}

/** The value after a round trip through JSON, which removes undefined members. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return cutAfter(text, 600);
}
