import { describe, expect, it } from 'vitest';
import { type AnyTool, ToolResult, tool } from 'weakincentives';
import { readRunRecord, runRecorder } from 'weakincentives/record';
import { z } from 'zod';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { runCalls } from '../../../../support/run-calls.ts';

const assign = (
  subject: (params: { readonly ticket: number; readonly to?: string | undefined }) => string,
): AnyTool =>
  tool({
    name: 'assign',
    description: 'Assigns a ticket.',
    inputSchema: z.object({ ticket: z.number(), to: z.string().default('ops') }),
    effects: 'state',
    subject,
    execute: () => ToolResult.ok(null, 'Assigned.'),
  });

/** What is said of a call with these arguments, and what is logged. */
async function said(
  subject: Parameters<typeof assign>[0],
  args: Record<string, unknown> = { ticket: 17 },
  redact?: (text: string) => string,
) {
  const logger = recordingLogger();
  const options = redact === undefined ? {} : { redact };
  const { events, invocations } = await runCalls({
    tools: [assign(subject)],
    calls: [{ name: 'assign', arguments: args }],
    logger,
    ...options,
  });
  const [start] = events.filter((event) => event.type === 'tool-call-start');
  return { subject: start?.subject, outcome: invocations[0]?.outcome, logged: logger.lines };
}

describe('the subject of a call', () => {
  it('is what the tool makes of the arguments as they were sent', async () => {
    const seen: unknown[] = [];
    const { subject, outcome } = await said((params) => {
      seen.push(params);
      return `ticket ${params.ticket}`;
    });
    expect({ subject, outcome }).toEqual({ subject: 'ticket 17', outcome: 'committed' });
    expect(seen).toEqual([{ ticket: 17 }]);
  });

  it.each<[what: string, text: string, subject: string | undefined]>([
    ['lines', ' a\n\n b ', 'a b'],
    ['control characters', 'a\u001b[31mb', 'a<U+001B>[31mb'],
    ['more than 80 characters', `${'word '.repeat(20)}end`, `${'word '.repeat(15).trim()} word…`],
    ['half of a surrogate pair', 'a\ud800', 'a\ufffd'],
    ['nothing', ' \n', undefined],
  ])('of %s is shown on one line', async (_what, text, subject) => {
    const found = (await said(() => text)).subject;
    expect(found).toBe(subject);
    expect((found ?? '').length).toBeLessThanOrEqual(80);
  });

  it('has no secret, also where it would be cut', async () => {
    const secret = 's3cret-'.repeat(8);
    const { subject } = await said(
      () => `${'x'.repeat(50)} ${secret}`,
      { ticket: 1 },
      (text) => text.replaceAll(secret, '<removed>'),
    );
    expect(subject).toBe(`${'x'.repeat(50)} <removed>`);
  });

  it.each<[what: string, subject: () => string, logged: string]>([
    [
      'throws',
      () => {
        throw new Error('no luck');
      },
      'The subject of a tool threw',
    ],
    // As JavaScript may do it.
    ['is no text', () => 7 as never, 'The subject of a tool is not a text'],
    ['rejects', () => Promise.reject(new Error('late')) as never, 'The subject of a tool is not a text'],
  ])('that %s fails no call, and is logged', async (_what, subject, message) => {
    const { outcome, logged, ...rest } = await said(subject);
    expect({ outcome, subject: rest.subject }).toEqual({ outcome: 'committed', subject: undefined });
    expect(JSON.stringify(logged)).toContain(message);
  });

  it('is kept in the record, but for a call that is rejected', async () => {
    const lines: string[] = [];
    const recorder = runRecorder({ write: (line) => void lines.push(line) });
    await runCalls({
      tools: [assign(({ ticket }) => `ticket ${ticket}`)],
      calls: [
        { name: 'assign', arguments: { ticket: 17 } },
        { name: 'assign', arguments: { ticket: 'two' } },
      ],
      observers: [recorder],
    });
    const { calls } = await readRunRecord(lines);
    expect(calls.map(({ outcome, subject }) => [outcome, subject])).toEqual([
      ['committed', 'ticket 17'],
      ['rejected', undefined],
    ]);
  });
});
