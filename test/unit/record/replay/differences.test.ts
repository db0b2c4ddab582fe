import { describe, expect, it } from 'vitest';
import type { RecordedCall } from 'weakincentives/record';
import { compareCalls } from '../../../../src/record/replay/compare-calls.ts';
import { describeDifference, firstDifference } from '../../../../src/record/replay/json-difference.ts';
import { requestDifferences } from '../../../../src/record/replay/request-difference.ts';

describe('the first difference of two values', () => {
  it.each([
    [{ a: 1 }, { a: 1 }, undefined],
    [0, -0, undefined],
    [{ a: undefined }, {}, undefined],
    [Number.NaN, Number.NaN, undefined],
    [1, '1', { path: '', recorded: 1, now: '1' }],
    [[1, 2], [1], { path: '[1]', recorded: 2, now: undefined }],
    [[1], [1, 2], { path: '[1]', recorded: undefined, now: 2 }],
    [{ a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } }, { path: 'a.b[0].c', recorded: 1, now: 2 }],
    [{ a: 1 }, { a: 1, b: null }, { path: 'b', recorded: undefined, now: null }],
    [[], {}, { path: '', recorded: [], now: {} }],
    [null, {}, { path: '', recorded: null, now: {} }],
    [{}, { toString: 1 }, { path: 'toString', recorded: undefined, now: 1 }],
    [
      { b: 1, a: 1 },
      { b: 2, a: 2 },
      { path: 'b', recorded: 1, now: 2 },
    ],
  ])('of %j and %j', (recorded, now, difference) => {
    expect(firstDifference(recorded, now)).toEqual(difference);
  });

  it.each([
    [1, [2], ': recorded 1, now [2]'],
    [undefined, { a: 1 }, ': recorded nothing, now {"a":1}'],
    ['same one', 'same two', ' from character 6: recorded "same one", now "same two"'],
    [
      `${'x'.repeat(30)}a`,
      `${'x'.repeat(30)}b`,
      ` from character 31: recorded …"${'x'.repeat(20)}a", now …"${'x'.repeat(20)}b"`,
    ],
    ['a', `b${'c'.repeat(90)}`, ` from character 1: recorded "a", now "b${'c'.repeat(79)}"…`],
    ['x'.repeat(90), 1, `: recorded "${'x'.repeat(79)}…, now 1`],
  ])('is said of %j and %j', (recorded, now, text) => {
    expect(describeDifference({ path: '', recorded, now })).toBe(text);
  });

  it('is said with its place', () => {
    expect(describeDifference({ path: 'a[0]', recorded: 1, now: 2 })).toBe(' at a[0]: recorded 1, now 2');
  });
});

describe('the differences of two requests', () => {
  const tool = (name: string, description = 'Does it.') => ({
    name,
    description,
    inputSchema: { type: 'object' },
  });
  const said = (text: string) => ({ type: 'user' as const, content: [{ type: 'text' as const, text }] });
  const result = (text: string) => ({
    type: 'tool-result' as const,
    callId: 'c1',
    toolName: 'x',
    text,
    isError: false,
  });
  const request = {
    instructions: 'Do it.',
    tools: [tool('a'), tool('b')],
    hostedTools: [],
    conversation: [said('Go.'), result('1')],
    outputSchema: { type: 'object' },
    toolChoice: 'auto',
    settings: { temperature: 1 },
  };
  // Requests have more members, which are not compared.
  const differencesOf = (now: object) =>
    requestDifferences(request as never, { ...request, ...now } as never);

  it('are none between requests that read the same', () => {
    expect(differencesOf({ tools: [{ ...tool('a'), examples: [] }, tool('b')] })).toEqual([]);
    // Rows of earlier versions do not say who said it.
    const conversation = [{ ...said('Go.'), source: 'runtime' }, result('1')];
    expect(differencesOf({ conversation })).toEqual([]);
  });

  it.each([
    [
      { instructions: 'Do that.' },
      'instructions',
      'The instructions differ from character 4: recorded "Do it.", now "Do that.".',
    ],
    [{ tools: [tool('a')] }, 'tools', 'The tool "b" is missing.'],
    [{ tools: [tool('a'), tool('b'), tool('c')] }, 'tools', 'The tool "c" is new.'],
    [
      { tools: [tool('b'), tool('a')] },
      'tools',
      'The order of the tools differs at [0] from character 1: recorded "a", now "b".',
    ],
    [
      { tools: [tool('a', 'D'), tool('b')] },
      'tools',
      'The tool "a" differs at description from character 2: recorded "Does it.", now "D".',
    ],
    [
      { hostedTools: [{ name: 'web' }] },
      'tools',
      'The hosted tools differ at [0]: recorded nothing, now {"name":"web"}.',
    ],
    [{ conversation: [said('Go.')] }, 'conversation', 'Message 1 (tool-result of "x", c1) is missing.'],
    [{ conversation: [said('Go.'), result('1'), said('More.')] }, 'conversation', 'Message 2 (user) is new.'],
    [
      { conversation: [said('Go.'), result('2')] },
      'conversation',
      'Message 1 (tool-result of "x", c1) differs at text from character 1: recorded "1", now "2".',
    ],
    [
      { outputSchema: undefined },
      'outputSchema',
      'The parts of the answer schema differ: recorded {"type":"object"}, now nothing.',
    ],
    [
      { toolChoice: 'none' },
      'toolChoice',
      'The tool choices differ from character 1: recorded "auto", now "none".',
    ],
    [{ settings: { temperature: 0 } }, 'settings', 'The settings differ at temperature: recorded 1, now 0.'],
  ])('name the part: %j', (now, part, text) => {
    expect(differencesOf(now)).toEqual([expect.objectContaining({ part, text })]);
  });

  it('name the message, and the call whose result it is', () => {
    const all = differencesOf({ instructions: 'x', conversation: [said('Go.'), result('2')], settings: {} });
    expect(all.map(({ part, index, name }) => [part, index, name])).toEqual([
      ['instructions', undefined, undefined],
      ['conversation', 1, 'c1'],
      ['settings', undefined, undefined],
    ]);
  });
});

