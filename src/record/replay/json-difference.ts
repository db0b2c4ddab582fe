import { cutAfter, endOf, isRecord, ownMember, startOf } from '../../core/internal/index.ts';

/** The first place where two JSON values differ. */
export interface JsonDifference {
  /** Such as `content[0].text`; empty: the values themselves. */
  readonly path: string;
  /** Undefined: it is not there. */
  readonly recorded: unknown;
  readonly now: unknown;
}

/**
 * The first difference between two values, in the order of the members of the recorded one; undefined when they are equal. Members that are
 * undefined count as absent, as in JSON.
 */
export function firstDifference(recorded: unknown, now: unknown, path = ''): JsonDifference | undefined {
  if (Object.is(recorded, now)) return undefined;
  if (Array.isArray(recorded) && Array.isArray(now)) {
    const left: readonly unknown[] = recorded;
    const right: readonly unknown[] = now;
    for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
      const found = firstDifference(left[index], right[index], `${path}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isRecord(recorded) && isRecord(now) && !Array.isArray(recorded) && !Array.isArray(now)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
      const found = firstDifference(
        ownMember(recorded, name),
        ownMember(now, name),
        path === '' ? name : `${path}.${name}`,
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }
  // JSON has one zero.
  if (recorded === now) return undefined;
  return { path, recorded, now };
}

/** How much of a value a message shows. */
const maxShown = 80;

/** Both sides of a difference as text: of two texts the part where they begin to differ. */
export function describeDifference({ path, recorded, now }: JsonDifference): string {
  const place = path === '' ? '' : ` at ${path}`;
  if (typeof recorded === 'string' && typeof now === 'string') {
    const at = commonStart(recorded, now);
    const from = Math.max(0, at - 20);
    return `${place} from character ${at + 1}: recorded ${excerpt(recorded, from)}, now ${excerpt(now, from)}`;
  }
  return `${place}: recorded ${shown(recorded)}, now ${shown(now)}`;
}

function commonStart(left: string, right: string): number {
  let index = 0;
  while (index < left.length && index < right.length && left[index] === right[index]) index += 1;
  return index;
}

function excerpt(text: string, from: number): string {
  const part = startOf(endOf(text, text.length - from), maxShown);
  return `${from > 0 ? '…' : ''}${JSON.stringify(part)}${from + maxShown < text.length ? '…' : ''}`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? typeof value;
  return cutAfter(text, maxShown);
}
