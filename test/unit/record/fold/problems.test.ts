import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  jsonSchema,
  MemoryFilesystem,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { readRunRecord, runRecorder } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';

const linesOf = (file: string): readonly string[] =>
  readFileSync(new URL(`../../../fixtures/golden/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n');

describe('the problems of a record', () => {
  it('are what failed, then what cost time, each in the order of the run', async () => {
    const { problems } = await readRunRecord(linesOf('record.jsonl'));
    // A message may have more lines.
    const said = problems.map(({ kind, text }) => `${kind}: ${text.split('\n')[0]}`);
    expect(said).toEqual([
      'failed-call: The tool "fail" failed: It is out of range.',
      'denied: The call of "forbidden" was denied by the policy "asks": It is forbidden.',
      'rejected: Tool validation failed: the arguments of "note" do not fit.',
      'rejected: There is no tool "unknown". The tools are: note, shift, fail, delegate, publish, draft, forbidden.',
      'conflicts: note ran 2 times: key k of slice notes, kind notes/k.md changed while it ran.',
      'approval-wait: publish waited for an approval that asks asked for.',
      'conflicts: draft ran 2 times: kind draft.bin changed while it ran.',
      'approval-wait: draft waited for an approval that reviews asked for.',
      'approval-wait: draft waited for an approval that reviews asked for.',
      'model-retry: The model was asked again (rate-limit): It is busy.',
      'output-rejected: The answer was refused: It holds no JSON; a JSON object is asked for.',
      'output-rejected: second found the task incomplete: Say it again.',
    ]);
    expect(problems.map(({ isFailure }) => isFailure)).toEqual(said.map((_text, at) => at < 4));
  });

  it('have that of the model, and that of the run', async () => {
    const { problems } = await readRunRecord(linesOf('failed-record.jsonl'));
    expect(problems.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'failed-run: The run failed: The answer of the model "golden adapter" cannot be used: It answered <secret>. (prompt "outer", turn 2)',
      'failed-run: The model gave no answer: It answered <secret>.',
      'conflicts: note ran 2 times: key k of slice notes, kind notes/k.md changed while it ran.',
    ]);
  });

  it('count what was called again and again until something changed', async () => {
    const look = tool({
      name: 'look',
      description: 'Looks.',
      effects: 'read',
      execute: () => ToolResult.ok(null),
    });
    const write = tool({
      name: 'write',
      description: 'Writes.',
      execute: async (_params, { filesystem }) => {
        await filesystem.write('a.md', 'a');
        return ToolResult.ok(null);
      },
    });
    const template = promptTemplate({
      ns: 'test',
      key: 'looks',
      resources: [binding(Filesystem, { instance: new MemoryFilesystem() })],
      sections: [section({ title: 'Task', key: 'task', template: 'Look.', tools: [look, write] })],
    });
    const names = [
      'look',
      'look',
      'look',
      'look',
      'look',
      'write',
      'look',
      'look',
      'write',
      'look',
      'look',
      'look',
      'look',
    ];
    const lines: string[] = [];
    const recorder = runRecorder({ write: (line) => void lines.push(line) });
    const adapter = scriptedAdapter([...names.map((name) => ({ toolCalls: [{ name }] })), { text: 'done' }]);
    await adapter.evaluate(template.bind(), { observers: [recorder] });
    const { problems } = await readRunRecord(lines);
    expect(problems.map(({ text, count, call }) => [text, count, call?.id])).toEqual([
      ['look was called 5 times with the same arguments while nothing changed.', 5, 'call-1-1'],
      ['look was called 4 times with the same arguments while nothing changed.', 4, 'call-10-1'],
    ]);
  });

  it('fold calls that failed alike, and name no repetition beside it', async () => {
    const deploy = tool({
      name: 'deploy',
      description: 'Deploys.',
      inputSchema: jsonSchema({ type: 'object', properties: { target: { type: 'string' } } }),
      execute: () => ToolResult.error('connect ECONNREFUSED'),
    });
    const template = promptTemplate({
      ns: 'test',
      key: 'deploys',
      sections: [section({ title: 'Task', key: 'task', template: 'Deploy.', tools: [deploy] })],
    });
    const lines: string[] = [];
    const recorder = runRecorder({ write: (line) => void lines.push(line) });
    const call = (target: string) => ({ toolCalls: [{ name: 'deploy', arguments: { target } }] });
    const adapter = scriptedAdapter([
      call('prod'),
      call('staging'),
      call('prod'),
      call('prod'),
      { text: 'no' },
    ]);
    await adapter.evaluate(template.bind(), { observers: [recorder] });
    const { problems } = await readRunRecord(lines);
    expect(problems.map(({ kind, count, calls }) => [kind, count, calls?.map(({ id }) => id)])).toEqual([
      ['failed-call', 3, ['call-1-1', 'call-3-1', 'call-4-1']],
      ['failed-call', 1, ['call-2-1']],
    ]);
    expect(problems[0]?.text).toContain('connect ECONNREFUSED');
  });

  it('have the end when the record ends before the run', async () => {
    const { problems } = await readRunRecord(linesOf('record.jsonl').slice(0, -1));
    expect(problems[0]).toEqual({
      kind: 'incomplete',
      isFailure: true,
      text: 'The record ends before the run does.',
      count: 1,
    });
  });
});
