/** The text of anything that was thrown: an error's message, or the value itself as text. Never throws, never empty. */
export function describeError(thrown: unknown): string {
  try {
    // Errors are made by code of others: their fields may be anything, and reading them may throw.
    const { name, message }: { readonly name?: unknown; readonly message?: unknown } =
      thrown instanceof Error ? thrown : {};
    if (typeof message === 'string' && message !== '') return message;
    if (thrown instanceof Error) return typeof name === 'string' && name !== '' ? name : 'Error';
    if (typeof thrown === 'string' && thrown !== '') return thrown;
    return `a thrown ${typeof thrown}: ${String(thrown)}`;
  } catch {
    return `a thrown ${typeof thrown}`;
  }
}
