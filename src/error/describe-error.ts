/** The text of anything that was thrown: an error's message, or the value itself as text. Never throws, never empty. */
export function describeError(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  if (typeof thrown === 'string' && thrown !== '') return thrown;
  try {
    return `a thrown ${typeof thrown}: ${String(thrown)}`;
  } catch {
    return `a thrown ${typeof thrown}`;
  }
}
