import { cutAfter } from '../../internal/index.ts';
import { sameJson } from '../../schema/index.ts';
import { ConformanceError } from './conformance-error.ts';

/** @param what is to be such, as the beginning of a sentence: `the text of the response`. */
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
  throw new ConformanceError(`It is not true that ${claim}.${but}`, {
    expected: true,
    actual: plain(seen) ?? false,
  });
}

/** As JSON has it: keys without a value are not there. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return cutAfter(text, 600);
}
