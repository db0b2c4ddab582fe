import { describe, expect, it } from 'vitest';
import { ToolResult } from 'weakincentives';
import { readToolResult } from '../../../../src/core/tool/index.ts';

const shot = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
const page = {
  type: 'file',
  mediaType: 'text/html',
  data: 'https://example.com/page',
  name: 'page',
} as const;

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
    expect(ToolResult.ok(1, 'Seen.', { attachments: [shot, page] })).toEqual({
      success: true,
      message: 'Seen.',
      value: 1,
      attachments: [shot, page],
    });
  });

  it('makes frozen failures, with facts if there are any', () => {
    expect(ToolResult.error('No such file.')).toStrictEqual({ success: false, message: 'No such file.' });
    expect(ToolResult.error('No.', { path: 'a' })).toEqual({
      success: false,
      message: 'No.',
      value: { path: 'a' },
    });
    expect(ToolResult.error('No.', 1, { excludeValueFromContext: true })).toStrictEqual({
      success: false,
      message: 'No.',
      value: 1,
      excludeValueFromContext: true,
    });
    expect(ToolResult.error('No.', 1, { excludeValueFromContext: false })).toStrictEqual({
      success: false,
      message: 'No.',
      value: 1,
    });
    expect(ToolResult.error('No.', undefined, { attachments: [shot] })).toStrictEqual({
      success: false,
      message: 'No.',
      attachments: [shot],
    });
    expect(Object.isFrozen(ToolResult.error('x'))).toBe(true);
  });
});

describe('readToolResult', () => {
  it.each<readonly [string, unknown]>([
    ['a success', ToolResult.ok(undefined)],
    ['a failure', ToolResult.error('x')],
    [
      'a plain object of the shape',
      { success: true, message: 'OK', value: 1, excludeValueFromContext: true },
    ],
    ['a plain failure', { success: false, message: 'x' }],
    [
      'a failure without its value',
      { success: false, message: 'x', value: 1, excludeValueFromContext: true },
    ],
    ['a success with attachments', ToolResult.ok(undefined, 'x', { attachments: [shot, page] })],
    ['a failure with attachments', ToolResult.error('x', { a: 1 }, { attachments: [page] })],
  ])('knows %s', (_name, value) => {
    expect(readToolResult(value)).toEqual({ ok: true, result: value });
  });

  it('takes an empty list of attachments for none', () => {
    const { ok, ...rest } = readToolResult(ToolResult.ok(1, 'x', { attachments: [] }));
    expect({ ok, ...rest }).toStrictEqual({ ok: true, result: { success: true, message: 'x', value: 1 } });
  });

  it('copies attachments, so that later changes have no effect', () => {
    const mine = { ...shot, data: 'AAAA' };
    const attachments = [mine];
    const reading = readToolResult(ToolResult.ok(1, 'x', { attachments }));
    attachments.push(mine);
    mine.data = 'BBBB';
    expect(reading).toMatchObject({ ok: true, result: { attachments: [shot] } });
  });

  it.each<readonly [string, unknown, string]>([
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a text', 'OK', 'string'],
    ['a promise', Promise.resolve(ToolResult.ok(1)), 'object'],
    ['a bare value', { a: 1 }, 'object'],
    ['a success without value', { success: true, message: 'OK' }, 'object'],
    ['a message that is not a string', { success: false, message: 1 }, 'object'],
    ['a flag that is not a boolean', { success: 'true', message: 'OK', value: 1 }, 'object'],
    [
      'an option that is not a boolean',
      { success: true, message: 'OK', value: 1, excludeValueFromContext: 'yes' },
      'object',
    ],
    [
      'an option of a failure that is not a boolean',
      { success: false, message: 'x', excludeValueFromContext: 1 },
      'object',
    ],
    ['a list', [true, 'OK'], 'object'],
  ])('refuses %s', (_name, value, type) => {
    expect(readToolResult(value)).toEqual({ ok: false, problem: `${type} instead of a ToolResult` });
  });

  it('names the attachment that cannot be sent', () => {
    const value = { success: true, message: 'OK', value: 1, attachments: [shot, { ...shot, data: 7 }] };
    expect(readToolResult(value)).toEqual({
      ok: false,
      problem: 'a ToolResult that cannot be sent: attachments[1].data must be text, but is 7',
    });
  });
});
