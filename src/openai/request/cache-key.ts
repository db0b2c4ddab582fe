import { digestOf } from '../../filesystem/index.ts';

const encoder = new TextEncoder();

/** Makes the cache key of a request: a fixed one, or one that is the same for the same instructions. */
export function cacheKeySource(
  option: string | boolean | undefined,
): (instructions: string) => string | undefined {
  if (typeof option === 'string') return () => option;
  if (option !== true) return () => undefined;
  let last: { readonly instructions: string; readonly key: string } | undefined;
  return (instructions) => {
    // The turns of a run have the same instructions, so that they are gone through once.
    if (last?.instructions !== instructions) {
      last = { instructions, key: `weakincentives-${digestOf(encoder.encode(instructions))}` };
    }
    return last.key;
  };
}
