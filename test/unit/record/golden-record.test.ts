import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Deadline, type EvaluateOptions } from 'weakincentives';
import { type RunRecorderOptions, runRecorder } from 'weakincentives/record';
import { present } from '../../../src/core/internal/index.ts';
import { nestedStage } from '../../support/golden-nested-run.ts';
import { type GoldenStage, goldenStage, withNumberedIds } from '../../support/golden-runs.ts';
import { openHost, testFolders } from '../host/host-filesystem/host-workspace.ts';

/** The record of a golden run. */
async function recordOf<Output>(
  { adapter, prompt, options }: GoldenStage<Output>,
  {
    approve = async () => ({ approved: true }),
    redact,
    reads = 'content',
    limits,
  }: Pick<EvaluateOptions, 'approve' | 'redact' | 'limits'> & Pick<RunRecorderOptions, 'reads'> = {},
): Promise<string> {
  const lines: string[] = [];
  const recorder = runRecorder({
    write: (line) => void lines.push(line),
    clock: options.clock,
    runId: 'run',
    reads,
    runtime: 'node 20.0.0',
    module: 'agent.ts',
    workspace: 'project',
    apply: 'end',
    params: { topic: 'x' },
    onFailure: (error) => {
      throw error;
    },
  });
  const observers = [...(options.observers ?? []), recorder];
  await adapter
    .evaluate(prompt, { ...options, observers, approve, ...present({ redact, limits }) })
    .catch(() => undefined);
  return `${withNumberedIds(lines.join('\n'))}\n`;
}

// `npx vitest run test/unit/record/golden-record.test.ts -u` writes the files again.
describe('the rows of a record have exactly the members that the golden one has', () => {
  it('of a run', async () => {
    await expect(await recordOf(goldenStage())).toMatchFileSnapshot('../../fixtures/golden/record.jsonl');
  });

  it('of a run with redaction that fails', async () => {
    const stage = goldenStage({ fails: true });
    const million = 1_000_000;
    const text = await recordOf(stage, {
      limits: {
        budget: {
          maxTotalTokens: million,
          maxInputTokens: million,
          maxOutputTokens: million,
          maxCost: million,
        },
        deadline: Deadline.after(86_400_000, stage.options.clock),
      },
      redact: (part) => part.replaceAll('alpha', '<secret>'),
    });
    await expect(text).toMatchFileSnapshot('../../fixtures/golden/failed-record.jsonl');
  });

  it('of a run in a folder of the machine, with evaluations inside of evaluations', async () => {
    const folders = testFolders({ 'run.sh': 'run', 'plain.md': 'plain' });
    chmodSync(join(folders.root, 'run.sh'), 0o755);
    chmodSync(join(folders.root, 'plain.md'), 0o644);
    symlinkSync('plain.md', join(folders.root, 'to-file'));
    symlinkSync('nowhere', join(folders.root, 'dangling'));
    const text = await recordOf(nestedStage(await openHost(folders)), {
      approve: async ({ callId }) =>
        callId === 'approval-1' ? { approved: false, reason: 'It stays.' } : { approved: true },
      reads: 'digest',
    });
    await expect(text).toMatchFileSnapshot('../../fixtures/golden/nested-record.jsonl');
  });
});
