import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRunRecorder } from 'weakincentives/node';
import { countingAgent } from './counting-agent.ts';
import { runSystem } from './run-system.ts';

/** With a record of each run in a file. */
await runSystem((stage) =>
  countingAgent(stage, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wink-bench-record-'));
    const recorder = await openRunRecorder({ file: join(folder, 'run.jsonl') });
    return {
      observers: [recorder],
      end: async () => {
        await recorder[Symbol.asyncDispose]();
        await rm(folder, { recursive: true });
      },
    };
  }),
);
