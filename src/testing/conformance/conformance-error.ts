import { hasErrorMarker, WinkError } from '../../error/index.ts';

/** An adapter does not do what it must. `expected` and `actual` are there for test runners that show a difference. */
export class ConformanceError extends WinkError<'adapter-not-conformant'> {
  readonly expected: unknown;
  readonly actual: unknown;

  /** @param values what was expected and what came instead. Default: the message says it all. */
  constructor(
    message: string,
    values: { readonly expected?: unknown; readonly actual?: unknown; readonly cause?: unknown } = {},
  ) {
    const { expected, actual, cause } = values;
    super('ConformanceError', message, { code: 'adapter-not-conformant', cause });
    this.expected = expected;
    this.actual = actual;
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is ConformanceError {
    return hasErrorMarker(value, 'ConformanceError');
  }
}
