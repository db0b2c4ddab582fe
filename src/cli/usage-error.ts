/** What a person asked for cannot be run: the command ends with 2. `message` is one line, with a full stop. */
export class UsageError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'UsageError';
  }
}
