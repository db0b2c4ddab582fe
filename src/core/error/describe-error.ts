/** A description of any thrown value: an error's message, or the value as a string. Never throws and never returns an empty string. */
export function describeError(thrown: unknown): string {
  try {
    // Errors come from other people's code: their fields may hold anything, and reading them may throw.
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
