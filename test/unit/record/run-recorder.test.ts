import { describe, expect, it } from 'vitest';
import { type CallCommit, type JsonValue, ToolResult } from 'weakincentives';
import { readRunRecord, runRecorder } from 'weakincentives/record';
import { act } from '../../support/act.ts';
import { promptWith } from '../../support/nested-setup.ts';
import { answer, telemetryModel } from '../../support/telemetry-model.ts';

const work = act('work', () => ToolResult.ok(null, 'Done.'));
const asks = (turn: number, raw?: JsonValue) => ({
  content: [{ type: 'tool-call' as const, callId: `c${turn}`, name: 'work', arguments: '{}' }],
  finishReason: 'tool-calls' as const,
  ...(raw === undefined ? {} : { raw: { provider: 'test', items: [raw] } }),
});

describe('runRecorder', () => {
  it('keeps an answer that its provider has nested too deep, as far as a row can', async () => {
    const lines: string[] = [];
    const failures: unknown[] = [];
    const deep: JsonValue = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
    const observer = runRecorder({
      write: (line) => void lines.push(line),
      onFailure: (error) => failures.push(error),
    });
    const adapter = telemetryModel((turn) => (turn < 3 ? asks(turn, deep) : answer('Done.')));
    await adapter.evaluate(promptWith('task', [work]), { observers: [observer] });
    expect(failures).toEqual([]);
    const record = await readRunRecord(lines);
    expect(record).toMatchObject({ isComplete: true, commits: [{ seq: 1 }, { seq: 2 }] });
    expect(JSON.stringify(record.turns[0]?.response?.raw)).toContain('<nested too deep>');
  });

  it('begins with the header, also where it holds long texts', async () => {
    const lines: string[] = [];
    const params = {
      text: 'long '.repeat(200),
      reference: { $ref: 'x' },
      repeated: ['same '.repeat(20), 'same '.repeat(20)],
    };
    const observer = runRecorder({ write: (line) => void lines.push(line), params });
    await telemetryModel(() => answer('Done.')).evaluate(promptWith('task', [work]), {
      observers: [observer],
    });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'header' });
    expect((await readRunRecord(lines)).params).toEqual(params);
  });

  it('writes one line for each row, for readers that take other characters for ends of lines, too', async () => {
    const lines: string[] = [];
    const ends = 'a\u0085b\u2028c\u2029d';
    const observer = runRecorder({ write: (line) => void lines.push(line) });
    const adapter = telemetryModel((turn) => (turn < 2 ? asks(turn, ends) : answer(ends.repeat(300))));
    await adapter.evaluate(promptWith('task', [work]), { observers: [observer] });
    expect(lines.join('\n').split(/[\n\u0085\u2028\u2029]/)).toEqual(lines);
    const record = await readRunRecord(lines);
    expect(record.turns[0]?.response?.raw?.items).toEqual([ends]);
    expect(record.root.text).toBe(ends.repeat(300));
  });

  it('ends the record at a row that cannot be made, so that what was written can be read', async () => {
    const lines: string[] = [];
    const failures: unknown[] = [];
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const observer = runRecorder({
      write: (line) => void lines.push(line),
      onFailure: (error) => failures.push(error),
    });
    // A provider returns what it likes.
    const adapter = telemetryModel((turn) =>
      turn < 3 ? asks(turn, turn === 2 ? (cyclic as JsonValue) : undefined) : answer('Done.'),
    );
    const { text } = await adapter.evaluate(promptWith('task', [work]), { observers: [observer] });
    expect(text).toBe('Done.');
    expect(failures).toEqual([expect.any(TypeError)]);
    expect(await readRunRecord(lines)).toMatchObject({ isComplete: false, commits: [{ seq: 1 }] });
  });

  it('ends the record at a commit that the run could not report', async () => {
    const lines: string[] = [];
    const failures: unknown[] = [];
    const recorder = runRecorder({
      write: (line) => void lines.push(line),
      onFailure: (error) => failures.push(error),
    });
    const { onCommit } = recorder;
    const observer = Object.assign(recorder, {
      onCommit: (commit: CallCommit) => (commit.seq === 2 ? undefined : onCommit?.call(recorder, commit)),
    });
    const adapter = telemetryModel((turn) => (turn < 4 ? asks(turn) : answer('Done.')));
    await adapter.evaluate(promptWith('task', [work]), { observers: [observer] });
    expect(failures).toEqual([new RangeError('Commit 2 was not reported.')]);
    expect(await readRunRecord(lines)).toMatchObject({ isComplete: false, commits: [{ seq: 1 }] });
  });
});
