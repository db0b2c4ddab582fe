import { expect, onTestFinished } from 'vitest';
import {
  type Agent,
  type AnyAgent,
  defineAgent,
  PolicyDecision,
  promptTemplate,
  type RunJournal,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import {
  type RunJob,
  type RunWorker,
  type RunWorkerOptions,
  runWorker,
  type WorkedRunOptions,
} from 'weakincentives/durable';
import { type MemoryQueue, memoryJournal, memoryQueue, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

/** Greets someone; the model says what its input was. */
export const greeter: Agent<{ readonly name?: string | undefined }, undefined> = defineAgent({
  template: promptTemplate({
    ns: 'worker',
    key: 'greeter',
    sections: [
      section({
        title: 'Task',
        key: 'task',
        params: z.object({ name: z.string().default('all') }),
        template: (p) => `Greet ${p.name}.`,
      }),
    ],
  }),
});

/** Calls `work`, which does what it is given, then ends. */
export function agentWith(execute: (runId: string) => void | Promise<void>, asks = false): AnyAgent {
  const work = tool({
    name: 'work',
    description: 'Works.',
    effects: 'external',
    inputSchema: z.object({ run: z.string() }),
    execute: async ({ run }) => {
      await execute(run);
      return ToolResult.ok(null, 'worked');
    },
  });
  const policies = asks ? [{ name: 'ask', check: () => PolicyDecision.ask('Sure?') }] : [];
  return defineAgent({
    template: promptTemplate({
      ns: 'worker',
      key: 'works',
      policies,
      sections: [section({ title: 'Task', key: 'task', template: 'Work.', tools: [work] })],
    }),
  });
}

/** A model that calls `work` once. */
export const calls = ({ runId }: Pick<RunJob, 'runId'>): WorkedRunOptions => ({
  adapter: scriptedAdapter([{ toolCalls: [{ name: 'work', arguments: { run: runId } }] }, { text: 'done' }]),
  approve: suspendApproval(),
});

/** A worker of a test with what it works on. */
export interface TestWorker {
  readonly worker: RunWorker;
  readonly journal: RunJournal;
  readonly queue: MemoryQueue;
  /** `run text` for each run that has ended, `run suspended` for each that waits. */
  readonly ended: string[];
  /** Errors that were reported, by their messages. */
  readonly errors: string[];
}

/** Starts a worker, which is drained after the test. */
export async function startWorker(
  options: Pick<RunWorkerOptions, 'agents'> & Partial<RunWorkerOptions> & { readonly queue?: MemoryQueue },
): Promise<TestWorker> {
  const ended: string[] = [];
  const errors: string[] = [];
  const { journal = memoryJournal(), queue = memoryQueue() } = options;
  const worker = await runWorker({
    onRun: (run, { runId }) =>
      void ended.push(`${runId} ${run.finishReason === 'suspended' ? 'suspended' : run.text}`),
    onError: (error) => void errors.push(String(Object(error).message)),
    drainMs: 100,
    ...options,
    journal,
    queue,
  });
  onTestFinished(async () => worker[Symbol.asyncDispose]());
  return { worker, journal, queue, ended, errors };
}

export const statusOf = async (journal: RunJournal, runId: string): Promise<string | undefined> =>
  (await journal.runs({ runId }))[0]?.status;

/** Resolves when a worker has nothing to do. */
export const idle = async ({ worker, queue }: TestWorker): Promise<void> => {
  await expect.poll(() => [worker.working, queue.waiting.length]).toEqual([0, 0]);
};
