/** A job of 2,000 turns in a window of 32,000 tokens, which ends right only when the conversation is compacted. */
import { longJob, runLongJob } from '../../examples/shared/long-job.ts';
import { runProgram } from '../harness/program.ts';

interface Settings extends Record<string, boolean> {
  /** Otherwise the conversation is held to a window of turns, which forgets what it leaves out. */
  readonly isCompacted: boolean;
}

const turns = 2_001;

await runProgram<Settings>(async ({ isCompacted }, plan) => {
  const context = isCompacted
    ? { compact: { atInputTokens: 24_000, toInputTokens: 12_000 } }
    : { maxTurns: 100 };
  const samples: Record<string, number[]> = { cpu: [], uncached: [] };
  for (let count = 0; count < (plan.effort === 'tiny' ? 1 : 3); count += 1) {
    const before = process.cpuUsage();
    const { requests, text, uncachedBytes } = await runLongJob({ context });
    const { user, system } = process.cpuUsage(before);
    if (requests !== turns || (text === longJob.answer) !== isCompacted)
      throw new Error(`It ended with "${text}" after ${requests} requests.`);
    samples['cpu']?.push((user + system) / requests);
    samples['uncached']?.push(uncachedBytes / 1024 / requests);
  }
  return { samples };
});
