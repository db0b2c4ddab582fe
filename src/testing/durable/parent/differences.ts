import { cutAfter } from '../../../core/internal/index.ts';

const maxDifferences = 12;
const shownCharacters = 160;

/** Where two JSON values differ, a line for each place; empty when they are the same. */
export function differences(expected: unknown, actual: unknown): readonly string[] {
  const found: string[] = [];
  compare('', expected, actual, found);
  return found.slice(0, maxDifferences);
}

function compare(path: string, expected: unknown, actual: unknown, found: string[]): void {
  if (isObject(expected) && isObject(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)]))
      compare(`${path}/${key}`, expected[key], actual[key], found);
  } else if (!Object.is(expected, actual)) {
    found.push(`${path}: expected ${shown(expected)}, got ${shown(actual)}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  return cutAfter(JSON.stringify(value) ?? 'nothing', shownCharacters);
}
