import { describe, expect, it } from 'vitest';
import type { Citation, HostedToolOutput, RunEvent } from 'weakincentives';
import type {
  CodeInterpreterResult,
  HostedMcpResult,
  ImageGenerationResult,
  WebFetchResult,
  WebSearchResult,
} from 'weakincentives/tools';
import { CallLog } from '../../../../../src/cli/report/calls/call-log.ts';
import { describeTotals } from '../../../../../src/cli/report/calls/call-totals.ts';
import { eventLine } from '../../../../../src/cli/report/events/event-record.ts';
import { formatCallTable } from '../../../../../src/cli/report/table/call-table.ts';
import { Redactor } from '../../../../../src/core/runtime/index.ts';
import { here } from '../../../../support/event-places.ts';
import { capturedStream } from '../../support.ts';
import { shownProgress } from '../progress/shown-run.ts';
import { asked, ended, inside, started } from './call-events.ts';

function ran(
  toolName: string,
  output: HostedToolOutput,
  citations: readonly Citation[] = [],
  turn = 1,
): RunEvent {
  return here({ type: 'hosted-tool-called', turn, toolName, output, citations });
}

function search(...queries: readonly string[]): WebSearchResult {
  const sources = [{ url: 'https://example.com/a' }, { url: 'https://example.com/b' }];
  return { status: 'completed', action: 'search', queries, sources };
}

const cited: Citation = { type: 'url', url: 'https://example.com/a', title: 'A' };
const read: HostedMcpResult = {
  status: 'failed',
  server: 'wiki',
  name: 'read',
  arguments: { path: 'cats.md' },
  error: 'no such page\u001b',
};
const code: CodeInterpreterResult = { status: 'completed', code: 'print(1)', exitCode: 1, files: [{}] };
const no = {
  type: 'hosted-approval-answered',
  turn: 2,
  toolName: 'wiki',
  name: 'write',
  approved: false,
  reason: 'nobody can be asked.',
} as const;

const events: readonly RunEvent[] = [
  here({ type: 'model-call-start', turn: 1 }),
  asked('a'),
  ran('search', search('cats', '/home/ann'), [cited]),
  ran('search', { status: 'incomplete', errorCode: 'max_uses_exceeded' }),
  started('a'),
  ended('a'),
  here({ type: 'model-call-start', turn: 2 }),
  ran('wiki', read, [], 2),
  ran('code', code, [], 2),
  here({ ...no, approved: true, name: 'list' }),
  here(no),
];
const clean = (text: string): string => text.replaceAll('/home/ann', '<home>');

function logOf(told: readonly RunEvent[]): CallLog {
  const log = new CallLog(clean);
  for (const event of told) log.observe(event);
  return log;
}

