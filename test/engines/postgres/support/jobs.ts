import { ensureRun, promptTemplate, type RunJournal, section, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

/** A job that asks a model twice, and has one effect outside in between. */
export interface Job {
  /** Begins it, or continues it. @returns its answer; undefined where it waits for somebody. */
  deliver(journal: RunJournal): Promise<string | undefined>;
  /** How often its effect has happened. */
  readonly sent: () => number;
}

/** @param during what happens within the effect. */
export function jobOf(runId: string, during: () => Promise<void> = async () => undefined): Job {
  let sent = 0;
  const send = tool({
    name: 'send',
    description: 'Sends the letter.',
    effects: 'external',
    execute: async () => {
      sent += 1;
      await during();
      return ToolResult.ok(null, 'sent');
    },
  });
  const prompt = promptTemplate({
    ns: 'tests',
    key: 'job',
    sections: [section({ title: 'Task', key: 'task', template: 'Send it.', tools: [send] })],
  });
  return {
    sent: () => sent,
    deliver: async (journal) => {
      const outcome = await ensureRun({
        adapter: scriptedAdapter((_conversation, { turn }) =>
          turn === 1 ? { toolCalls: [{ name: 'send' }] } : { text: 'done' },
        ),
        prompt: prompt.bind(),
        journal,
        runId,
        input: 'Go.',
      });
      return 'text' in outcome ? outcome.text : undefined;
    },
  };
}
