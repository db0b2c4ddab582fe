/**
 * A description of any thrown value: the message of an error, also of an object that has one, those of the errors in an aggregate without one, or the
 * value as a string. Never throws and never returns an empty string.
 */
export function describeError(thrown: unknown): string {
  try {
    // Errors come from other people's code: their fields may hold anything, and reading them may throw.
    const { errors, message, name }: ErrorFields =
      typeof thrown === 'object' && thrown !== null ? thrown : {};
    if (typeof message === 'string' && message !== '') return message;
    // As Node throws it for a host with several addresses, none of which answers.
    const inner = thrown instanceof AggregateError && Array.isArray(errors) ? innerMessages(errors) : '';
    if (inner !== '') return inner;
    if (thrown instanceof Error) return typeof name === 'string' && name !== '' ? name : 'Error';
    if (typeof thrown === 'string' && thrown !== '') return thrown;
    return `a thrown ${typeof thrown}: ${String(thrown)}`;
  } catch {
    return `a thrown ${typeof thrown}`;
  }
}

interface ErrorFields {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
}

const maxInnerErrors = 3;

function innerMessages(errors: readonly unknown[]): string {
  const messages = errors
    .slice(0, maxInnerErrors)
    .flatMap((error) => (error instanceof Error && error.message !== '' ? [error.message] : []));
  return [...new Set(messages)].join('; ');
}
