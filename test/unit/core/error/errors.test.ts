import { describe, expect, it } from 'vitest';
import * as errors from '../../../../src/core/error/index.ts';

const { WinkError, describeError } = errors;

const made: readonly (readonly [string, errors.WinkError, (value: unknown) => boolean])[] = [
  ['BudgetExceededError', new errors.BudgetExceededError('x'), errors.BudgetExceededError.isInstance],
  ['DeadlineExceededError', new errors.DeadlineExceededError('x'), errors.DeadlineExceededError.isInstance],
  ['FilesystemError', new errors.FilesystemError('path-not-found', 'x'), errors.FilesystemError.isInstance],
  ['MissingPeerError', new errors.MissingPeerError('x'), errors.MissingPeerError.isInstance],
  ['OutputParseError', new errors.OutputParseError('x'), errors.OutputParseError.isInstance],
  ['PromptRenderError', new errors.PromptRenderError('x'), errors.PromptRenderError.isInstance],
  ['PromptValidationError', new errors.PromptValidationError('x'), errors.PromptValidationError.isInstance],
  ['ResourceError', new errors.ResourceError('resource-unbound', 'x'), errors.ResourceError.isInstance],
  ['SchemaError', new errors.SchemaError('value-invalid', 'x'), errors.SchemaError.isInstance],
  ['SessionBusyError', new errors.SessionBusyError('x'), errors.SessionBusyError.isInstance],
  ['SessionError', new errors.SessionError('slice-unknown', 'x'), errors.SessionError.isInstance],
  ['SnapshotError', new errors.SnapshotError('snapshot-foreign', 'x'), errors.SnapshotError.isInstance],
  ['ToolValidationError', new errors.ToolValidationError('x'), errors.ToolValidationError.isInstance],
  [
    'TransactionClosedError',
    new errors.TransactionClosedError('x'),
    errors.TransactionClosedError.isInstance,
  ],
];

describe.each(made)('%s', (name, error, isInstance) => {
  it('has its name, a code and a stack, and is recognized by its own class only', () => {
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(WinkError);
    expect(error.name).toBe(name);
    expect(error.code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(String(error)).toBe(`${name}: x`);
    expect(error.stack).toContain('errors.test.ts');
    expect(WinkError.isInstance(error)).toBe(true);
    expect(made.filter(([, other]) => isInstance(other)).map(([other]) => other)).toEqual([name]);
  });
});

describe('WinkError', () => {
  it('keeps the cause as it was thrown and freezes a copy of the details', () => {
    const cause = { any: 'thing' };
    const details = { path: 'a' };
    const error = new errors.FilesystemError('path-not-found', 'x', { cause, details });
    expect(error.cause).toBe(cause);
    expect(error.details).toEqual({ path: 'a' });
    expect(error.details).not.toBe(details);
    expect(Object.isFrozen(error.details)).toBe(true);
    expect('cause' in new errors.ToolValidationError('x')).toBe(false);
    expect(new errors.ToolValidationError('x').details).toEqual({});
  });

  it('is recognized when it comes from another loaded copy of the package', () => {
    const foreign = Object.assign(new Error('x'), { code: 'path-not-found' });
    Object.defineProperty(foreign, Symbol.for('weakincentives.error'), { value: 'FilesystemError' });
    expect(errors.FilesystemError.isInstance(foreign)).toBe(true);
    expect(errors.SchemaError.isInstance(foreign)).toBe(false);
    expect(WinkError.isInstance(foreign)).toBe(true);
  });

  it('does not show its marker when it is printed or copied', () => {
    const error = new errors.ToolValidationError('x');
    expect(Object.keys(error)).toEqual(expect.not.arrayContaining(['marker']));
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'ToolValidationError',
      code: 'tool-validation-failed',
      details: {},
    });
  });

  it.each([
    [undefined],
    [null],
    ['x'],
    [{}],
    [new Error('x')],
    [{ [Symbol.for('weakincentives.error')]: 1 }],
  ])('does not recognize %o as an error of a class', (value) => {
    expect(errors.SchemaError.isInstance(value)).toBe(false);
  });
});

describe('describeError', () => {
  it.each<readonly [unknown, string]>([
    [new Error('broken'), 'broken'],
    [new TypeError(''), 'TypeError'],
    ['a string', 'a string'],
    ['', 'a thrown string: '],
    [undefined, 'a thrown undefined: undefined'],
    [null, 'a thrown object: null'],
    [42, 'a thrown number: 42'],
    [Symbol('s'), 'a thrown symbol: Symbol(s)'],
    [Object.create(null), 'a thrown object'],
    [{ message: 'refused', code: 'ECONNREFUSED' }, 'refused'],
    [{ message: '' }, 'a thrown object: [object Object]'],
    [
      new AggregateError([new Error('to ::1'), new Error('to 127.0.0.1'), new Error('to ::1')]),
      'to ::1; to 127.0.0.1',
    ],
    [new AggregateError([new Error('inner')], 'outer'), 'outer'],
    [new AggregateError([]), 'AggregateError'],
  ])('describes any thrown value', (thrown, text) => {
    expect(describeError(thrown)).toBe(text);
  });
});

describe('a thrown value that cannot be inspected', () => {
  const trap = (): never => {
    throw new Error('trapped');
  };
  const thrown: readonly (readonly [string, unknown])[] = [
    ['a proxy that throws', new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap })],
    ['a function that throws', new Proxy(() => undefined, { get: trap, getPrototypeOf: trap })],
    ['a message that throws', Object.defineProperty(new Error('x'), 'message', { get: trap })],
    ['a name that throws', Object.defineProperty(new Error(''), 'name', { get: trap })],
    ['a toString that throws', { toString: trap }],
  ];

  it.each(thrown)('%s is described, and is not an error of this library', (_what, value) => {
    expect(describeError(value)).toMatch(/^a thrown (object|function)$/);
    expect(WinkError.isInstance(value)).toBe(false);
    expect(errors.PromptRenderError.isInstance(value)).toBe(false);
  });
});
