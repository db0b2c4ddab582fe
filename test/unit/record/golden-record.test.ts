import { describe, expect, it } from 'vitest';
import { runRecorder } from 'weakincentives/record';
import { type GoldenStage, goldenStage, withNumberedIds } from '../../support/golden-runs.ts';

/** The record of a golden run. */
async function recordOf(
  { adapter, prompt, options }: GoldenStage,
  redact?: (text: string) => string,
): Promise<string> {
  const lines: string[] = [];
  const recorder = runRecorder({
    write: (line) => void lines.push(line),
    clock: options.clock,
    runId: 'run',
    runtime: 'node 20.0.0',
    module: 'agent.ts',
    workspace: 'project',
    params: { topic: 'x' },
    onFailure: (error) => {
      throw error;
    },
  });
  const observers = [...(options.observers ?? []), recorder];
  const approve = async () => ({ approved: true });
  await adapter
    .evaluate(prompt, { ...options, observers, approve, ...(redact === undefined ? {} : { redact }) })
    .catch(() => undefined);
  return `${withNumberedIds(lines.join('\n'))}\n`;
}

// `npx vitest run test/unit/record/golden-record.test.ts -u` writes the files again.
describe('the rows of a record have exactly the members that the golden one has', () => {
  it('of a run', async () => {
    await expect(await recordOf(goldenStage())).toMatchFileSnapshot('../../fixtures/golden/record.jsonl');
  });

  it('of a run with redaction that fails', async () => {
    const text = await recordOf(goldenStage({ fails: true }), (part) => part.replaceAll('alpha', '<secret>'));
    await expect(text).toMatchFileSnapshot('../../fixtures/golden/failed-record.jsonl');
  });
});
