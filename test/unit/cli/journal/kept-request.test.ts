import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { fromJournal, toJournal } from '../../../../src/cli/journal/kept-request.ts';

const runWords = [
  ...['run', '/agents/a.ts', '--params={"a":1}', '--input=Continue.', '--model=openai:x', '--apply=each'],
  ...[
    '--max-cost=2.50',
    '--prices=1/2',
    '--deadline=10m',
    '--timeout=45s',
    '--idle-timeout=2m',
    '--tag=t',
    '--overrides=/texts',
    '--no-enforce',
  ],
  ...['--sandbox=podman:node:22', '--mcp=/servers.json', '--suspend', '--expires=7d', '--on-suspend=notify'],
  ...['--context-overflow=drop-tool-results', '--max-conversation-turns=4', '--effort=low'],
  ...['--workspace=/work'],
];
const serveWords = [
  ...['serve', '/agents/a.ts', '--apply=never', '--params={"a":1}', '--tag=t', '--sandbox=virtual'],
  ...['--overrides=/texts', '--mcp=/servers.json', '--workspace=/work'],
];

/** What a command of today would keep that is called with these words. */
function taskNow(words: readonly string[]): object {
  const read = readArguments([...words, '--durable']);
  if (read.kind !== 'run' && read.kind !== 'serve') throw new Error(read.kind);
  return { kind: read.kind, ...read.durable?.task };
}

describe('the request that a journal keeps', () => {
  it.each([[runWords], [serveWords], [['serve', '--policy=/rules.ts', '--apply=end']]])(
    'is read as it was kept, and the words of an earlier version as what they ask for: %j',
    (words) => {
      const fromWords = fromJournal({ call: words })?.request;
      expect(fromWords).toEqual(taskNow(words));
      if (fromWords === undefined || fromWords === 'unreadable') throw new Error('It is readable.');
      const kept = JSON.parse(JSON.stringify(toJournal(fromWords))) as ReturnType<typeof toJournal>;
      expect(kept['version']).toBe(1);
      const { version: _version, ...read } = Object(fromJournal({ request: kept })?.request);
      expect(JSON.parse(JSON.stringify(fromWords))).toEqual(read);
    },
  );

  it('has absolute paths', () => {
    expect(fromJournal({ call: ['run', 'a.ts', '--overrides=texts'] })?.request).toMatchObject({
      agent: resolve('a.ts'),
      overrides: { root: resolve('texts') },
    });
  });

  it.each([[{}], [{ call: 'run' }], [{ call: ['run', 1] }]])(
    'is not there in what another program keeps: %j',
    (info) => {
      expect(fromJournal(info)).toBeUndefined();
    },
  );

  it.each([
    [{ call: ['--version'] }],
    [{ call: ['run'] }],
    [{ call: ['run', 'a.ts', '--of-another-version'] }],
    [{ call: ['fly', 'a.ts'] }],
    [{ request: { version: 2, kind: 'run', agent: '/a.ts' } }],
    [{ request: { version: 1, kind: 'fly' } }],
  ])('cannot be read of another version: %j', (info) => {
    expect(fromJournal(info)?.request).toBe('unreadable');
  });

  const keptRun = toJournal(Object(fromJournal({ call: runWords })?.request));
  const keptServe = toJournal(Object(fromJournal({ call: serveWords })?.request));

  it.each<[object, object]>([
    [keptRun, { agent: undefined }],
    [keptRun, { agent: 7 }],
    [keptRun, { params: 'x' }],
    [keptRun, { apply: 'always' }],
    [keptRun, { model: { kind: 'openai' } }],
    [keptRun, { model: { kind: 'of a later version', model: 'x' } }],
    [keptRun, { model: 'openai:x' }],
    [keptRun, { budget: null }],
    [keptRun, { deadlineMs: '10m' }],
    [keptRun, { suspension: { expiresMs: 1 } }],
    [keptRun, { overrides: { tag: 1 } }],
    [keptRun, { sandbox: { kind: 'podman' } }],
    [keptRun, { isEnforced: 'no' }],
    [keptServe, { agent: 7 }],
    [keptServe, { mcpFile: true }],
    [keptServe, { policyFile: [] }],
    [keptServe, { params: undefined }],
  ])('cannot be read where a member is not what it must be: %#', (kept, wrong) => {
    const readWith = (members: object): unknown =>
      fromJournal({ request: JSON.parse(JSON.stringify({ ...kept, ...members })) })?.request;
    expect(readWith({})).toEqual(JSON.parse(JSON.stringify(kept)));
    expect(readWith({ ofALaterVersion: true })).toMatchObject(kept);
    expect(readWith(wrong)).toBe('unreadable');
  });

  it.each([[['serve', '--', '/agents/a.ts']], [['run', '--', '/agents/a.ts']]])(
    'takes words of an earlier version whose options have an end: %j',
    (words) => {
      expect(fromJournal({ call: words })?.request).toMatchObject({ kind: words[0], agent: '/agents/a.ts' });
    },
  );
});
