/** What the matchers use of vitest's matcher state. */
export interface MatcherContext {
  readonly isNot?: boolean;
  equals(left: unknown, right: unknown, testers?: readonly unknown[]): boolean;
  readonly customTesters?: readonly unknown[];
  readonly utils: {
    stringify(value: unknown, maxDepth?: number, options?: { readonly min?: boolean }): string;
  };
}

/** What a matcher returns. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}
