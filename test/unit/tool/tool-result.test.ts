import { describe, expect, it } from 'vitest';
import { isToolResult, ToolResult } from '../../../src/tool/index.ts';

describe('ToolResult', () => {
  it('makes frozen successes; the message defaults to OK', () => {
    const result = ToolResult.ok({ a: 1 });
    expect(result).toEqual({ success: true, message: 'OK', value: { a: 1 } });
    expect(Object.isFrozen(result)).toBe(true);
    expect(ToolResult.ok(null, 'Done.', { excludeValueFromContext: true })).toEqual({
      success: true,
      message: 'Done.',
      value: null,
      excludeValueFromContext: true,
    });
    expect(ToolResult.ok(1, '', { excludeValueFromContext: false })).toEqual({
      success: true,
      message: '',
      value: 1,
    });
  });

  it('makes frozen failures, with facts if there are any', () => {
    expect(ToolResult.error('No such file.')).toStrictEqual({ success: false, message: 'No such file.' });
    expect(ToolResult.error('No.', { path: 'a' })).toEqual({
      success: false,
      message: 'No.',
      value: { path: 'a' },
    });
    expect(Object.isFrozen(ToolResult.error('x'))).toBe(true);
  });
});

describe('isToolResult', () => {
  it.each<readonly [string, unknown]>([
    ['a success', ToolResult.ok(undefined)],
    ['a failure', ToolResult.error('x')],
    [
      'a plain object of the shape',
      { success: true, message: 'OK', value: 1, excludeValueFromContext: true },
    ],
    ['a plain failure', { success: false, message: 'x' }],
  ])('knows %s', (_name, value) => {
    expect(isToolResult(value)).toBe(true);
  });

  it.each<readonly [string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'OK'],
    ['a promise', Promise.resolve(ToolResult.ok(1))],
    ['a bare value', { a: 1 }],
    ['a success without value', { success: true, message: 'OK' }],
    ['a message that is no text', { success: false, message: 1 }],
    ['a flag that is no boolean', { success: 'true', message: 'OK', value: 1 }],
    [
      'an option that is no boolean',
      { success: true, message: 'OK', value: 1, excludeValueFromContext: 'yes' },
    ],
    ['a list', [true, 'OK']],
  ])('refuses %s', (_name, value) => {
    expect(isToolResult(value)).toBe(false);
  });
});