describe('the differences of two calls', () => {
  const attempt = {
    outcome: 'committed',
    policies: [],
    reads: [],
    events: [],
    writes: [
      { slice: 'b', op: 'clear' },
      { slice: 'a', op: 'clear' },
    ],
    log: [{ slice: 'log', items: [1] }],
    files: [
      { path: 'y', kind: 'created', entry: 'file', after: { hash: 'h', bytes: 1 } },
      { path: 'x', kind: 'removed', entry: 'file' },
    ],
  };
  const call = { outcome: 'committed', modelText: 'Done.', approvals: [], inner: [], attempts: [attempt] };
  // A call has more members, which are not compared.
  const asCall = (given: object): RecordedCall => given as unknown as RecordedCall;
  const slices = { isCompared: (name: string) => name !== 'of-policies' };
  const differencesOf = (now: object, recorded: object = {}, source: 'live' | 'recorded' = 'live') =>
    compareCalls(asCall({ ...call, ...recorded }), asCall({ ...call, ...now }), { source, slices }).map(
      ({ part }) => part,
    );
  const denies = { policy: 'p', about: 'call', outcome: 'deny', isEnforced: true };

  it.each([
    ['how often it was tried', { attempts: [{ ...attempt, files: [] }, attempt] }, []],
    [
      'the order of files and of slices',
      { attempts: [{ ...attempt, files: attempt.files.toReversed(), writes: attempt.writes.toReversed() }] },
      [],
    ],
    ['a policy that allows', { attempts: [{ ...attempt, policies: [{ ...denies, outcome: 'allow' }] }] }, []],
    ['a policy that denies', { attempts: [{ ...attempt, policies: [denies] }] }, ['policy']],
    ['another approval', { approvals: [{ policy: 'p', approved: true }] }, ['policy']],
    ['another outcome', { outcome: 'failed' }, ['outcome']],
    ['another reason', { reason: 'timeout' }, ['outcome']],
    ['another text', { modelText: 'Done!' }, ['text']],
    [
      'another content of a file',
      {
        attempts: [
          { ...attempt, files: [{ ...attempt.files[0], after: { hash: 'i', bytes: 1 } }, attempt.files[1]] },
        ],
      },
      ['changes'],
    ],
    ['another write', { attempts: [{ ...attempt, writes: [] }] }, ['changes']],
    ['another entry of a log', { attempts: [{ ...attempt, log: [] }] }, ['changes']],
  ])('by %s', (_what, now, parts) => {
    expect(differencesOf(now)).toEqual(parts);
  });

  it('are not looked for in the changes of a call that failed', () => {
    const failed = { outcome: 'failed' };
    expect(differencesOf({ ...failed, attempts: [{ ...attempt, writes: [] }] }, failed)).toEqual([]);
  });

  it('leave out approvals inside a call that is answered for', () => {
    const recorded = { inner: [{}], approvals: [{ policy: 'p', approved: true }] };
    expect(differencesOf({}, recorded, 'recorded')).toEqual([]);
    expect(differencesOf({}, recorded)).toEqual(['policy']);
  });
});