describe('what a provider runs', () => {
  it('has rows of its own in the table, and is no call of the run', () => {
    const log = logOf(events);
    const table = formatCallTable(log.records, { width: 140, maxRows: 48, style: (_tone, text) => text });
    expect(table.slice(1).map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      '1 | h1 | search | cats <home> | run by the provider: 2 sources, 1 citation',
      '1 | h2 | search | failed at the provider: it was interrupted, max_uses_exceeded',
      '1 | 1 | 3 ms | look | a.md | committed',
      '2 | h3 | wiki | read cats.md | failed at the provider: no such page<U+001B>',
      '2 | h4 | code | print(1) | run by the provider: exit code 1, 1 file',
      '2 | h5 | wiki | write | not approved for the provider: nobody can be asked.',
    ]);
    expect(describeTotals(log.totals())).toBe('2 turns, 1 call: 1 committed, 5 more run by the provider');
  });

  it('stands inside a call where an evaluation there had it run', () => {
    const log = logOf([
      started('a'),
      inside('a', asked('b', 'c')),
      inside('a', ran('search', search('first'))),
      inside('a', started('b')),
      inside('a', ended('b')),
      inside('a', started('c')),
      inside('a', ended('c')),
      inside('a', ran('search', search('last'))),
      ended('a', { success: false, outcome: 'rolled-back' }),
    ]);
    expect(log.records).toMatchObject([
      {
        number: '1',
        inner: [
          { number: '1.h1', subject: 'first', outcome: 'hosted', undoneWith: undefined },
          { number: '1.1', undoneWith: '1' },
          { number: '1.2', undoneWith: '1' },
          { number: '1.h2', subject: 'last' },
        ],
      },
    ]);
    expect(log.totals()).toMatchObject({ calls: 1, hosted: 0, inner: { calls: 2, hosted: 2 } });
  });

  it('is put together like calls of one sort are', () => {
    const log = logOf(Array.from({ length: 60 }, (_, index) => ran('search', search(`q${index}`))));
    const table = formatCallTable(log.records, { width: 140, maxRows: 48, style: (_tone, text) => text });
    expect(table).toHaveLength(2);
    expect(table[1]?.replace(/ {2,}/g, ' | ')).toBe(
      '1 | h1-h60 | 60 x search | q0 … q59 | run by the provider',
    );
  });

  it('is told while it happens', () => {
    const stream = capturedStream();
    const progress = shownProgress(stream, { detail: 'all', clean });
    for (const event of events) progress.observe(event);
    progress.observe(here({ type: 'tool-results-dropped', turn: 2, callIds: ['a', 'b'], characters: 9 }));
    progress.observe(here({ type: 'turns-dropped', turn: 3, turns: 1, callIds: ['a'] }));
    progress.observe(
      here({ type: 'input-taken', turn: 4, ids: ['m'], by: 'ann', text: 'Look at /home/ann.' }),
    );
    progress.observe(here({ type: 'input-taken', turn: 4, ids: ['n'], text: 'Now.' }));
    const toolCalls = [{ type: 'tool-call', callId: 'd', name: 'look', arguments: '{}' }] as const;
    const answered = { text: '', finishReason: 'tool-calls', durationMs: 1, isCompacted: true } as const;
    progress.observe(here({ type: 'model-call-end', turn: 3, toolCalls, ...answered }));
    const plain = { text: '', toolCalls: [], finishReason: 'stop', durationMs: 1 } as const;
    for (const cache of [
      { hit: true },
      { hit: false, missed: 1_200, reason: 'tools_changed' },
      { hit: false },
    ]) {
      progress.observe(here({ type: 'model-call-end', turn: 5, ...plain, cache }));
    }
    expect(stream.text().split('\n')).toEqual([
      'turn 1: 1 call (look)',
      'turn 1: the provider ran search cats <home> (2 sources, 1 citation)',
      'turn 1: the provider failed to run search (max_uses_exceeded)',
      'turn 2: the provider failed to run wiki read cats.md (no such page<U+001B>)',
      'turn 2: the provider ran code print(1) (exit code 1, 1 file)',
      'turn 2: the provider may run wiki list: nobody can be asked.',
      'turn 2: the provider may not run wiki write: nobody can be asked.',
      'turn 2: the conversation exceeded the context window, 2 tool results replaced by a note',
      'turn 3: 1 turn of the conversation dropped to make room',
      'turn 4: ann said: Look at <home>.',
      'turn 4: someone said: Now.',
      'turn 3: the provider shortened the conversation',
      'turn 3: 1 call (look)',
      'turn 5: the request missed the prompt cache, about 1,200 tokens: tools_changed',
      'turn 5: the request missed the prompt cache',
      '',
    ]);
  });

  it('is written without the data of an image', () => {
    const image: ImageGenerationResult = {
      status: 'completed',
      mediaType: 'image/png',
      base64: 'aGVsbG8=',
      revisedPrompt: 'a cat',
    };
    const redactor = new Redactor(clean, () => undefined);
    const line = eventLine(inside('a', ran('draw', image)), 1, redactor);
    expect(JSON.parse(line)).toMatchObject({
      output: { status: 'completed', mediaType: 'image/png', revisedPrompt: 'a cat', characters: 8 },
    });
    expect(line).not.toContain('aGVsbG8=');
  });

  it.each([
    ['text/plain', 'Hello.', { content: 'Hello.' }],
    ['application/pdf', 'aGVsbG8=', { characters: 8 }],
  ])('is written with a document of the type %s as far as it is a text', (mediaType, content, told) => {
    const page: WebFetchResult = { status: 'completed', url: 'https://a.example', mediaType, content };
    const line = eventLine(ran('fetch', page), 1, new Redactor(clean, () => undefined));
    expect(JSON.parse(line)).toMatchObject({
      output: { status: 'completed', url: 'https://a.example', mediaType, ...told },
    });
    expect(line.includes(content)).toBe('content' in told);
  });
});
