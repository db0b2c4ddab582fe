/** On errors that an evaluation rejected with, by whichever loaded copy of the package. */
const mark: unique symbol = Symbol.for('weakincentives.rejected');

/** So many causes are followed; a chain that is longer goes in a circle. */
const maxCauses = 64;

/** Marks what an evaluation rejects with: inside a handler it fails the call that let it through, and not the run. @returns the same value. */
export function markRejected<T>(thrown: T): T {
  if (thrown instanceof Error && !(mark in thrown) && Object.isExtensible(thrown)) {
    Object.defineProperty(thrown, mark, { value: true });
  }
  return thrown;
}

/** True for what an evaluation rejected with, and for what has that among its causes. */
export function isRejectedEvaluation(thrown: unknown): boolean {
  let error = thrown;
  for (let steps = 0; error instanceof Error && steps < maxCauses; steps += 1) {
    if (mark in error) return true;
    error = error.cause;
  }
  return false;
}
