import { describe, expect, it } from 'vitest';
import { scriptedAdapter } from 'weakincentives/testing';
import { review } from './review.ts';

const record = (path: string, text = 'TODO: x') => ({
  name: 'record_finding',
  arguments: { kind: 'open-mark', path, line: 1, text },
});
const write = (content: string) => ({ name: 'write_file', arguments: { file_path: 'REVIEW.md', content } });
const publish = { name: 'publish_report' };

describe('record_finding', () => {
  it('numbers the findings of one turn without gaps, re-running all but the first', async () => {
    const { log, outcome } = await review(
      { 'a.ts': '', 'b.ts': '', 'c.ts': '' },
      {
        model: scriptedAdapter([
          { toolCalls: [record('a.ts'), record('b.ts'), record('c.ts')] },
          { text: 'done' },
        ]),
      },
    );
    expect(log.records.map(({ message, attempts }) => [message, attempts])).toEqual([
      ['Recorded as finding 1.', 1],
      ['Recorded as finding 2.', 2],
      ['Recorded as finding 3.', 2],
    ]);
    expect(outcome.findings).toBe(3);
  });

  it('refuses a file that is not there and records nothing', async () => {
    const { log, outcome } = await review(
      {},
      { model: scriptedAdapter([{ toolCalls: [record('gone.ts')] }, { text: 'Done.' }]) },
    );
    expect(log.records[0]).toMatchObject({ outcome: 'rolled-back', reason: 'failed-result' });
    expect(outcome.findings).toBe(0);
  });

  it.each([
    [{ kind: 'guess', path: 'a', text: 'x' }],
    [{ kind: 'open-mark', path: '', text: 'x' }],
    [{ kind: 'open-mark', path: 'a', text: 'two\nlines' }],
    [{ kind: 'open-mark', path: 'a', text: 'x', line: 0 }],
    [{ kind: 'open-mark', path: 'a', text: 'x', severity: 'high' }],
  ])('refuses the arguments %j', async (args) => {
    const adapter = scriptedAdapter([
      { toolCalls: [{ name: 'record_finding', arguments: args }] },
      { text: 'Done.' },
    ]);
    const { log } = await review({ a: '' }, { model: adapter });
    expect(log.records[0]).toMatchObject({ outcome: 'rejected', reason: 'invalid-arguments' });
  });
});

describe('publish_report', () => {
  const draft = '# R\n\nStatus: draft\n\n- [ ] `a.ts:1` TODO: x\n';

  it('sets the status when every finding is listed', async () => {
    const adapter = scriptedAdapter([
      { toolCalls: [record('a.ts')] },
      { toolCalls: [write(draft), publish] },
      {},
    ]);
    const { report, outcome } = await review({ 'a.ts': '' }, { model: adapter });
    expect(report).toContain('Status: published, 1 findings');
    expect(outcome.isPublished).toBe(true);
  });

  it('is rolled back, status and publication, when a finding is missing', async () => {
    const adapter = scriptedAdapter([
      { toolCalls: [record('a.ts', 'TODO: y')] },
      { toolCalls: [write(draft), publish] },
      {},
    ]);
    const { report, outcome, log } = await review({ 'a.ts': '' }, { model: adapter });
    expect(report).toBe(draft);
    expect(outcome).toEqual({ findings: 1, isPublished: false });
    const refused = log.records.at(-1);
    expect(refused).toMatchObject({ outcome: 'rolled-back', reason: 'failed-result' });
    expect(refused?.message).toContain('- `a.ts:1` TODO: y (recorded as a finding)');
    expect(refused?.steps).toEqual([
      'set the status of REVIEW.md to published',
      'entered a publication with 1 findings',
    ]);
  });

  it('is refused when an open entry of the previous report is dropped', async () => {
    const previous = '- [ ] ask legal\n- [x] ask sales\n';
    const read = { name: 'read_file', arguments: { file_path: 'REVIEW.md' } };
    const adapter = scriptedAdapter([
      { toolCalls: [read] },
      { toolCalls: [write(draft), publish] },
      { text: 'Done.' },
    ]);
    const { log } = await review({ 'REVIEW.md': previous, 'a.ts': '' }, { model: adapter });
    expect(log.records.at(-1)?.message).toContain('- ask legal (open in the previous report');
    expect(log.records.at(-1)?.message).not.toContain('ask sales');
  });

  it('names at most fifty missing entries', async () => {
    const previous = Array.from(
      { length: 60 },
      (_, index) => `- [ ] matter ${String.fromCharCode(97 + (index % 26)).repeat(index + 1)}`,
    );
    const read = { name: 'read_file', arguments: { file_path: 'REVIEW.md' } };
    const adapter = scriptedAdapter([
      { toolCalls: [read] },
      { toolCalls: [write(draft), publish] },
      { text: 'Done.' },
    ]);
    const { log } = await review({ 'REVIEW.md': previous.join('\n') }, { model: adapter });
    const lines = log.records.at(-1)?.message.split('\n') ?? [];
    expect(lines).toHaveLength(52);
    expect(lines.at(-1)).toBe('and 10 more.');
  });

  it('is denied before a report was written', async () => {
    const { log } = await review(
      {},
      { model: scriptedAdapter([{ toolCalls: [publish] }, { text: 'Done.' }]) },
    );
    expect(log.records[0]).toMatchObject({ outcome: 'denied', policy: 'sequential-dependency' });
  });

  it('wants a status line', async () => {
    const adapter = scriptedAdapter([{ toolCalls: [write('# R\n'), publish] }, { text: 'Done.' }]);
    const { log } = await review({}, { model: adapter });
    expect(log.records.at(-1)?.message).toContain('no line "Status: draft"');
  });
});

describe('list_unmounted', () => {
  it('names what is left out, and how much more there is', async () => {
    const entries = Array.from({ length: 300 }, (_, index) => ({
      path: `f${index}.bin`,
      reason: 'file-too-large' as const,
    }));
    const { conversation } = await review(
      {},
      {
        model: scriptedAdapter([{ toolCalls: [{ name: 'list_unmounted' }] }, { text: 'Done.' }]),
        skipped: entries,
      },
    );
    const result = conversation.find((item) => item.type === 'tool-result');
    expect(result?.text).toContain('300 files left out');
    expect(result?.text).toContain('- every venv/\n- f0.bin: larger than 32.0 MB');
    expect(result?.text).toContain('and 100 more.');
  });
});
