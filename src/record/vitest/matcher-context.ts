/** What the matchers use of vitest's matcher state. */
export interface MatcherContext {
  /** Deep equality, with asymmetric matchers. */
  equals(left: unknown, right: unknown, testers?: readonly unknown[]): boolean;
  /** The testers that the user has added. Default: none. */
  readonly customTesters?: readonly unknown[];
  /** Tools for messages. */
  readonly utils: {
    /** A value as text. */
    stringify(value: unknown, maxDepth?: number, options?: { readonly min?: boolean }): string;
  };
}

/** What a matcher returns. */
export interface MatcherResult {
  readonly pass: boolean;
  /** Makes the text of a failure: of what was expected and did not hold, or of what did and was not to. */
  readonly message: () => string;
}
